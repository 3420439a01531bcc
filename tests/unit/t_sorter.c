/* The sorter with so little memory that it spills in many rounds and merges in extra passes: the result is that of sorting
 * everything at once. */
#include "engine/slices.h"
#include "engine/sorter_gather.h"
#include "engine/sorter_runs.h"
#include "flat_cells.h"

#include "engine/slice_points.h"
#include "sort/sorted.h"
#include "engine/sorter.h"

#include <unistd.h>

enum { BUCKETS = 6 };

struct fixture {
    struct flat_pool pool;
    struct shape_set shapes;
    struct part_maker m;
    struct flat_cells want[BUCKETS], got[BUCKETS];
    struct flat_pool got_pool[BUCKETS];
    char dir[40];
    struct stop stop;
    struct disk_quota quota;
    struct job job;
    struct sorter *s;
    uint64_t bytes[BUCKETS];
    int visited[BUCKETS];
    bool splits; /* buckets are read in slices where they can be */
    size_t slices[BUCKETS];
    uint64_t apart[BUCKETS];
};

static void begin(struct fixture *f, uint64_t seed, enum tie_rule tie) {
    *f = (struct fixture){.dir = "/tmp/t_sorter.XXXXXX", .stop.fd = -1};
    f->m = (struct part_maker){.seed = seed,
                               .pool = &f->pool,
                               .shapes = &f->shapes,
                               .family = bytes_str("f"),
                               .tie = tie,
                               .inputs = 3,
                               .value_max = 30,
                               .explicit_percent = 25,
                               .cells_max = 6};
    maker_add_shapes(&f->m, true);
    assert_non_null(mkdtemp(f->dir));
    f->job = (struct job){.stop = &f->stop, .temp_dir = f->dir, .quota = &f->quota};
    for (int b = 0; b < BUCKETS; b++) {
        f->want[b].pool = &f->pool;
        f->got[b].pool = &f->got_pool[b];
    }
}

static void open_sorter(struct fixture *f, unsigned threads, size_t gather_bytes, size_t merge_bytes) {
    struct err err = {0};
    struct sorter_opts o = {.job = &f->job,
                            .plan = {.threads = threads, .gather_bytes = gather_bytes, .merge_bytes = merge_bytes},
                            .buckets = BUCKETS,
                            .shapes = &f->shapes,
                            .tie = f->m.tie};
    f->s = sorter_new(&o, &err);
    assert_string_equal(err.text, "");
    assert_non_null(f->s);
}

static void end(struct fixture *f) {
    sorter_free(f->s);
    assert_int_equal(f->quota.used_bytes, 0);
    assert_int_equal(rmdir(f->dir), 0);
    for (int b = 0; b < BUCKETS; b++) {
        flat_free(&f->want[b]);
        flat_free(&f->got[b]);
        flat_pool_free(&f->got_pool[b]);
    }
    flat_pool_free(&f->pool);
    shape_set_free(&f->shapes);
}

static void put_part(struct fixture *f, struct bytes row, bool spill) {
    struct err err = {0};
    struct row_part p = maker_part(&f->m, row);
    uint32_t bucket = flat_below(&f->m.seed, 2) ? 0 : (uint32_t)flat_below(&f->m.seed, BUCKETS - 1);
    flat_add(&f->want[bucket], &p);
    if (spill && sorter_full(f->s)) assert_int_equal(sorter_spill(f->s, &err), 0);
    assert_int_equal(sorter_put(f->s, (unsigned)flat_below(&f->m.seed, sorter_threads(f->s)), bucket, &p, &err), 0);
}

/* Bucket 5 gets nothing, bucket 0 half of all. */
static void put_all(struct fixture *f, size_t records, size_t row_max, bool spill) {
    struct err err = {0};
    for (size_t i = 0; i < records; i++) put_part(f, maker_word(&f->m, row_max), spill);
    assert_int_equal(sorter_finish(f->s, &err), 0);
    assert_string_equal(err.text, "");
}

static int take_all(struct fixture *f, uint32_t bucket, struct source *src, struct err *err) {
    struct row_part p;
    int more;
    if (!src) return -1;
    while ((more = source_next(src, &p, err)) == 1) flat_add(&f->got[bucket], &p);
    source_close(src);
    return more;
}

/* All slices are open at once, as tasks have them. */
static int collect_slices(struct fixture *f, uint32_t bucket, struct err *err) {
    size_t n = sorter_points(f->s, bucket, NULL);
    struct slice_point *points = calloc(n + 1, sizeof *points);
    struct source **src = calloc(n + 1, sizeof(struct source *));
    int rc = points && src ? 0 : -1;
    if (!rc) sorter_points(f->s, bucket, points);
    n = rc ? 0 : slice_points_choose(points, n, 200000, NULL);
    for (size_t i = 0; !rc && i <= n; i++) {
        struct row_span span = {0};
        slice_points_narrow(points, n, i, &span);
        src[i] = sorter_open_rows(f->s, bucket, &span, f->m.family, err);
    }
    for (size_t i = 0; !rc && i <= n; i++) rc = take_all(f, bucket, src[i], err);
    f->slices[bucket] = n + 1;
    free(points);
    free(src);
    return rc;
}

/* Runs on any thread: assertions of cmocka belong to the main one, so it only collects. */
static int collect(void *arg, uint32_t bucket, struct err *err) {
    struct fixture *f = arg;
    struct run_split split = {0};
    int more = f->splits && sorter_can_split(f->s, bucket, &split)
                   ? collect_slices(f, bucket, err)
                   : take_all(f, bucket, sorter_open(f->s, bucket, f->m.family, err), err);
    sorter_release(f->s, bucket);
    f->apart[bucket] = split.apart;
    f->bytes[bucket] = sorter_bytes(f->s, bucket);
    f->visited[bucket]++;
    return more;
}

static void expect_all(struct fixture *f) {
    struct err err = {0};
    assert_int_equal(sorter_each(f->s, collect, f, &err), 0);
    assert_string_equal(err.text, "");
    for (int b = 0; b < BUCKETS; b++) {
        flat_sort(&f->want[b], f->m.tie);
        flat_expect_equal(&f->got[b], &f->want[b]);
        assert_int_equal(f->visited[b], f->want[b].n > 0); /* each once, empty ones not at all */
        assert_int_equal(sorter_bytes(f->s, (uint32_t)b) > 0, f->want[b].n > 0);
    }
}

static void test_in_memory(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct fixture f;
        begin(&f, threads, TIE_BY_INPUT);
        open_sorter(&f, threads, 16 << 20, 1 << 20);
        put_all(&f, 3000, 6, true);
        expect_all(&f);
        struct sorter_stats st = sorter_stats(f.s);
        assert_true(st.rounds == 0 && st.spilled_bytes == 0 && st.merge_passes == 0);
        end(&f);
    }
}

static void spilled(uint64_t seed, unsigned threads, size_t gather, size_t merge, size_t row_max, uint32_t least_rounds,
                    bool more_passes) {
    struct fixture f;
    begin(&f, seed, seed % 2 ? TIE_BY_INPUT : TIE_BY_SEQUENCE);
    open_sorter(&f, threads, gather, merge);
    put_all(&f, 12000, row_max, true);
    expect_all(&f);
    struct sorter_stats st = sorter_stats(f.s);
    assert_in_range(st.rounds, least_rounds, 1000);
    assert_int_equal(st.merge_passes > 0, more_passes);
    assert_true(st.spilled_bytes > 100000);
    assert_true(f.quota.peak_bytes > 0 && f.quota.peak_bytes <= st.spilled_bytes);
    end(&f);
}

static void test_spilled(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        spilled(10 + threads, threads, 600000, 64 << 20, 6, 3, false); /* wide merges */
        spilled(20 + threads, threads, 100000, 1, 6, 15, true);        /* two runs at a time, the least there is */
        spilled(30 + threads, threads, 100000, 500000, 2, 15, true);   /* few rows: all runs hold all of them */
    }
}

/* The large bucket is cut at points of its runs; rows have records in several of them. */
static void test_split(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct fixture f;
        begin(&f, 90 + threads, threads % 2 ? TIE_BY_INPUT : TIE_BY_SEQUENCE);
        open_sorter(&f, threads, 4 << 20, 64 << 20);
        f.splits = true;
        put_all(&f, 60000, 4, true);
        expect_all(&f);
        assert_in_range(sorter_stats(f.s).rounds, 2, 100);
        if (threads > 1)
            assert_in_range(f.slices[0], 5, 1000);
        else
            assert_int_equal(f.slices[0], 0); /* one thread needs no slices */
        end(&f);
    }
}

/* Tests that with little memory for points there are fewer of them, but of all runs. */
static void test_split_with_few_points(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    uint8_t row[RUN_POINT_ROW_BYTES] = {0};
    begin(&f, 95, TIE_BY_SEQUENCE);
    open_sorter(&f, 2, 2 << 20, 64 << 20);
    f.splits = true;
    for (size_t i = 0; i < 12000; i++) {
        put_be32(row + sizeof row - 4, (uint32_t)flat_below(&f.m.seed, 5000));
        put_part(&f, flat_copy(&f.pool, bytes_of(row, sizeof row)), true);
    }
    assert_int_equal(sorter_finish(f.s, &err), 0);
    expect_all(&f);
    assert_in_range(sorter_stats(f.s).rounds, 5, 1000);
    assert_true(f.apart[0] > 200000);
    assert_in_range(f.slices[0], 5, 1000);
    end(&f);
}

/* Tests a spill on request: what is gathered when nothing more comes need not reach the limit. */
static void test_spill_by_hand(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f, 40, TIE_BY_SEQUENCE);
    open_sorter(&f, 2, 16 << 20, 1 << 20);
    for (int round = 0; round < 5; round++) {
        if (round % 2) assert_int_equal(sorter_spill(f.s, &err), 0); /* also one with nothing gathered: round 5 */
        for (int i = 0; i < 100; i++) {
            struct row_part p = maker_part(&f.m, maker_word(&f.m, 3));
            flat_add(&f.want[1], &p);
            assert_int_equal(sorter_put(f.s, 1, 1, &p, &err), 0);
        }
    }
    assert_int_equal(sorter_spill(f.s, &err), 0);
    assert_int_equal(sorter_spill(f.s, &err), 0);
    assert_int_equal(sorter_finish(f.s, &err), 0);
    expect_all(&f);
    end(&f);
}

/* Memory for one thread only: the sorter takes fewer instead of failing. */
static void test_fewer_threads(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 50, TIE_BY_INPUT);
    open_sorter(&f, 16, 2 * BUCKETS * 1024 * 3, 1 << 20);
    assert_int_equal(sorter_threads(f.s), 3);
    put_all(&f, 2000, 6, true);
    expect_all(&f);
    end(&f);
}

static void test_too_little_memory(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f, 51, TIE_BY_INPUT);
    struct sorter_opts o = {.job = &f.job, .plan = {.threads = 4, .gather_bytes = 5000}, .buckets = BUCKETS, .shapes = &f.shapes};
    assert_null(sorter_new(&o, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_non_null(strstr(err.text, "6 partitions x families with 1 threads need"));
    end(&f);
}

static void test_disk_limit(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f, 60, TIE_BY_INPUT);
    f.quota.limit_bytes = 50000;
    open_sorter(&f, 2, 1 << 20, 1 << 20);
    for (int i = 0; i < 3000; i++) {
        struct row_part p = maker_part(&f.m, maker_word(&f.m, 6));
        assert_int_equal(sorter_put(f.s, 0, 0, &p, &err), 0);
    }
    assert_int_equal(sorter_spill(f.s, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_non_null(strstr(err.text, "--disk-limit"));
    end(&f);
}

static void test_no_temp_dir(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f, 61, TIE_BY_INPUT);
    f.job.temp_dir = "/nonexistent/directory";
    open_sorter(&f, 2, 1 << 20, 1 << 20);
    struct row_part p = maker_part(&f.m, bytes_str("r"));
    assert_int_equal(sorter_put(f.s, 0, 0, &p, &err), 0);
    assert_int_equal(sorter_spill(f.s, &err), -1);
    assert_int_equal(err.code, ERR_OUTPUT);
    end(&f);
}

static int fail_second(void *arg, uint32_t bucket, struct err *err) {
    int *calls = arg, n;
#pragma omp atomic capture
    n = ++*calls;
    return n == 2 ? err_set(err, ERR_INTERNAL, "bucket %u fails", bucket) : 0;
}

static void test_task_fails(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    int calls = 0;
    begin(&f, 70, TIE_BY_INPUT);
    open_sorter(&f, 1, 16 << 20, 1 << 20);
    put_all(&f, 500, 6, true);
    assert_int_equal(sorter_each(f.s, fail_second, &calls, &err), -1);
    assert_int_equal(calls, 2); /* the rest is not begun */
    assert_int_equal(err.code, ERR_INTERNAL);
    assert_non_null(strstr(err.text, " fails"));
    end(&f);
}

static void test_stop_request(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    int wake[2], calls = 0;
    begin(&f, 71, TIE_BY_INPUT);
    assert_int_equal(pipe(wake), 0);
    f.stop.fd = wake[0];
    open_sorter(&f, 2, 16 << 20, 1 << 20);
    put_all(&f, 500, 6, false);
    assert_int_equal(write(wake[1], "x", 1), 1);
    assert_int_equal(sorter_each(f.s, fail_second, &calls, &err), -1);
    assert_int_equal(err.code, ERR_STOPPED);
    assert_int_equal(calls, 0);
    close(wake[0]);
    close(wake[1]);
    end(&f);
}

struct order {
    struct fixture *f;
    uint32_t seen[BUCKETS];
    int n;
};

static int note_order(void *arg, uint32_t bucket, struct err *err) {
    struct order *o = arg;
    (void)err;
    o->seen[o->n++] = bucket;
    return 0;
}

static void test_largest_first(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f, 80, TIE_BY_INPUT);
    open_sorter(&f, 1, 16 << 20, 1 << 20);
    put_all(&f, 5000, 6, true);
    struct order o = {.f = &f};
    assert_int_equal(sorter_each(f.s, note_order, &o, &err), 0);
    assert_int_equal(o.n, BUCKETS - 1);
    for (int i = 1; i < o.n; i++) assert_true(sorter_bytes(f.s, o.seen[i - 1]) >= sorter_bytes(f.s, o.seen[i]));
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_memory),
        cmocka_unit_test(test_spilled),
        cmocka_unit_test(test_spill_by_hand),
        cmocka_unit_test(test_fewer_threads),
        cmocka_unit_test(test_too_little_memory),
        cmocka_unit_test(test_disk_limit),
        cmocka_unit_test(test_no_temp_dir),
        cmocka_unit_test(test_task_fails),
        cmocka_unit_test(test_stop_request),
        cmocka_unit_test(test_largest_first),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_split_with_few_points),
    };
    return cmocka_run_group_tests_name("sorter", tests, NULL, NULL);
}
