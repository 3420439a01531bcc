/* Reading on after damage: exactly the cells of the damaged blocks are missing, whatever else of the file is damaged, in one
 * scan and in ranges; and what is reported is true. */
#include "hfile/hfile_open.h"
#include "hfile/hfile_ranges.h"
#include "hfile/hfile_scan.h"
#include "tests/unit/forged_hfile.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { LOST_MAX = 400, BLOCKS_MAX = 700 };

struct lost_row {
    uint64_t offset, end;
    bool no_cells;
    char first[100], last[100]; /* rows; "?" = not known */
    char reason[300];
};

struct report {
    struct lost_row rows[LOST_MAX];
    size_t n;
};

static void show_row(struct bytes key, char out[100]) {
    struct kv_key k;
    snprintf(out, 100, "?");
    if (key.p) {
        assert_true(kv_key_parse(key, &k));
        snprintf(out, 100, "%.*s", (int)k.row.n, (const char *)k.row.p);
    }
}

static int note_lost(void *arg, const struct hfile_lost *l, struct err *err) {
    struct report *r = arg;
    (void)err;
    assert_true(r->n < LOST_MAX);
    struct lost_row *row = &r->rows[r->n++];
    *row = (struct lost_row){.offset = l->offset, .end = l->end, .no_cells = l->no_cells};
    show_row(l->first, row->first);
    show_row(l->last, row->last);
    snprintf(row->reason, sizeof row->reason, "%s", l->reason);
    return 0;
}

struct image {
    int fd;
    char path[64];
    uint8_t *p; /* good bytes */
    size_t n;
};

static struct image image_of(struct bytes content) {
    struct image m = {.fd = memfd_create("hfile", MFD_CLOEXEC), .n = content.n, .p = malloc(content.n)};
    struct err err = {0};
    assert_true(m.fd >= 0 && m.p);
    memcpy(m.p, content.p, content.n);
    snprintf(m.path, sizeof m.path, "/proc/self/fd/%d", m.fd);
    if (fs_pwrite_full(m.fd, content.p, content.n, 0, m.path, &err)) fail_msg("%s", err.text);
    return m;
}

static struct image image_of_file(const char *path) {
    struct err err = {0};
    size_t n;
    char *p = fs_read_text(path, 1 << 22, &n, &err);
    if (!p) fail_msg("%s", err.text);
    struct image m = image_of(bytes_of(p, n));
    free(p);
    return m;
}

static void image_free(struct image *m) {
    close(m->fd);
    free(m->p);
}

static void damage_at(const struct image *m, uint64_t at) {
    uint8_t byte = m->p[at] ^ 0x5a;
    assert_int_equal(pwrite(m->fd, &byte, 1, (off_t)at), 1);
}

static void mend(const struct image *m) {
    assert_int_equal(pwrite(m->fd, m->p, m->n, 0), (ssize_t)m->n);
}

static int drain(const struct hfile *h, struct hfile_scan_opts o, struct tally *t, struct err *err) {
    o.tally = t;
    struct source *scan = hfile_scan_open(h, &o, err);
    struct row_part part;
    int rc = -1;
    while (scan && (rc = source_next(scan, &part, err)) == 1) {
    }
    source_close(scan);
    return rc;
}

static int drain_ranges(const struct hfile *h, struct hfile_scan_opts o, size_t want, struct tally *t, struct err *err) {
    struct hfile_cutter *c = hfile_cutter_open(h, &(struct hfile_range){0, hfile_info(h)->load_on_open_offset}, err);
    int rc = -1, more;
    while (c && (more = hfile_cutter_next(c, want, &o.range, err)) >= 0)
        if (!more || drain(h, o, t, err)) {
            rc = more ? -1 : 0;
            break;
        }
    hfile_cutter_close(c);
    return rc;
}

/* want: bytes a range, 0 = one scan. */
static int salvage(const char *path, size_t want, struct tally *t, struct report *r, struct err *err) {
    struct hfile_lost_sink sink = {note_lost, r};
    *t = (struct tally){0};
    r->n = 0;
    *err = (struct err){0};
    struct hfile *h = hfile_open_damaged(path, 1 << 24, &sink, err);
    if (!h) return -1;
    struct hfile_scan_opts o = {.lost = &sink};
    int rc = want ? drain_ranges(h, o, want, t, err) : drain(h, o, t, err);
    hfile_close(h);
    return rc;
}

/* ---- forged files: one cell a block ---- */

static void expect_row(const struct report *r, size_t i, uint64_t offset, const char *first, const char *last,
                       const char *reason) {
    assert_true(i < r->n);
    const struct lost_row *row = &r->rows[i];
    if (row->offset != offset || row->no_cells != !first || (first && (strcmp(row->first, first) || strcmp(row->last, last))) ||
        !strstr(row->reason, reason))
        fail_msg("row %zu: %llu to %llu, %s cells, '%s' to '%s', %s", i, (unsigned long long)row->offset,
                 (unsigned long long)row->end, row->no_cells ? "no" : "with", row->first, row->last, row->reason);
}

/* Lists where blocks of a forged file begin: cells, then root index, meta index, file info. */
static size_t list_blocks(struct bytes file, uint32_t header_bytes, uint64_t end, uint64_t *at, struct block_header *h) {
    size_t n = 0;
    for (uint64_t p = 0; p < end; n++) {
        assert_true(n < BLOCKS_MAX);
        assert_null(block_header_parse(file.p + p, header_bytes, &h[n]));
        at[n] = p;
        p += header_bytes + h[n].disk_bytes;
    }
    return n;
}

static void one_block(void **state) {
    (void)state;
    static const struct { unsigned major, minor; } versions[] = {{3, 3}, {2, 1}};
    enum { CELLS = 9 };
    for (size_t v = 0; v < countof(versions); v++) {
        struct forge f = forge_make(&(struct forge_opts){.major = versions[v].major, .minor = versions[v].minor, .cells = CELLS});
        struct image m = image_of(buf_bytes(&f.file));
        uint64_t at[BLOCKS_MAX];
        struct block_header heads[BLOCKS_MAX];
        size_t n = list_blocks(buf_bytes(&f.file), forge_header_bytes(&f), f.file.n - f.t_bytes, at, heads);
        struct report *r = malloc(sizeof *r);
        struct tally t;
        struct err err;
        assert_int_equal(n, CELLS + 3);
        for (size_t i = 0; i < CELLS; i++)
            for (size_t where = 0; where < 60; where += 6) { /* magic, sizes, payload */
                char first[20], last[20];
                snprintf(first, sizeof first, "row%03zu", i);
                snprintf(last, sizeof last, "row%03zu", i + 1 < CELLS ? i + 1 : i);
                damage_at(&m, at[i] + where);
                for (size_t want = 0; want < 500; want += 150) {
                    if (salvage(m.path, want, &t, r, &err)) fail_msg("%s", err.text);
                    assert_int_equal(t.cells, CELLS - 1);
                    assert_int_equal(r->n, 1);
                    expect_row(r, 0, at[i], first, last, where < 33 ? "" : "checksum");
                }
                damage_at(&m, at[CELLS] + 40); /* and the root index */
                for (size_t want = 0; want < 500; want += 150) {
                    if (salvage(m.path, want, &t, r, &err)) fail_msg("%s", err.text);
                    assert_int_equal(t.cells, CELLS - 1);
                    assert_int_equal(r->n, 2);
                    expect_row(r, 0, at[CELLS], NULL, NULL, "IDXROOT2");
                    assert_int_equal(r->rows[1].offset, at[i]);
                    assert_string_equal(r->rows[1].last, last);
                }
                mend(&m);
            }
        free(r);
        image_free(&m);
        forge_free(&f);
    }
}

/* Damages parts that reading cannot do without. */
static void no_file_without(void **state) {
    (void)state;
    struct forge f = forge_make(&(struct forge_opts){.major = 3, .minor = 3, .cells = 3});
    struct image m = image_of(buf_bytes(&f.file));
    struct report *r = malloc(sizeof *r);
    struct tally t;
    struct err err;
    uint64_t places[] = {f.t.file_info_offset + 40, f.file.n - TRAILER_V3_BYTES + 1, f.file.n - 2000};
    for (size_t i = 0; i < countof(places); i++) {
        damage_at(&m, places[i]);
        assert_int_equal(salvage(m.path, 0, &t, r, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        mend(&m);
    }
    free(r);
    image_free(&m);
    forge_free(&f);
}

/* Lack of memory is no damage; a size that is wrong is. */
static void sizes(void **state) {
    (void)state;
    struct image m = image_of_file("tests/data/hfile/hbase_files/big_gz.hfile");
    struct report *r = malloc(sizeof *r);
    struct hfile_lost_sink sink = {note_lost, r};
    struct err err = {0};
    struct tally t = {0};
    r->n = 0;
    struct hfile *h = hfile_open_damaged(m.path, 500000, &sink, &err);
    assert_non_null(h);
    assert_int_equal(drain(h, (struct hfile_scan_opts){.lost = &sink}, &t, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(r->n, 0);
    hfile_close(h);
    image_free(&m);
    struct forge f = forge_make(&(struct forge_opts){.major = 3, .minor = 3, .cells = 400});
    m = image_of(buf_bytes(&f.file));
    uint32_t huge = 20000, summed = huge + 33 - 4 * 313; /* fits the section and itself, not the limit */
    uint8_t text[4];
    put_be32(text, huge);
    assert_int_equal(pwrite(m.fd, text, 4, 8), 4);
    put_be32(text, summed);
    assert_int_equal(pwrite(m.fd, text, 4, 29), 4);
    put_be32(text, summed - 33);
    assert_int_equal(pwrite(m.fd, text, 4, 12), 4);
    h = hfile_open_damaged(m.path, 15000, &sink, &err);
    err = (struct err){0};
    t = (struct tally){0};
    if (!h) h = hfile_open_damaged(m.path, 15000, &sink, &err);
    if (!h) fail_msg("%s", err.text);
    if (drain(h, (struct hfile_scan_opts){.lost = &sink}, &t, &err)) fail_msg("%s", err.text);
    assert_int_equal(t.cells, 399);
    assert_int_equal(r->n, 1);
    hfile_close(h);
    free(r);
    image_free(&m);
    forge_free(&f);
}

/* A value that looks like a block of an HFile is not taken for one of this file. */
static void block_in_a_value(void **state) {
    (void)state;
    struct forge inner = forge_make(&(struct forge_opts){.major = 3, .minor = 3, .cells = 3});
    struct forge f = forge_make(&(struct forge_opts){.major = 3, .minor = 3, .cells = 6, .value_of_2 = buf_bytes(&inner.file)});
    struct image m = image_of(buf_bytes(&f.file));
    uint64_t at[BLOCKS_MAX];
    struct block_header heads[BLOCKS_MAX];
    size_t n = list_blocks(buf_bytes(&f.file), BLOCK_HEADER_BYTES, f.file.n - f.t_bytes, at, heads);
    struct report *r = malloc(sizeof *r);
    struct tally t;
    struct err err;
    damage_at(&m, at[2] + 3);      /* magic of the block with that value */
    damage_at(&m, at[n - 3] + 40); /* root index */
    if (salvage(m.path, 0, &t, r, &err)) fail_msg("%s", err.text);
    assert_int_equal(t.cells, 5);
    assert_int_equal(r->n, 2);
    assert_string_equal(r->rows[1].first, "row001");
    assert_string_equal(r->rows[1].last, "row003");
    assert_int_equal(r->rows[1].end, at[3]);
    free(r);
    image_free(&m);
    forge_free(&f);
    forge_free(&inner);
}

/* ---- files of HBase, damaged at random ---- */

/* Cells and digest of every data block of a good file. */
static size_t tally_blocks(const char *path, const uint64_t *at, const struct block_header *heads, size_t n, struct tally *out) {
    struct err err = {0};
    struct hfile *h = hfile_open(path, 0, &err);
    size_t data = 0;
    assert_non_null(h);
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct tally){0};
        if (heads[i].type > BLOCK_ENCODED_DATA) continue;
        struct hfile_scan_opts o = {.range = {at[i], at[i] + BLOCK_HEADER_BYTES + heads[i].disk_bytes}};
        if (drain(h, o, &out[i], &err)) fail_msg("%s", err.text);
        data++;
    }
    hfile_close(h);
    return data;
}

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* index: may root and leaf blocks be damaged too? */
static void random_damage(const char *path, uint64_t seed, bool index) {
    static uint64_t at[BLOCKS_MAX];
    static struct block_header heads[BLOCKS_MAX];
    static struct tally blocks[BLOCKS_MAX];
    struct image m = image_of_file(path);
    struct err err = {0};
    struct hfile *h = hfile_open(m.path, 0, &err);
    assert_non_null(h);
    uint64_t end = hfile_info(h)->load_on_open_offset;
    hfile_close(h);
    size_t n = list_blocks(bytes_of(m.p, m.n), BLOCK_HEADER_BYTES, end, at, heads);
    assert_true(tally_blocks(m.path, at, heads, n, blocks) > 3);
    struct report *r = malloc(sizeof *r);
    for (int round = 0; round < 25; round++) {
        struct tally want = {0}, got;
        static bool hit[BLOCKS_MAX];
        memset(hit, 0, sizeof hit);
        size_t hits = 1 + next_random(&seed) % 6;
        for (size_t k = 0; k < hits; k++) {
            size_t i = next_random(&seed) % n, bytes = BLOCK_HEADER_BYTES + heads[i].disk_bytes;
            if (hit[i] || (!index && heads[i].type != BLOCK_DATA && heads[i].type != BLOCK_ENCODED_DATA)) continue;
            hit[i] = true;
            damage_at(&m, at[i] + next_random(&seed) % (k % 2 ? BLOCK_HEADER_BYTES : bytes));
        }
        if (index && round % 3 == 0) damage_at(&m, end + 50);
        for (size_t i = 0; i < n; i++)
            if (!hit[i]) tally_add(&want, blocks[i]);
        for (size_t want_bytes = 0; want_bytes < 10000; want_bytes += 1 + 5000 * want_bytes) {
            if (salvage(m.path, want_bytes, &got, r, &err)) fail_msg("%s, round %d: %s", path, round, err.text);
            if (got.cells != want.cells || !digest_eq(got.digest, want.digest))
                fail_msg("%s, seed %llu, round %d, ranges of %zu: %llu cells, %llu expected", path, (unsigned long long)seed,
                         round, want_bytes, (unsigned long long)got.cells, (unsigned long long)want.cells);
        }
        mend(&m);
    }
    free(r);
    image_free(&m);
}

static void damaged_files_of_hbase(void **state) {
    (void)state;
    static const char *const files[] = {
        "tests/data/hfile/golden_hfiles/g02_multilevel_row.hfile", "tests/data/hfile/golden_hfiles/g06_fastdiff_gz.hfile",
        "tests/data/hfile/golden_hfiles/g11_leaf2.hfile",          "tests/data/hfile/hbase_files/index3_snappy_diff.hfile",
        "tests/data/hfile/hbase_files/enc_row_index_v1_11.hfile",  "tests/data/hfile/golden_hfiles/g08_crc32.hfile",
    };
    for (size_t i = 0; i < countof(files); i++) {
        random_damage(files[i], 1000 + i, false);
        random_damage(files[i], 2000 + i, true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block),        cmocka_unit_test(no_file_without),        cmocka_unit_test(sizes),
        cmocka_unit_test(block_in_a_value), cmocka_unit_test(damaged_files_of_hbase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
