/* Progress of a diff: both sides of a pass are one phase, in which bytes never fall. What else is reported of a run passes
 * through. */
#include "cmd/verify/diff/diff.h"
#include "cmd/verify/diff/diff_progress.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct seen {
    const char *phase;
    uint64_t done, total;
};

static void see(void *arg, const char *phase, uint64_t done, uint64_t total) {
    *(struct seen *)arg = (struct seen){phase, done, total};
}

static void expect(const struct job *job, struct seen *s, struct seen given, struct seen want) {
    job->progress.report(job->progress.arg, given.phase, given.done, given.total);
    assert_string_equal(s->phase, want.phase);
    assert_int_equal(s->done, want.done);
    assert_int_equal(s->total, want.total);
}

static void passes_are_phases(void **state) {
    (void)state;
    struct seen s = {0};
    struct input a[2] = {{.file_bytes = 100}, {.file_bytes = 20}}, b[1] = {{.file_bytes = 30}};
    const struct job outer = {.progress = {see, &s}};
    const struct diff_opts o = {.job = &outer, .sides = {{.inputs = a, .n_inputs = 2}, {.inputs = b, .n_inputs = 1}}};
    struct diff_progress p = {0};
    struct job job;
    diff_progress_begin(&p, &o, &job);
    diff_progress_side(&p, DIFF_A, false);
    expect(&job, &s, (struct seen){"read", 120, 120}, (struct seen){"read", 120, 150});
    diff_progress_side(&p, DIFF_B, false);
    expect(&job, &s, (struct seen){"read", 10, 30}, (struct seen){"read", 130, 150});
    diff_progress_side(&p, DIFF_A, true);
    expect(&job, &s, (struct seen){"read", 60, 120}, (struct seen){"compare", 60, 150});
    expect(&job, &s, (struct seen){"spill", 1, 4}, (struct seen){"spill", 1, 4});
    diff_progress_side(&p, DIFF_B, true);
    expect(&job, &s, (struct seen){"read", 30, 30}, (struct seen){"compare", 150, 150});
}

static void nobody_watches(void **state) {
    (void)state;
    const struct job outer = {0};
    const struct diff_opts o = {.job = &outer};
    struct diff_progress p = {0};
    struct job job;
    diff_progress_begin(&p, &o, &job);
    assert_null(job.progress.report);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes_are_phases), cmocka_unit_test(nobody_watches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
