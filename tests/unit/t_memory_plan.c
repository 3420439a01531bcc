/* How memory is shared out: every plan keeps within the total, and threads are given up before a run is. */
#include "flat_cells.h"

#include "hfile/hfile_writer.h"
#include "engine/memory_plan.h"

static const uint64_t MB = 1 << 20;

static bool make(uint64_t memory, unsigned threads, const struct hfile_write_opts *w, uint64_t max_cell, struct memory_plan *p,
                 struct err *err) {
    struct job job = {.memory_bytes = memory, .threads = threads, .max_cell_bytes = max_cell};
    memset(p, 0x55, sizeof *p);
    *err = (struct err){0};
    const struct memory_request request = {.job = &job, .writer = w};
    return memory_plan_make(&request, p, err) == 0;
}

/* Loading and writing are two phases; each must fit with what else is held in it. */
static void expect_within(const struct memory_plan *p, uint64_t memory, unsigned threads, const struct hfile_write_opts *given,
                          uint64_t max_cell) {
    struct hfile_write_opts w = *given;
    w.batch_blocks = p->batch_blocks;
    assert_in_range(p->threads, 1, threads);
    assert_in_range(p->batch_blocks, 1, 1024);
    assert_in_range(p->chunk_bytes, 64 * 1024, 16 * MB);
    assert_true(p->gather_bytes + p->threads * p->chunk_bytes * 2 + p->unpack_bytes <= memory);
    assert_true(p->gather_bytes + p->threads * hfile_writer_memory(&w) + p->unpack_bytes <= memory); /* written from memory */
    assert_true(p->threads * (p->merge_bytes + hfile_writer_memory(&w)) + p->unpack_bytes <= memory);
    assert_true(p->gather_bytes >= 8 * MB && p->merge_bytes >= 4 * MB);
    assert_true(p->threads * p->block_limit <= memory / 8);
    assert_true(p->block_limit >= max_cell);
}

static void test_within_the_total(void **state) {
    (void)state;
    uint64_t seed = 1;
    int made = 0;
    for (int i = 0; i < 4000; i++) {
        struct hfile_write_opts w = hfile_write_defaults();
        uint64_t memory = (64 + flat_below(&seed, i % 2 ? 200 : 8000)) * MB + flat_below(&seed, MB);
        unsigned threads = 1 + (unsigned)flat_below(&seed, 64);
        uint64_t max_cell = flat_below(&seed, 3) ? 0 : flat_below(&seed, 32 * MB);
        if (flat_below(&seed, 2)) w.block_bytes = 1024u << flat_below(&seed, 12);
        struct memory_plan p, again, more;
        struct err err;
        if (!make(memory, threads, &w, max_cell, &p, &err)) {
            assert_int_equal(err.code, ERR_LIMIT);
            continue;
        }
        made++;
        expect_within(&p, memory, threads, &w, max_cell);
        assert_true(make(memory, threads, &w, max_cell, &again, &err));
        assert_memory_equal(&p, &again, offsetof(struct memory_plan, unpack_bytes) + sizeof p.unpack_bytes);
        assert_true(make(memory, p.threads, &w, max_cell, &again, &err)); /* what is asked for and fits is given */
        assert_int_equal(again.threads, p.threads);
        if (p.threads < threads) { /* no thread is given up without need */
            assert_true(make(memory, p.threads + 1, &w, max_cell, &more, &err));
            assert_int_equal(more.threads, p.threads);
        }
    }
    assert_in_range(made, 3000, 4000);
}

static void test_floor(void **state) {
    (void)state;
    struct hfile_write_opts w = hfile_write_defaults();
    struct memory_plan p;
    struct err err;
    for (unsigned threads = 1; threads <= 8; threads++) {
        assert_true(make(MEMORY_FLOOR_BYTES, threads, &w, 0, &p, &err));
        expect_within(&p, MEMORY_FLOOR_BYTES, threads, &w, 0);
        assert_in_range(p.threads, threads < 4 ? threads : 4, threads);
    }
    assert_false(make(MEMORY_FLOOR_BYTES - 1, 1, &w, 0, &p, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_string_equal(err.text, "--memory 67108863 is below the minimum of 64M");
}

static void test_named_needs(void **state) {
    (void)state;
    struct hfile_write_opts w = hfile_write_defaults();
    struct memory_plan p;
    struct err err;
    assert_false(make(100 * MB, 8, &w, 20 * MB, &p, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_string_equal(err.text, "--set hbase.client.keyvalue.maxsize=20M needs --memory of at least 160M");
    assert_true(make(160 * MB, 8, &w, 20 * MB, &p, &err)); /* and that is enough */
    assert_int_equal(p.threads, 1);
    w.block_bytes = 64 * MB;
    assert_false(make(100 * MB, 8, &w, 0, &p, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_non_null(strstr(err.text, "--memory 100M is too small for writers of blocks of 64M, which need "));
}

/* Tests that the share of version rules comes out of the memory of a run, and leaves most of it. */
static void test_rules_have_a_share(void **state) {
    (void)state;
    struct hfile_write_opts w = hfile_write_defaults();
    struct memory_plan p, q;
    struct err err;
    for (uint64_t mb = 64; mb <= 64 * 1024; mb += 1 + mb / 50)
        for (unsigned threads = 1; threads <= 32; threads *= 2) {
            assert_true(make(mb * MB, threads, &w, 0, &p, &err));
            q = p;
            memory_plan_rules(&q, 2);
            size_t each = q.row_bytes;
            assert_in_range(each, 16 << 10, 32 * MB);
            assert_true(q.gather_bytes + 2 * each * p.threads <= p.gather_bytes && q.merge_bytes + 2 * each <= p.merge_bytes);
            assert_true(q.gather_bytes + 64 >= p.gather_bytes / 8 * 7 && q.merge_bytes >= p.merge_bytes / 4 * 3);
        }
}

static void test_more_memory_is_not_less(void **state) {
    (void)state;
    struct hfile_write_opts w = hfile_write_defaults();
    struct memory_plan before = {0}, p;
    struct err err;
    for (uint64_t mb = 64; mb <= 64 * 1024; mb += 1 + mb / 50) {
        assert_true(make(mb * MB, 4, &w, 0, &p, &err));
        if (before.threads) {
            assert_true(p.threads >= before.threads && p.chunk_bytes >= before.chunk_bytes);
            assert_true(p.batch_blocks >= before.batch_blocks && p.unpack_bytes >= before.unpack_bytes);
        }
        before = p;
    }
    assert_int_equal(p.threads, 4);
    assert_true(p.gather_bytes > 50 * 1024 * MB);
}

/* Every kind of run asks the same function: one that writes nothing, one that holds something itself, one with two sorters. */
static void test_kinds_of_runs(void **state) {
    (void)state;
    struct hfile_write_opts w = hfile_write_defaults();
    for (uint64_t mb = 128; mb <= 8192; mb += 1 + mb / 10)
        for (unsigned threads = 1; threads <= 16; threads *= 2) {
            const struct job job = {.memory_bytes = mb * MB, .threads = threads};
            const struct memory_request writes = {.job = &job, .writer = &w}, reads = {.job = &job},
                                        holds = {.job = &job, .own_bytes = mb * MB / 4}, two = {.job = &job, .sorters = 2};
            struct memory_plan p, q;
            struct err err = {0};
            assert_int_equal(memory_plan_make(&writes, &p, &err), 0);
            assert_int_equal(memory_plan_make(&reads, &q, &err), 0);
            assert_true(q.threads >= p.threads && q.merge_bytes * q.threads >= p.merge_bytes * p.threads);
            assert_int_equal(memory_plan_make(&holds, &p, &err), 0);
            assert_true(p.gather_bytes + mb * MB / 4 + p.threads * 2 * p.chunk_bytes <= mb * MB);
            assert_int_equal(memory_plan_make(&two, &p, &err), 0);
            assert_true(2 * p.gather_bytes <= mb * MB && 2 * p.threads * p.merge_bytes <= mb * MB);
        }
}

/* Tests that a reserve comes out of both phases; more than half is refused and takes nothing. */
static void test_reserve(void **state) {
    (void)state;
    struct memory_plan p = {.threads = 4, .gather_bytes = 100 * MB, .merge_bytes = 20 * MB}, q = p;
    assert_true(memory_plan_reserve(&q, 40 * MB));
    assert_int_equal(q.gather_bytes, 60 * MB);
    assert_int_equal(q.merge_bytes, 10 * MB);
    q = p;
    assert_false(memory_plan_reserve(&q, 51 * MB));
    assert_int_equal(q.gather_bytes, p.gather_bytes);
    const struct job job = {.memory_bytes = 64 * MB, .threads = 8};
    assert_int_equal(memory_plan_workers(&job, 4 * MB, 12 * MB), 4);
    assert_int_equal(memory_plan_workers(&job, 0, 100 * MB), 1);
    assert_int_equal(memory_plan_workers(&job, 0, MB), 8);
}

/* Readers of blocks up to the least limit leave room for the program, and one is always let in. */
static void test_readers(void **state) {
    (void)state;
    for (uint64_t mb = 16; mb <= 2048; mb += 16)
        for (unsigned threads = 1; threads <= 256; threads *= 2) {
            const struct job job = {.memory_bytes = mb * MB, .threads = threads, .resident_bytes = mb * MB / 4};
            unsigned n = job_readers(&job);
            assert_in_range(n, 1, threads);
            if (n > 1) assert_true(n * 4 * (MB + MB / 8) <= job.memory_bytes - job.resident_bytes - 12 * MB);
        }
    const struct job floor = {.memory_bytes = MEMORY_FLOOR_BYTES, .threads = 8};
    assert_int_equal(job_readers(&floor), 8);
}

/* Holders beside the plan: each has the part that docs/design.md names; what one program holds at a time leaves room to sort. */
static void test_shares(void **state) {
    (void)state;
    static const uint64_t parts[MEMORY_SHARES] = {2, 10, 32, 16, 16, 64, 16, 16, 8, 8, 16, 32};
    static const enum memory_share held[][2] = {{MEMORY_CLUSTER, MEMORY_KEY_SAMPLE},
                                                {MEMORY_WRITE_COUNTS, MEMORY_SHARES},
                                                {MEMORY_SKEW_FIGURES, MEMORY_MOB},
                                                {MEMORY_DIFF_BUCKETS, MEMORY_MOB},
                                                {MEMORY_UNPACK, MEMORY_MOB}};
    for (uint64_t mb = 64; mb <= 64 * 1024; mb += 1 + mb / 7) {
        const struct job job = {.memory_bytes = mb * MB + mb, .threads = 1};
        for (enum memory_share s = 0; s < MEMORY_SHARES; s++)
            assert_int_equal(memory_share(&job, s), job.memory_bytes / parts[s]);
        for (size_t i = 0; i < countof(held); i++) {
            struct memory_request r = {.job = &job};
            struct memory_plan p;
            struct err err = {0};
            for (int k = 0; k < 2; k++) r.own_bytes += held[i][k] < MEMORY_SHARES ? memory_share(&job, held[i][k]) : 0;
            assert_int_equal(memory_plan_make(&r, &p, &err), 0);
            assert_true(r.own_bytes + p.gather_bytes + p.unpack_bytes + 2 * p.chunk_bytes <= job.memory_bytes);
            assert_int_equal(memory_plan_facts(&p), p.gather_bytes / 8);
        }
    }
}

static void test_describers(void **state) {
    (void)state;
    static const struct {
        uint64_t mb;
        unsigned threads, want;
    } cases[] = {{1, 8, 1}, {16, 8, 1}, {31, 8, 1}, {32, 8, 2}, {64, 8, 4}, {1024, 8, 8}, {1024, 64, 64}, {1024, 65, 64}};
    for (size_t i = 0; i < countof(cases); i++) {
        const struct job job = {.memory_bytes = cases[i].mb * MB, .threads = cases[i].threads};
        assert_int_equal(memory_plan_describers(&job), cases[i].want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_within_the_total),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_named_needs),
        cmocka_unit_test(test_rules_have_a_share),
        cmocka_unit_test(test_more_memory_is_not_less),
        cmocka_unit_test(test_kinds_of_runs),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_describers),
    };
    return cmocka_run_group_tests_name("memory_plan", tests, NULL, NULL);
}
