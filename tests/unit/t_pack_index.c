/* The index of a pack: what was put comes back, from its text and from a file, entries are found by partition, and no bit of it
 * can change unseen. */
#include "flat_cells.h"

#include "hfile/hfile.h"
#include "hfile/pack_index.h"

#include <stdio.h>

enum { ENTRIES = 40, INDEX_AT = 1000 * ENTRIES };

/* Every second partition, some with two files; not in order. */
static void make_entries(struct pack_entry *e, char rows[ENTRIES][2][16]) {
    for (uint32_t i = 0; i < ENTRIES; i++) {
        const uint32_t k = (i * 7) % ENTRIES;
        snprintf(rows[i][0], sizeof rows[i][0], "row%u", k);
        snprintf(rows[i][1], sizeof rows[i][1], "row%u+", k);
        e[i] = (struct pack_entry){.partition = k / 2 * 2 + 1,
                                   .number = k % 2,
                                   .offset = 1000 * (uint64_t)i,
                                   .bytes = 1000,
                                   .kv_bytes = 900 + k,
                                   .checksum = UINT64_MAX - k,
                                   .tally = {k + 1, {k, ~(uint64_t)k}},
                                   .ts_min = -(int64_t)k,
                                   .ts_max = INT64_MAX - k,
                                   .first_row = bytes_str(rows[i][0]),
                                   .last_row = bytes_str(rows[i][1])};
    }
}

static void expect_entry(struct pack_index *x, uint64_t i, const struct pack_entry *want) {
    struct err err = {0};
    struct pack_entry got;
    assert_int_equal(pack_index_get(x, i, &got, &err), 0);
    assert_int_equal(got.partition, want->partition);
    assert_int_equal(got.number, want->number);
    assert_true(got.offset == want->offset && got.bytes == want->bytes && got.kv_bytes == want->kv_bytes);
    assert_true(got.checksum == want->checksum && got.tally.cells == want->tally.cells);
    assert_true(digest_eq(got.tally.digest, want->tally.digest) && got.ts_min == want->ts_min && got.ts_max == want->ts_max);
    assert_true(bytes_eq(got.first_row, want->first_row) && bytes_eq(got.last_row, want->last_row));
}

/* The text as a file, behind INDEX_AT bytes that nobody reads. */
static ssize_t read_text(void *arg, void *p, size_t n, uint64_t offset) {
    const struct buf *text = arg;
    assert_true(offset >= INDEX_AT && offset + n <= INDEX_AT + text->n);
    memcpy(p, text->p + offset - INDEX_AT, n);
    return (ssize_t)n;
}

static void make_index(struct buf *text, struct pack_entry *e, char rows[ENTRIES][2][16], struct pack_made *made) {
    struct err err = {0};
    make_entries(e, rows);
    assert_int_equal(pack_index_put(text, e, ENTRIES, INDEX_AT, made, &err), 0);
    assert_true(made->file_bytes == INDEX_AT + text->n && made->files == ENTRIES && made->data_bytes == INDEX_AT);
    assert_true(made->tally.cells == ENTRIES * (ENTRIES + 1) / 2);
}

static void test_round_trip(void **state) {
    (void)state;
    struct buf text = {0};
    struct pack_entry e[ENTRIES];
    char rows[ENTRIES][2][16];
    struct pack_made made = {0};
    struct pack_index from_text, from_file;
    struct err err = {0};
    make_index(&text, e, rows, &made);
    struct hfile_bytes file = {.pread = read_text, .arg = &text, .size = made.file_bytes};
    assert_int_equal(pack_index_of_text(&from_text, "p", buf_bytes(&text), INDEX_AT, &err), 0);
    assert_int_equal(pack_index_of_file(&from_file, "p", &file, INDEX_AT, &err), 0);
    assert_true(from_text.sum == made.index_sum && from_file.sum == made.index_sum);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        assert_int_equal(e[i].partition, i / 2 * 2 + 1); /* sorted now */
        assert_int_equal(e[i].number, i % 2);
        expect_entry(&from_text, i, &e[i]);
        expect_entry(&from_file, i, &e[i]);
    }
    for (uint32_t partition = 0; partition < ENTRIES + 9; partition++) {
        uint64_t at, want = partition / 2 * 2 < ENTRIES ? partition / 2 * 2 : ENTRIES;
        assert_int_equal(pack_index_find(&from_file, partition, &at, &err), 0);
        assert_true(at == want);
    }
    pack_index_close(&from_text);
    pack_index_close(&from_file);
    buf_free(&text);
}

/* Flips each bit of the index: found in its text at once, in a file by who reads all entries. */
static void test_each_bit(void **state) {
    (void)state;
    struct buf text = {0};
    struct pack_entry e[ENTRIES], got;
    char rows[ENTRIES][2][16];
    struct pack_made made = {0};
    struct pack_index x;
    make_index(&text, e, rows, &made);
    for (size_t bit = 0; bit < text.n * 8; bit++) {
        struct err err = {0}, why = {0};
        struct hfile_bytes file = {.pread = read_text, .arg = &text, .size = made.file_bytes};
        text.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(pack_index_of_text(&x, "p", buf_bytes(&text), INDEX_AT, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        pack_index_close(&x);
        int rc = pack_index_of_file(&x, "p", &file, INDEX_AT, &why);
        if (!rc && x.sum != made.index_sum) rc = -1;
        for (uint64_t i = 0; !rc && i < x.files; i++) rc = pack_index_get(&x, i, &got, &why);
        assert_int_equal(rc, -1);
        pack_index_close(&x);
        text.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t n = 0; n < text.n; n++) {
        struct err err = {0};
        assert_int_equal(pack_index_of_text(&x, "p", bytes_of(text.p, n), INDEX_AT, &err), -1);
        pack_index_close(&x);
    }
    buf_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_each_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
