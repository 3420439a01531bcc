/* Stop requests in loops: they look seldom, but they look, also inside a row that takes long. */
#include "base/bytes.h"
#include "base/clock.h"
#include "base/stop.h"
#include "engine/bucket_rules.h"
#include "engine/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

/* A stop request that has been made, without a signal: bytes in a pipe. */
static void request_stop(int pipe_fds[2], struct stop *stop) {
    assert_int_equal(pipe(pipe_fds), 0);
    assert_int_equal(write(pipe_fds[1], "x", 1), 1);
    stop->fd = pipe_fds[0];
}

static void close_pipe(const int pipe_fds[2]) {
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}

static void test_looks_when_time_has_passed(void **state) {
    (void)state;
    int pipe_fds[2];
    struct stop stop;
    struct err err = {0};
    int64_t looked = 0;
    request_stop(pipe_fds, &stop);
    assert_int_equal(stop_check_seldom(&stop, &looked, &err), 0); /* the loop has just begun */
    assert_true(looked > 0);
    looked = clock_coarse_ms() + INT64_C(1000000);
    assert_int_equal(stop_check_seldom(&stop, &looked, &err), 0);
    looked = 1 - STOP_LOOK_MS;
    assert_int_equal(stop_check_seldom(&stop, &looked, &err), -1);
    assert_int_equal(err.code, ERR_STOPPED);
    assert_true(looked > 0);
    close_pipe(pipe_fds);
}

struct endless {
    struct source base;
    struct cell cell;
};

static int endless_next(struct source *base, struct row_part *part, struct err *err) {
    struct endless *e = (struct endless *)base;
    (void)err;
    *part = (struct row_part){.cells = &e->cell, .n_cells = 1};
    return 1;
}

static void endless_close(struct source *base) {
    (void)base;
}

static void test_a_source_without_end_is_stopped(void **state) {
    (void)state;
    static const struct source_ops ops = {endless_next, endless_close};
    int pipe_fds[2], more = 1;
    struct stop stop;
    struct err err = {0};
    struct endless endless = {.base = {&ops}};
    struct row_part part;
    request_stop(pipe_fds, &stop);
    struct source *s = stoppable_open(&endless.base, NULL, &stop, &err);
    assert_non_null(s);
    assert_int_equal(source_next(s, &part, &err), 1); /* what has begun a moment ago is not looked at */
    while (more == 1) more = source_next(s, &part, &err);
    assert_int_equal(more, -1);
    assert_int_equal(err.code, ERR_STOPPED);
    source_close(s);
    close_pipe(pipe_fds);
}

/* One row: many family markers, then parts of as many columns as a part may hold. Under NEW_VERSION_BEHAVIOR each column takes as
 * long as there are markers. */
enum { MARKERS = 1000, PARTS_MAX = 1000 };

struct long_row {
    struct source base;
    int request; /* written to when the first columns are handed out */
    unsigned parts;
    struct cell cells[PART_MAX_CELLS];
    uint8_t names[PART_MAX_CELLS][4];
};

static void fill_with_markers(struct long_row *l) {
    for (uint32_t i = 0; i < MARKERS; i++)
        l->cells[i] = (struct cell){.ts_ms = 2 * MARKERS - i, .seq = 3 * MARKERS - i, .type = CELL_DELETE_FAMILY};
}

static void fill_with_columns(struct long_row *l) {
    for (uint32_t i = 0; i < PART_MAX_CELLS; i++) {
        put_be32(l->names[i], l->parts * PART_MAX_CELLS + i);
        l->cells[i] = (struct cell){.qualifier = {l->names[i], 4}, .ts_ms = 1, .seq = 4 * MARKERS, .type = CELL_PUT};
    }
}

static int long_row_next(struct source *base, struct row_part *part, struct err *err) {
    struct long_row *l = (struct long_row *)base;
    (void)err;
    bool first = !l->parts++;
    if (l->parts > PARTS_MAX) return 0;
    if (l->parts == 2) assert_int_equal(write(l->request, "x", 1), 1);
    if (first)
        fill_with_markers(l);
    else
        fill_with_columns(l);
    *part =
        (struct row_part){.row = bytes_str("r"), .cells = l->cells, .n_cells = first ? MARKERS : PART_MAX_CELLS, .first = first};
    return 1;
}

static void test_the_rules_stop_inside_a_row(void **state) {
    (void)state;
    static const struct source_ops ops = {long_row_next, endless_close};
    static struct long_row row = {.base = {&ops}};
    int pipe_fds[2], more = 1;
    assert_int_equal(pipe(pipe_fds), 0);
    row.request = pipe_fds[1];
    const struct stop stop = {pipe_fds[0]};
    const struct job job = {.stop = &stop};
    const struct family family = {.rules = {.versions = 1, .new_version_behavior = true}};
    const struct bucket_rules_env env = {&family, COMPACTION_MAJOR, &job, 1 << 20, 0};
    struct bucket_rules rules;
    struct err err = {0};
    struct row_part part;
    assert_int_equal(bucket_rules_init(&rules, 1, false, &err), 0);
    struct source *s = bucket_rules_open(&rules, &env, &row.base, &err);
    assert_non_null(s);
    while (more == 1) more = source_next(s, &part, &err);
    assert_int_equal(more, -1);
    assert_int_equal(err.code, ERR_STOPPED);
    assert_ptr_equal(strstr(err.text, "interrupted"), err.text); /* the row is not to blame */
    assert_true(row.parts < PARTS_MAX);
    source_close(s);
    bucket_rules_free(&rules);
    close_pipe(pipe_fds);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks_when_time_has_passed),
        cmocka_unit_test(test_a_source_without_end_is_stopped),
        cmocka_unit_test(test_the_rules_stop_inside_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
