/* Which files of an input a stretch of rows reads: those that have rows in it, and no others. A slice of a night that opened all
 * files of the base, to find nothing in most of them, would still write the right cells, but cost more than a full compaction. */
#include "base/bytes.h"
#include "engine/partition_merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { FILES = 6 };

/* The first file has the rows from "a1" to "a8", the second one those from "b1" to "b8", and so on. */
struct scene {
    char rows[FILES][2][3];
    struct manifest_file entries[FILES];
    struct manifest manifest;
    struct input files[FILES];
    struct merge_input input;
    struct merge_datasets_opts o;
    struct dataset_merge all;
    struct input *picked[FILES], **inputs[1];
    size_t n_files[1];
    struct base_file base[FILES];
    struct partition_merge s;
};

static struct buf row_buf(char row[3], char file, char n) {
    row[0] = file;
    row[1] = n;
    return (struct buf){.p = (uint8_t *)row, .n = 2};
}

static void scene_make(struct scene *c, bool is_base) {
    *c = (struct scene){0};
    for (size_t k = 0; k < FILES; k++) {
        c->entries[k].first_row = row_buf(c->rows[k][0], (char)('a' + k), '1');
        c->entries[k].last_row = row_buf(c->rows[k][1], (char)('a' + k), '8');
        c->picked[k] = &c->files[k];
    }
    c->manifest.files = c->entries;
    c->manifest.n_files = c->n_files[0] = FILES;
    c->input = (struct merge_input){&c->manifest, c->files};
    c->o.inputs = &c->input;
    c->o.n_inputs = 1;
    c->all.o = &c->o;
    c->inputs[0] = c->picked;
    c->s = (struct partition_merge){.all = &c->all, .files = c->inputs, .n_files = c->n_files, .base = is_base ? c->base : NULL};
}

static struct bytes row_or_open(const char *row) {
    return row ? bytes_str(row) : (struct bytes){0};
}

/* start and stop: NULL is open. */
static void check_within(bool is_base, size_t from, size_t to, const char *start, const char *stop, size_t first, size_t n) {
    struct scene c;
    scene_make(&c, is_base);
    const struct row_stretch t = {.span = {row_or_open(start), row_or_open(stop)}, .first = from, .end = to};
    size_t got_first = SIZE_MAX, got = partition_merge_within(&c.s, 0, &t, &got_first);
    assert_int_equal(got, n);
    if (n) assert_int_equal(got_first, first);
}

static void files_of_a_delta_by_rows(void **state) {
    (void)state;
    check_within(false, 0, 0, NULL, NULL, 0, FILES);
    check_within(false, 0, 0, "b5", "d5", 1, 3);
    check_within(false, 0, 0, "b8", "d1", 1, 2); /* the last row is in it, the stop row is not */
    check_within(false, 0, 0, "b9", "c0", 0, 0);
    check_within(false, 0, 0, "e2", NULL, 4, 2);
    check_within(false, 0, 0, NULL, "a1", 0, 0);
}

static void files_of_a_base_by_rows_too(void **state) {
    (void)state;
    check_within(true, 0, FILES, NULL, NULL, 0, FILES);
    check_within(true, 0, FILES, "b5", "d5", 1, 3);
    check_within(true, 0, FILES, "b8", "d1", 1, 2);
    check_within(true, 0, FILES, "b9", "c0", 0, 0);
}

static void never_beyond_the_files_of_the_stretch(void **state) {
    (void)state;
    check_within(true, 2, 4, NULL, NULL, 2, 2);
    check_within(true, 2, 4, "a5", "f5", 2, 2);
    check_within(true, 2, 4, "d5", NULL, 3, 1);
    check_within(true, 2, 2, NULL, NULL, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_of_a_delta_by_rows), cmocka_unit_test(files_of_a_base_by_rows_too),
                                       cmocka_unit_test(never_beyond_the_files_of_the_stretch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
