/* Memory of a writer where cells are long, and its refusal of a block of them that would be too long. */
#include "base/outfile.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_writer.h"
#include "hfile/index_reader.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

enum { MB = 1 << 20 };

static char path[100];

static uint64_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

struct written {
    struct outfile *out;
    struct hfile_writer *w;
    struct err err;
};

static struct written begin(const struct hfile_write_opts *o) {
    struct written t = {0};
    unlink(path);
    t.out = outfile_create(path, NULL, &t.err);
    t.w = hfile_writer_open(o, t.out, &t.err);
    assert_non_null(t.w);
    return t;
}

static int put(struct written *t, const char *row, struct bytes value) {
    struct cell c = {.qualifier = bytes_str("q"), .value = value, .ts_ms = 5, .type = CELL_PUT};
    struct row_part p = {.row = bytes_str(row), .family = bytes_str("cf"), .cells = &c, .n_cells = 1, .first = true};
    return hfile_writer_put(t->w, &p, &t->err);
}

static int finish(struct written *t) {
    struct hfile_write_stats stats;
    char sum[17];
    return hfile_writer_finish(t->w, &stats, &t->err) || outfile_finish(t->out, sum, &t->err) ? -1 : 0;
}

static void end(struct written *t) {
    hfile_writer_close(t->w);
    outfile_close(t->out);
}

static size_t heap_bytes(void) {
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* Now and then a long value: its buffers are not kept, whatever job it fell to. */
static void long_values_are_not_kept(void **state) {
    (void)state;
    static uint8_t value[MB];
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof value; i++) value[i] = (uint8_t)next(&seed);
    for (unsigned batch = 2; batch <= 16; batch *= 2) {
        struct hfile_write_opts o = hfile_write_defaults();
        o.batch_blocks = batch;
        size_t before = heap_bytes(), most = 0;
        struct written t = begin(&o);
        for (int i = 0; i < 1000; i++) {
            char row[16];
            snprintf(row, sizeof row, "row%06d", i);
            bool huge = next(&seed) % 20 == 0;
            assert_int_equal(put(&t, row, bytes_of(value, huge ? sizeof value : next(&seed) % 60000)), 0);
            if (!huge && i % 4 == 0 && heap_bytes() - before > most) most = heap_bytes() - before;
        }
        assert_int_equal(finish(&t), 0);
        end(&t);
        /* A huge one may still be under way, as payload and compressed. */
        if (most > hfile_writer_memory(&o) + 2 * sizeof value + sizeof value / 2)
            fail_msg("batches of %u: %zu bytes in use, %zu promised", batch, most, hfile_writer_memory(&o));
    }
}

/* Rows of 30 KB, each in blocks of its own: the index of blocks has as many bytes as the cells, its upper levels a fifth of them.
 * Their keys are read back from the leaves, and the file is whole. */
static void long_keys_are_not_kept(void **state) {
    (void)state;
    enum { ROWS = 700, ROW_BYTES = 30000, COLUMNS = 3 };
    static char row[ROW_BYTES + 1];
    uint64_t seed = 5;
    struct hfile_write_opts o = hfile_write_defaults();
    o.block_bytes = 1024;
    o.codec = HFILE_NONE;
    size_t before = heap_bytes(), most = 0;
    struct written t = begin(&o);
    for (int i = 0; i < ROWS; i++) {
        snprintf(row, sizeof row, "%08d", i);
        for (size_t k = 8; k < ROW_BYTES; k++) row[k] = (char)('a' + next(&seed) % 26);
        for (int k = 0; k < COLUMNS; k++) {
            struct cell c = {.qualifier = bytes_of(&"abc"[k], 1), .ts_ms = 5, .type = CELL_PUT};
            struct row_part p = {.row = bytes_str(row), .family = bytes_str("cf"), .cells = &c, .n_cells = 1, .first = k == 0};
            assert_int_equal(hfile_writer_put(t.w, &p, &t.err), 0);
        }
        if (heap_bytes() - before > most) most = heap_bytes() - before;
    }
    assert_int_equal(finish(&t), 0);
    end(&t);
    if (most > hfile_writer_memory(&o) + MB) fail_msg("%zu bytes in use, %zu promised", most, hfile_writer_memory(&o));
    struct hfile *h = hfile_open(path, MB, &t.err);
    assert_non_null(h);
    assert_int_equal(hfile_index_walk(h, NULL, NULL, &t.err), 0);
    hfile_close(h);
}

/* 40 cells of 100 KB with one key make a block of 4 MB. */
static int put_one_key(struct written *t, struct bytes value) {
    int rc = put(t, "a", value);
    for (int i = 0; !rc && i < 40; i++) rc = put(t, "b", value);
    return rc;
}

static void one_key_needs_memory(void **state) {
    (void)state;
    static uint8_t value[100000];
    struct hfile_write_opts o = hfile_write_defaults();
    o.long_block_bytes = 8 * MB;
    struct written t = begin(&o);
    assert_int_equal(put_one_key(&t, bytes_of(value, 100)), 0);
    assert_int_equal(finish(&t), 0); /* short */
    end(&t);
    t = begin(&o);
    assert_int_equal(put_one_key(&t, bytes_of(value, sizeof value)), 0);
    assert_int_equal(put(&t, "c", bytes_of(value, sizeof value)), -1); /* all of them are counted first */
    assert_int_equal(t.err.code, ERR_LIMIT);
    assert_non_null(strstr(t.err.text, "row 62 qualifier 71 ts 5 type 4: its cells make one block of 4 MB"));
    assert_non_null(strstr(t.err.text, "this takes 9 MB, 8 MB are left"));
    end(&t);
    t = begin(&o);
    assert_int_equal(put_one_key(&t, bytes_of(value, sizeof value)), 0);
    assert_int_equal(finish(&t), -1); /* also where no other key follows */
    assert_int_equal(t.err.code, ERR_LIMIT);
    end(&t);
    o.long_block_bytes = 9 * MB; /* as much as it says */
    t = begin(&o);
    assert_int_equal(put_one_key(&t, bytes_of(value, sizeof value)), 0);
    assert_int_equal(finish(&t), 0);
    end(&t);
}

/* Tests that other keys do not need the memory: their block ends. */
static void other_keys_do_not(void **state) {
    (void)state;
    static uint8_t value[100000];
    struct hfile_write_opts o = hfile_write_defaults();
    o.long_block_bytes = MB;
    struct written t = begin(&o);
    for (int i = 0; i < 100; i++) {
        char row[16];
        snprintf(row, sizeof row, "row%03d", i);
        assert_int_equal(put(&t, row, bytes_of(value, sizeof value)), 0);
    }
    assert_int_equal(finish(&t), 0);
    end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_values_are_not_kept),
        cmocka_unit_test(long_keys_are_not_kept),
        cmocka_unit_test(one_key_needs_memory),
        cmocka_unit_test(other_keys_do_not),
    };
    snprintf(path, sizeof path, "/tmp/t_hfile_memory.%d", (int)getpid());
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return rc;
}
