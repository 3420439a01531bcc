/* A partition written out of slices side by side has the same files, byte for byte, as one written out of one source: wherever
 * the slices are cut, however small the batches, with equal keys, delete markers, tags, moments of expiry, files that end within
 * a batch, and every kind of bloom filter. */
#include "base/fs.h"
#include "engine/partition_writer.h"
#include "engine/slices.h"
#include "tests/unit/random_cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>

#include <cmocka.h>

static const struct output_slot slot = {.family_name = "cf", .partition_name = "p0"};

/* Parts of [i, end), each with a moment at times. */
struct cut {
    struct source base;
    const struct random_cells *r;
    size_t i, end, first;
    int64_t moment;
    bool fails;
    size_t limit; /* a cell for which there is too little memory; SIZE_MAX: none */
};

static int cut_next(struct source *base, struct row_part *part, struct err *err) {
    struct cut *c = (struct cut *)base;
    size_t n = 1;
    if (c->i >= c->limit) return err_set(err, ERR_LIMIT, "a row with many markers");
    if (c->i == c->end) return c->fails ? err_set(err, ERR_INPUT, "a slice that fails") : 0;
    while (n < 7 && c->i + n < c->end && bytes_eq(c->r->c[c->i + n].row, c->r->c[c->i].row)) n++;
    *part =
        (struct row_part){.row = c->r->c[c->i].row, .family = c->r->family, .cells = &c->r->cells[c->i], .n_cells = (uint32_t)n};
    part->first = c->i == c->first || !bytes_eq(c->r->c[c->i - 1].row, part->row);
    if (c->i % 3 == 0) c->moment = 1000000 - (int64_t)((c->i * 7919) % 100000);
    c->i += n;
    return 1;
}

static void cut_close(struct source *base) {
    free(base);
}

static const struct source_ops cut_ops = {cut_next, cut_close};

static struct cut *cut_new(const struct random_cells *r, size_t from, size_t to) {
    struct cut *c = calloc(1, sizeof *c);
    if (!c) exit(99);
    *c = (struct cut){
        .base = {.ops = &cut_ops}, .r = r, .i = from, .end = to, .first = from, .moment = INT64_MAX, .limit = SIZE_MAX};
    return c;
}

struct plan {
    const struct random_cells *r;
    size_t at[64], n; /* slice i: [at[i], at[i + 1]) */
    size_t fails;     /* the slice that does; n: none */
    size_t closed;
    bool limited; /* every third slice is too large if it is not read alone */
    size_t alone;
};

static struct source *slice_open(void *arg, size_t i, bool alone, struct slice *s, struct err *err) {
    struct plan *p = arg;
    (void)err;
    struct cut *c = cut_new(p->r, p->at[i], p->at[i + 1]);
    c->fails = i == p->fails;
    if (alone) p->alone++;
    if (!alone && p->limited && i % 3 == 0) c->limit = p->at[i] + (p->at[i + 1] - p->at[i]) * (i % 4) / 3;
    s->next_drop_ms = &c->moment;
    return &c->base;
}

static void slice_ended(void *arg, const struct slice *s) {
    (void)s;
    ((struct plan *)arg)->closed++;
}

/* Cuts at random row boundaries; slices may be empty. */
static struct plan plan_make(const struct random_cells *r, uint64_t seed) {
    struct plan p = {.r = r, .n = 1 + random_next(&seed) % 40};
    for (size_t i = 1; i < p.n; i++) {
        size_t at = r->n * i / p.n;
        while (at > p.at[i - 1] && at < r->n && bytes_eq(r->c[at - 1].row, r->c[at].row)) at--;
        p.at[i] = at > p.at[i - 1] ? at : p.at[i - 1];
    }
    p.at[p.n] = r->n;
    p.fails = p.n;
    return p;
}

static struct output_opts output_at(const char *dir, const struct hfile_write_opts *h, uint64_t target) {
    char family[200];
    struct output_opts o = {.dir = dir, .hfile = *h, .batch_blocks = 3, .target_file_bytes = target, .rules_hash = "0123"};
    snprintf(family, sizeof family, "%s/cf", dir);
    mkdir(dir, 0777);
    mkdir(family, 0777);
    return o;
}

/* Names and bytes of the files; removes them. */
static uint64_t sum_files(const char *dir, uint32_t n) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        char path[300], hex[17];
        struct err err = {0};
        snprintf(path, sizeof path, "%s/cf/p00000-%03u.hfile", dir, i);
        assert_int_equal(file_sum_of(path, hex, &err), 0);
        sum = sum * 31 + strtoull(hex, NULL, 16);
        unlink(path);
    }
    return sum;
}

static uint32_t write_files(const struct output_opts *o, struct plan *p, const struct sliced_source *slices, struct err *err) {
    struct written_files files;
    struct tally written = {0};
    written_files_init(&files);
    struct partition_writer *w = partition_writer_open(o, &slot, 0, &files, &written, err);
    assert_non_null(w);
    int rc;
    if (slices) {
        rc = partition_writer_put_slices(w, slices, err);
    } else {
        struct cut *c = cut_new(p->r, 0, p->r->n);
        rc = partition_writer_put(w, &c->base, &c->moment, err);
        cut_close(&c->base);
    }
    if (!rc) rc = partition_writer_finish(w, err);
    uint32_t n = partition_writer_close(w);
    if (!rc) assert_int_equal(written.cells, p->r->n);
    written_files_free(&files);
    assert_int_equal(rc ? -1 : 0, err->code ? -1 : 0);
    return n;
}

static void check_same(const struct hfile_write_opts *h, const struct random_shape *shape, uint64_t target, uint64_t seed,
                       bool limited) {
    char dir[100];
    struct err err = {0};
    struct random_cells r = random_cells_make(shape, seed);
    struct plan p = plan_make(&r, seed);
    p.limited = limited;
    snprintf(dir, sizeof dir, "/tmp/t_slices.%d", (int)getpid());
    struct output_opts o = output_at(dir, h, target);
    uint32_t n = write_files(&o, &p, NULL, &err);
    uint64_t want = sum_files(dir, n);
    for (unsigned at_once = 1; at_once < 6; at_once += 2) {
        const struct sliced_source slices = {.n = p.n,
                                             .at_once = at_once,
                                             .batch_bytes = 1 + random_next(&seed) % 3000,
                                             .retries = true,
                                             .open_at = slice_open,
                                             .ended = slice_ended,
                                             .arg = &p};
        p.closed = p.alone = 0;
        uint32_t m = 0;
        /* master, not single: libgomp's table of depend clauses is freed by the thread whose tasks have them, behind the last
         * barrier; where that is another thread, the next region may forget the table before: a leak of 136 bytes to ASan. */
#pragma omp parallel num_threads(3)
#pragma omp master
        m = write_files(&o, &p, &slices, &err);
        if (err.code) fail_msg("%s", err.text);
        assert_int_equal(m, n);
        assert_int_equal(p.closed, p.n);
        assert_int_equal(p.alone, limited ? (p.n + 2) / 3 : 0);
        if (sum_files(dir, m) != want) fail_msg("seed %llu, %u at once: other bytes", (unsigned long long)seed, at_once);
    }
    random_cells_free(&r);
}

static void same_bytes(void **state) {
    (void)state;
    static const enum hfile_encoding encodings[] = {HFILE_ENC_NONE, HFILE_ENC_FAST_DIFF, HFILE_ENC_ROW_INDEX_V1};
    for (uint64_t seed = 1; seed <= 36; seed++) {
        struct hfile_write_opts h = random_opts(seed % 2 ? HFILE_SNAPPY : HFILE_NONE, seed % 5 ? 512 : 4096, seed % 3, seed % 4);
        const struct random_shape shape = {.cells = 400 + 40 * seed,
                                           .rows = seed % 4 ? 150 : 3,
                                           .value_max = 60,
                                           .tags = h.tags,
                                           .seqs = h.mvcc,
                                           .deletes = seed % 2};
        h.seqs = seed % 5 != 1;
        h.encoding = encodings[seed % 3];
        h.bloom = (enum hfile_bloom)(seed % 4);
        h.bloom_prefix = 2;
        h.bloom_chunk_bytes = 256;
        for (unsigned limited = 0; limited < 2; limited++) check_same(&h, &shape, seed % 2 ? 5000 : UINT64_MAX, seed, limited);
    }
}

/* The first slice in order that fails ends it; all that were begun are closed. */
static void one_fails(void **state) {
    (void)state;
    char dir[100];
    struct err err = {0};
    struct hfile_write_opts h = random_opts(HFILE_SNAPPY, 1024, true, true);
    const struct random_shape shape = {.cells = 2000, .rows = 300, .value_max = 40};
    struct random_cells r = random_cells_make(&shape, 5);
    struct plan p = plan_make(&r, 7);
    p.fails = p.n / 2;
    snprintf(dir, sizeof dir, "/tmp/t_slices.%d", (int)getpid());
    struct output_opts o = output_at(dir, &h, UINT64_MAX);
    const struct sliced_source slices = {
        .n = p.n, .at_once = 4, .batch_bytes = 500, .open_at = slice_open, .ended = slice_ended, .arg = &p};
#pragma omp parallel num_threads(2)
#pragma omp master
    write_files(&o, &p, &slices, &err);
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, "a slice that fails"));
    assert_true(p.closed > p.fails);
    random_cells_free(&r);
}

static int remove_directory(void **state) {
    char dir[120];
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/t_slices.%d/cf", (int)getpid());
    rmdir(dir);
    dir[strlen(dir) - 3] = 0;
    return rmdir(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bytes), cmocka_unit_test(one_fails)};
    return cmocka_run_group_tests(tests, NULL, remove_directory);
}
