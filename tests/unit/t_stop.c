/* Stop requests in loops: they look seldom, but they look. */
#include "base/clock.h"
#include "base/stop.h"
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks_when_time_has_passed),
        cmocka_unit_test(test_a_source_without_end_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
