/* Mob references: those of a table that HBase 2.6 wrote become the values that its own scan gave; where files are looked for;
 * many threads, few files open; references that lead nowhere. */
#include "hfile/hfile_open.h"
#include "hfile/hfile_scan.h"
#include "metadata_files.h"

#include "base/outfile.h"
#include "flat_cells.h"
#include "hbase_tree.h"
#include "formats/hbase/mob.h"
#include "hfile/hfile_reader.h"
#include "made_mob.h"
#include "tsv_cells.h"

#include <dirent.h>
#include <omp.h>

#define FILE_A "d41d8cd98f00b204e9800998ecf8427e2023112584e8f44a431c49f3b3aba4c4e602b60e_d6d98e0992bc0004944591263698d3e0"
#define FILE_B "d41d8cd98f00b204e9800998ecf8427e20231125dd8332d519134b3894d5fcd0b81a0744_d6d98e0992bc0004944591263698d3e0"
#define ROOT "e_codecs_mob/hbase/"
#define MOB_REGION "default/codecs/2897294da99fe268118344c0143cf50a/mob"

/* Files of a real HBase, unpacked once: the mob files, the two store files with references to them, what a scan gave. */
struct real {
    struct tree tree;
    const char *mob_dir, *expected;
    const char *stores[2];
};

static int open_real(void **state) {
    struct real *r = calloc(1, sizeof *r);
    tree_open(&r->tree);
    tree_unpack(&r->tree, "e_codecs_mob");
    tree_unpack(&r->tree, "g_export_snapshot");
    r->mob_dir = strdup(tree_path(&r->tree, ROOT "mobdir/data/" MOB_REGION));
    r->expected = strdup(tree_path(&r->tree, "e_codecs_mob/expected/snapshot.snap_e/expected.tsv"));
    static const char *const names[] = {"52a96ff62dff420bba6c1d4b02871b17", "bde885c32b334e8bb0a278229949a27a"};
    for (size_t i = 0; i < 2; i++)
        r->stores[i] = strdup(tree_path(&r->tree, ROOT "data/default/codecs/d6d98e0992bc0004944591263698d3e0/mob/%s", names[i]));
    *state = r;
    return 0;
}

static int close_real(void **state) {
    struct real *r = *state;
    tree_close(&r->tree);
    free((void *)(uintptr_t)r->mob_dir);
    free((void *)(uintptr_t)r->expected);
    for (size_t i = 0; i < 2; i++) free((void *)(uintptr_t)r->stores[i]);
    free(r);
    return 0;
}

static struct source *open_scan(struct hfile **h, const char *path) {
    struct err err = {0};
    struct hfile_scan_opts o = {0};
    *h = hfile_open(path, 0, &err);
    if (!*h) fail_msg("%s", err.text);
    struct source *s = hfile_scan_open(*h, &o, &err);
    if (!s) fail_msg("%s", err.text);
    return s;
}

/* ---- the real table ---- */

static const struct tsv_cell *expected(const struct tsv *t, struct bytes row, const struct cell *c) {
    for (size_t i = 0; i < t->n; i++) {
        const struct tsv_cell *e = &t->cells[i];
        if (bytes_eq(e->row, row) && bytes_eq(e->family, bytes_str("mob")) && cell_key_cmp(&e->cell, c) == 0 &&
            e->cell.seq == c->seq)
            return e;
    }
    return NULL;
}

/* Counts what the expectation holds. */
static void check_part(const struct row_part *part, const struct tsv *t, size_t *known) {
    assert_true(bytes_eq(part->family, bytes_str("mob")));
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct tsv_cell *e = expected(t, part->row, &part->cells[i]);
        assert_false(mob_cell_is_reference(&part->cells[i]));
        if (!e) continue;
        assert_true(bytes_eq(e->cell.value, part->cells[i].value));
        assert_true(bytes_eq(e->cell.tags, part->cells[i].tags));
        (*known)++;
    }
}

/* Notes a file, once for each, before it is opened. */
static int note_opening(void *arg, const char *path, struct err *err) {
    struct buf *seen = arg;
    char line[600];
    snprintf(line, sizeof line, "%s\n", path);
    assert_null(seen->n ? memmem(seen->p, seen->n, line, strlen(line)) : NULL);
    assert_int_equal(access(path, R_OK), 0);
    return buf_put(seen, line, strlen(line), err);
}

static void check_file(const struct store_files *files, const char *path, const struct tsv *t, size_t *known, size_t *cells) {
    struct buf opened = {0};
    struct mob_opts o = {.max_files = 1, .opens = note_opening, .arg = &opened};
    struct err err = {0};
    struct buf scratch = {0};
    struct hfile *h;
    struct tally tally = {0}, want = {0};
    struct row_part part;
    int rc;
    struct mob_resolver *r = mob_open(files, &o, &err);
    struct source *s = mob_source_open(open_scan(&h, path), r, NULL, &tally, NULL, &err);
    while ((rc = source_next(s, &part, &err)) == 1) {
        check_part(&part, t, known);
        assert_int_equal(digest_part(&scratch, &part, &want, &err), 0);
        *cells += part.n_cells;
    }
    if (rc) fail_msg("%s: %s", files->what, err.text);
    assert_true(tally.cells == want.cells && digest_eq(tally.digest, want.digest));
    assert_true(!*known || opened.n);
    buf_free(&opened);
    source_close(s);
    hfile_close(h);
    mob_close(r);
    buf_free(&scratch);
}

/* The table, its snapshot and the export of that, and the clone, whose cells name the table they came from. */
static void real_tables(void **state) {
    static const char *const dirs[] = {ROOT "data/default/codecs", ROOT ".hbase-snapshot/snap_e",
                                       "g_export_snapshot/snap_e/.hbase-snapshot/snap_e", ROOT "data/default/codecs_clone",
                                       ROOT ".hbase-snapshot/snap_e_clone"};
    struct real *real = *state;
    struct tsv t;
    assert_true(tsv_load(real->expected, &t));
    for (size_t i = 0; i < countof(dirs); i++) {
        struct store_files files;
        struct err err = {0};
        size_t known = 0, cells = 0;
        if (store_files_read(tree_path(&real->tree, "%s", dirs[i]), (struct list_room){0}, &files, &err))
            fail_msg("%s", err.text);
        for (size_t k = 0; k < files.n_files; k++)
            if (!strcmp(files.table.families[files.files[k].family].name, "mob"))
                check_file(&files, files.files[k].path, &t, &known, &cells);
        assert_int_equal(known, 172); /* all that the scan gave */
        assert_int_equal(cells, 173); /* one cell has a duplicate in the other file */
        store_files_free(&files);
    }
    tsv_free(&t);
}

/* ---- all references of the real table, by themselves ---- */

struct references {
    struct flat_pool pool;
    struct flat_cells cells;
};

static void collect(const struct real *real, struct references *all) {
    struct err err = {0};
    *all = (struct references){0};
    all->cells.pool = &all->pool;
    for (size_t i = 0; i < countof(real->stores); i++) {
        struct hfile *h;
        struct row_part part;
        struct source *s = open_scan(&h, real->stores[i]);
        while (source_next(s, &part, &err) == 1) flat_add(&all->cells, &part);
        source_close(s);
        hfile_close(h);
    }
    size_t n = 0;
    for (size_t i = 0; i < all->cells.n; i++)
        if (mob_cell_is_reference(&all->cells.c[i].cell)) all->cells.c[n++] = all->cells.c[i];
    all->cells.n = n;
    assert_int_equal(n, 117);
}

static void release(struct references *all) {
    free(all->cells.c);
    flat_pool_free(&all->pool);
}

static struct row_part part_of(const struct flat_cell *c) {
    return (struct row_part){.row = c->row, .family = bytes_str("mob"), .cells = &c->cell, .n_cells = 1};
}

static void is_value(struct mob_resolver *r, const struct flat_cell *c, const struct tsv *t) {
    struct row_part part = part_of(c);
    struct buf value = {0};
    struct err err = {0};
    const struct tsv_cell *e = expected(t, c->row, &c->cell);
    if (mob_value(r, &part, &c->cell, &value, &err)) fail_msg("%s", err.text);
    if (e && !bytes_eq(buf_bytes(&value), e->cell.value)) fail_msg("another value");
    buf_free(&value);
}

/* The resolver is done with a row when it returns: rows lie in one of two places in turn, with something else in between. */
static void rows_that_go(struct mob_resolver *r, const struct references *all, const struct tsv *t) {
    uint8_t places[2][64];
    for (size_t i = 0; i < all->cells.n; i++) {
        struct flat_cell c = all->cells.c[i];
        uint8_t *place = places[i % 2];
        assert_true(c.row.n <= sizeof places[0]);
        memcpy(place, c.row.p, c.row.n);
        c.row.p = place;
        is_value(r, &c, t);
        memset(place, 0xff, sizeof places[0]);
    }
}

static void any_order(void **state) {
    const struct real *real = *state;
    struct references all;
    struct tsv t;
    struct made m;
    uint64_t seed = 7;
    make(&m);
    add_directory(&m, real->mob_dir, "default", "codecs");
    collect(*state, &all);
    assert_true(tsv_load(real->expected, &t));
    for (unsigned files = 1; files <= 3; files++) {
        struct mob_resolver *r = open_resolver(&m, files, files == 3 ? 1 : 0); /* 1 byte: nothing stays open */
        for (size_t i = all.cells.n; i-- > 0;) is_value(r, &all.cells.c[i], &t);
        rows_that_go(r, &all, &t);
        for (int i = 0; i < 1000; i++) is_value(r, &all.cells.c[flat_below(&seed, all.cells.n)], &t);
        mob_close(r);
    }
    tsv_free(&t);
    release(&all);
}

static size_t open_files(void) {
    DIR *d = opendir("/proc/self/fd");
    size_t n = 0;
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

/* The references lead to 40 copies of the two files, so that they are opened and closed all the time. */
static void many_threads(void **state) {
    enum { COPIES = 20, MAX_FILES = 5, THREADS = 4, ASKED = 4000 };
    const struct real *real = *state;
    struct references all;
    struct tsv t;
    struct made m;
    char *dir = make_directory();
    size_t before = open_files(), most = 0, wrong = 0;
    struct bytes a = read_sample(tree_path(&real->tree, ROOT "mobdir/data/" MOB_REGION "/" FILE_A)),
                 b = read_sample(tree_path(&real->tree, ROOT "mobdir/data/" MOB_REGION "/" FILE_B));
    for (int i = 0; i < COPIES; i++) {
        char name[200];
        snprintf(name, sizeof name, "%s%02x", FILE_A, i);
        write_sample(dir, name, a);
        snprintf(name, sizeof name, "%s%02x", FILE_B, i);
        write_sample(dir, name, b);
    }
    make(&m);
    add_directory(&m, dir, "default", "codecs");
    collect(*state, &all);
    assert_true(tsv_load(real->expected, &t));
    struct mob_resolver *r = open_resolver(&m, MAX_FILES, 0);
#pragma omp parallel for num_threads(THREADS) schedule(dynamic) reduction(+ : wrong) reduction(max : most)
    for (int i = 0; i < ASKED; i++) {
        uint64_t seed = (uint64_t)i + 1;
        flat_random(&seed);
        struct flat_cell c = all.cells.c[flat_below(&seed, all.cells.n)];
        struct row_part part = part_of(&c);
        struct buf reference = {0}, value = {0};
        struct err err = {0};
        const struct tsv_cell *e = expected(&t, c.row, &c.cell);
        int rc =
            buf_copy(&reference, c.cell.value, &err) || buf_printf(&reference, &err, "%02x", (unsigned)flat_below(&seed, COPIES));
        c.cell.value = buf_bytes(&reference);
        if (!rc) rc = mob_value(r, &part, &c.cell, &value, &err);
        wrong += rc || (e && !bytes_eq(buf_bytes(&value), e->cell.value));
        if (i % 64 == 0 && open_files() > most) most = open_files();
        buf_free(&reference);
        buf_free(&value);
    }
    assert_int_equal(wrong, 0);
    if (most > before + MAX_FILES + THREADS) fail_msg("%zu files were open, %zu before", most, before); /* and /proc itself */
    mob_close(r);
    assert_int_equal(open_files(), before);
    tsv_free(&t);
    release(&all);
    free_bytes(a);
    free_bytes(b);
    remove_directory(dir);
}

/* ---- where files are looked for ---- */

static void gives_bytes(const struct made *m, const struct flat_cell *c, size_t bytes) {
    struct mob_resolver *r = open_resolver(m, 0, 0);
    struct row_part part = part_of(c);
    struct buf value = {0};
    struct err err = {0};
    if (mob_value(r, &part, &c->cell, &value, &err)) fail_msg("%s", err.text);
    assert_int_equal(value.n, bytes);
    buf_free(&value);
    mob_close(r);
}

static void is_refused(const struct made *m, const struct flat_cell *c, const char *part_of_text) {
    struct mob_resolver *r = open_resolver(m, 0, 0);
    struct row_part part = part_of(c);
    struct buf value = {0};
    struct err err = {0};
    for (int i = 0; i < 2; i++) { /* a failure leaves the resolver as it was */
        err = (struct err){0};
        assert_int_equal(mob_value(r, &part, &c->cell, &value, &err), -1);
        expect_said(&err, ERR_INPUT, part_of_text);
        expect_said(&err, ERR_INPUT, "value of row 726f772d");
    }
    assert_int_equal(value.n, 0);
    buf_free(&value);
    mob_close(r);
}

#define MOB_ENCODED "2897294da99fe268118344c0143cf50a" /* of default:codecs */

static void directories(void **state) {
    const struct real *real = *state;
    struct references all;
    struct made m;
    collect(*state, &all);
    const struct flat_cell *c = &all.cells.c[0];
    size_t bytes = be32(c->cell.value.p);
    char *dir = make_directory(), damaged[300], other[300];
    write_sample(dir, "damaged/" FILE_A, bytes_str("damaged"));
    write_sample(dir, "damaged/" FILE_B, bytes_str("damaged"));
    write_sample(dir, "other/x", bytes_str(""));
    snprintf(damaged, sizeof damaged, "%s/damaged", dir);
    snprintf(other, sizeof other, "%s/other", dir);
    /* the table that the cell names comes first, wherever it stands */
    make(&m);
    add_directory(&m, damaged, "default", "codecs_clone");
    add_directory(&m, damaged, "n", "codecs");
    add_directory(&m, other, "default", "codecs");
    add_directory(&m, real->mob_dir, "default", "codecs");
    gives_bytes(&m, c, bytes);
    /* else any */
    make(&m);
    add_directory(&m, other, "default", "codecs");
    add_directory(&m, real->mob_dir, "n", "t");
    gives_bytes(&m, c, bytes);
    make(&m);
    add_directory(&m, damaged, "default", "codecs");
    add_directory(&m, real->mob_dir, "n", "t");
    is_refused(&m, c, "damaged/" FILE_A);
    make(&m);
    add_directory(&m, "elsewhere", "n", "t");
    add_directory(&m, other, "default", "codecs");
    char said[500];
    snprintf(said, sizeof said,
             "mob file %.*s is missing, written by table default:codecs: copy it from mobdir/data/default/codecs/" MOB_ENCODED
             "/mob (or archive/data/…) of HBase's root, and give the root that holds both",
             (int)c->cell.value.n - 4, (const char *)c->cell.value.p + 4);
    is_refused(&m, c, said);
    /* of a table to which no link leads, below the root */
    make(&m);
    m.files.root = dir;
    snprintf(said, sizeof said, "of HBase's root, to %s/mobdir/data/default/codecs/" MOB_ENCODED "/mob", dir);
    is_refused(&m, c, said);
    write_sample(dir, "archive/data/default/codecs/" MOB_ENCODED "/mob/" FILE_A, bytes_str("damaged"));
    is_refused(&m, c, "archive/data/default/codecs/" MOB_ENCODED "/mob/" FILE_A);
    remove_directory(dir);
    release(&all);
}

/* ---- references that lead nowhere ---- */

static void lost(void **state) {
    const struct real *real = *state;
    struct references all;
    struct made m;
    struct buf value = {0};
    struct err err = {0};
    collect(*state, &all);
    make(&m);
    add_directory(&m, real->mob_dir, "default", "codecs");
    struct flat_cell c = all.cells.c[0];
    c.cell.ts_ms--;
    is_refused(&m, &c, "has no such cell");
    c = all.cells.c[0];
    c.cell.qualifier = bytes_str("zz");
    is_refused(&m, &c, "mob/" FILE_A ": has no such cell");
    c = all.cells.c[0];
    c.row = bytes_str("row-zz");
    is_refused(&m, &c, "has no such cell");
    c = all.cells.c[0];
    assert_int_equal(buf_copy(&value, c.cell.value, &err), 0);
    value.p[3]++;
    c.cell.value = buf_bytes(&value);
    is_refused(&m, &c, "bytes, the reference says");
    c.cell.value.n = 4;
    is_refused(&m, &c, "a value of 4 bytes is not a reference");
    c.cell.value = bytes_of("\0\0\0\1../x", 8);
    is_refused(&m, &c, "'../x' is not the name of a mob file");
    c.cell.value = bytes_of("\0\0\0\1a=0123-ab", 14);
    is_refused(&m, &c, "is not the name of a mob file");
    m.family.name = (char *)"other";
    is_refused(&m, &all.cells.c[0], "table n:t has no family 'mob'");
    buf_free(&value);
    release(&all);
}

/* ---- tags ---- */

static void tags(void **state) {
    (void)state;
    static const uint8_t all[] = {0, 1, 5, 0, 3, 8, 'x', 'y', 0, 4, 6, 'n', ':', 't', 0, 2, 9, 'z'};
    static const uint8_t kept[] = {0, 3, 8, 'x', 'y', 0, 2, 9, 'z'};
    static const uint8_t reference[] = {0, 0, 1, 0, 'a', 'b'};
    struct cell c = {.tags = bytes_of(all, sizeof all), .value = bytes_of(reference, sizeof reference)};
    struct mob_reference r;
    struct buf out = {0};
    struct err err = {0};
    assert_true(mob_cell_is_reference(&c));
    assert_int_equal(mob_cell_parse(&c, &r, &err), 0);
    assert_int_equal(r.bytes, 256);
    assert_true(bytes_eq(r.file, bytes_str("ab")) && bytes_eq(r.ns, bytes_str("n")) && bytes_eq(r.table, bytes_str("t")));
    assert_int_equal(mob_cell_put_tags(&c, &out, &err), 0);
    assert_true(bytes_eq(buf_bytes(&out), bytes_of(kept, sizeof kept)));
    c.tags = bytes_of(kept, sizeof kept);
    assert_false(mob_cell_is_reference(&c));
    c.tags = bytes_of(all, 3);
    assert_int_equal(mob_cell_parse(&c, &r, &err), 0);
    assert_null(r.table.p);
    for (size_t n = 0; n < sizeof all; n++) { /* cut tags are never read beyond */
        struct bytes exact = exact_copy(bytes_of(all, n));
        c.tags = exact;
        assert_int_equal(mob_cell_is_reference(&c), n >= 3);
        assert_int_equal(mob_cell_put_tags(&c, &out, &err), 0);
        free_bytes(exact);
    }
    buf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_tables), cmocka_unit_test(any_order), cmocka_unit_test(many_threads),
                                       cmocka_unit_test(directories), cmocka_unit_test(lost),      cmocka_unit_test(tags)};
    return cmocka_run_group_tests(tests, open_real, close_real);
}
