/* Progress of a run: the share and the time left that the model makes of phases, for runs whose every second is known. */
#include "cmd/common/progress_model.h"
#include "cmd/common/report_figures.h"
#include "engine/job.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* A run of phases: how long each takes, steadily. */
struct part {
    const char *phase;
    double s;
};

static double length_of(const struct part *parts, unsigned n) {
    double s = 0;
    for (unsigned i = 0; i < n; i++) s += parts[i].s;
    return s;
}

/* Tells the model, second by second up to `until`, what a run of these parts would. */
static void live(struct progress_model *m, const struct part *parts, unsigned n, double until) {
    double began = 0, most = 0;
    for (unsigned i = 0; i < n && began < until; began += parts[i++].s)
        for (double t = 0; t <= parts[i].s && began + t <= until; t += 0.1) {
            double share, left;
            progress_model_note(m, parts[i].phase, (uint64_t)(1e9 * t / parts[i].s), 1000000000, began + t);
            progress_model_ask(m, began + t, &share, &left);
            assert_true(share == -1 || (share >= most && share <= 1));
            assert_true(left == -1 || left >= 0);
            if (share > most) most = share;
        }
}

/* Expects that from this quarter of the run on the time left must be right within `error` (of the run's length). */
static void expect(const struct part *parts, unsigned n, bool writes, bool spilled, int from, double error) {
    double whole = length_of(parts, n);
    for (int quarter = from; quarter <= 3; quarter++) {
        struct progress_model m = {.writes = writes, .codec = HFILE_SNAPPY};
        double at = whole * quarter / 4, share, left;
        if (spilled) progress_model_note(&m, PROGRESS_SPILL, 0, 0, 0);
        live(&m, parts, n, at);
        progress_model_ask(&m, at, &share, &left);
        if (fabs(left - (whole - at)) > error * whole) fail_msg("at %d/4 of %.0f s: %.1f s left", quarter, whole, left);
        if (fabs(share - at / whole) > error) fail_msg("at %d/4 of %.0f s: share %.3f", quarter, whole, share);
    }
}

static void test_phases(void **state) {
    (void)state;
    expect((struct part[]){{"check", 40}}, 1, false, false, 1, 0.02);
    expect((struct part[]){{"read", 10}, {"write", 17}}, 2, true, false, 1, 0.02);
    expect((struct part[]){{"read", 20}, {"write", 22}}, 2, true, true, 1, 0.02);
    expect((struct part[]){{"read", 30}}, 1, false, false, 1, 0.02);
    expect((struct part[]){{"survey", 1}, {"copy", 60}, {"write", 0.5}}, 3, true, false, 1, 0.03);
    /* Where writing takes half as long or twice as long as expected, three quarters of the run show it. */
    expect((struct part[]){{"read", 20}, {"write", 10}}, 2, true, false, 3, 0.1);
    expect((struct part[]){{"read", 10}, {"write", 20}}, 2, true, false, 3, 0.1);
}

/* Tests that an input that is large against the memory is expected to spill. */
static void test_memory(void **state) {
    double share, left;
    (void)state;
    for (int large = 0; large <= 1; large++) {
        struct progress_model m = {.writes = true, .codec = HFILE_SNAPPY, .memory_bytes = large ? 1000 : 1000000};
        progress_model_note(&m, "read", 0, 2000, 0);
        progress_model_note(&m, "read", 1000, 2000, 10);
        progress_model_ask(&m, 10, &share, &left);
        assert_true(fabs(left - (large ? 10 + 22 : 10 + 34)) < 0.1);
    }
}

/* Records of one partition are sorted when all are read, unless they were spilled. */
static void test_one_partition(void **state) {
    double share, left;
    (void)state;
    for (int spilled = 0; spilled <= 1; spilled++) {
        struct progress_model m = {.writes = true, .codec = HFILE_SNAPPY, .one_partition = true, .spilled = spilled};
        progress_model_note(&m, "read", 0, 2000, 0);
        progress_model_note(&m, "read", 1000, 2000, 10);
        progress_model_ask(&m, 10, &share, &left);
        assert_true(fabs(left - (spilled ? 10 + 22 : 10 + 54)) < 0.1);
    }
}

/* HFiles are unpacked as they are read, and their cells are in order. */
static void test_of_hfiles(void **state) {
    double share, left;
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct progress_model m = {
            .writes = true, .codec = HFILE_SNAPPY, .of_hfiles = true, .spilled = k == 1, .one_partition = k == 2};
        progress_model_note(&m, "read", 0, 1000, 0);
        progress_model_note(&m, "read", 500, 1000, 10);
        progress_model_ask(&m, 10, &share, &left);
        assert_true(fabs(left - (10 + 0.55 * 34)) < 0.1);
    }
}

/* Unpacking takes most of the time of reading, and none of that of writing. */
static void test_unpacking(void **state) {
    struct progress_model m = {.writes = true, .codec = HFILE_SNAPPY};
    double share, left;
    (void)state;
    progress_model_note(&m, PROGRESS_UNPACK, 0, 0, 0);
    progress_model_note(&m, "read", 0, 1000, 0);
    progress_model_note(&m, "read", 500, 1000, 10);
    progress_model_ask(&m, 10, &share, &left);
    assert_true(fabs(left - (10 + 0.35 * 34)) < 0.1);
}

/* Samples of what is read show how long packing takes, which the codec alone does not. */
static void test_packing(void **state) {
    static const struct {
        bool of_hfiles, unpacks;
        double before, after; /* writing, of the time of reading */
    } cases[] = {{false, false, 5, 1 + 2.5}, {true, false, 0.55 * 5, 0.55 + 2.5}, {false, true, 0.35 * 5, 0.35 + 2.5}};
    double share, left;
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct progress_model m = {
            .writes = true, .codec = HFILE_GZ, .of_hfiles = cases[i].of_hfiles, .unpacks = cases[i].unpacks};
        progress_model_note(&m, "read", 0, 1000, 0);
        progress_model_note(&m, "read", 500, 1000, 10);
        progress_model_ask(&m, 10, &share, &left);
        assert_true(fabs(left - (10 + 20 * cases[i].before)) < 0.1);
        progress_model_note(&m, PROGRESS_PACK, 5, 2, 10);
        progress_model_ask(&m, 10, &share, &left);
        assert_true(fabs(left - (10 + 20 * cases[i].after)) < 0.1);
    }
}

/* A second pass that is known to follow counts from the first second; one that is not shows when it begins. */
static void test_second_pass(void **state) {
    double share, left;
    (void)state;
    for (int known = 0; known <= 1; known++) {
        struct progress_model m = {.reads_again = known};
        progress_model_note(&m, "read", 0, 1000, 0);
        progress_model_note(&m, "read", 500, 1000, 10);
        progress_model_ask(&m, 10, &share, &left);
        assert_true(fabs(left - (known ? 10 + 8 : 10)) < 0.1);
        progress_model_note(&m, "compare", 0, 1000, 20);
        progress_model_note(&m, "compare", 500, 1000, 28);
        progress_model_ask(&m, 28, &share, &left);
        assert_true(fabs(left - 8) < 0.1);
    }
}

/* Tests a diff. How many of its cells differ is known before, or after the first pass; the second sorts them, and then they are
 * walked. */
static void test_walk(void **state) {
    double share, left;
    (void)state;
    for (int early = 0; early <= 1; early++) {
        struct progress_model m = {0};
        if (early) progress_model_note(&m, PROGRESS_AGAIN, 500, 1000, 0);
        progress_model_note(&m, "read", 0, 1000, 0);
        progress_model_note(&m, "read", 500, 1000, 10);
        progress_model_ask(&m, 10, &share, &left);
        assert_true(fabs(left - (early ? 10 + 20 * (0.4 + 0.5 * 1.2 + 0.5 * 1.1) : 10)) < 0.1);
        progress_model_note(&m, "read", 1000, 1000, 20);
        if (!early) progress_model_note(&m, PROGRESS_AGAIN, 500, 1000, 20);
        progress_model_note(&m, "compare", 0, 1000, 20);
        progress_model_ask(&m, 20, &share, &left);
        assert_true(fabs(left - 31) < 0.1);
        progress_model_note(&m, "compare", 1000, 1000, 40);
        progress_model_note(&m, "walk", 0, 500, 40);
        progress_model_ask(&m, 40, &share, &left);
        assert_true(fabs(left - 11) < 0.1);
        progress_model_note(&m, "walk", 250, 500, 46);
        progress_model_ask(&m, 46, &share, &left);
        assert_true(fabs(left - 6) < 0.1 && !progress_phase_has_bytes("walk"));
    }
}

/* Parts of one stage last equally long. Another stage is expected to be as wide as its share, until it has its own pace. */
static void test_parts(void **state) {
    struct progress_parts p = {.to = 0.4, .most = 0.2};
    (void)state;
    assert_true(fabs(progress_parts_left(&p, 10) - 40) < 0.1);
    p.most = p.stage.from = 0.4;
    p.stage.began = 20;
    assert_true(fabs(progress_parts_left(&p, 20) - 30) < 0.1);
    double before = 30;
    for (double now = 22; now < 80; now += 2) { /* it takes 60 s instead of 30 s */
        p.most = 0.4 + 0.6 * (now - 20) / 60;
        const double left = progress_parts_left(&p, now);
        assert_true(left > 80 - now - 31 && left < 80 - now + 0.1);
        if (now > 30) assert_true(fabs(left - (80 - now)) < 0.1 && left < before);
        before = left;
    }
    /* A run that resumes after a kill, with half of each stage done before. */
    p = (struct progress_parts){.most = 0.4, .before = 0.2};
    assert_true(fabs(progress_parts_left(&p, 10) - 30) < 0.1);
    p = (struct progress_parts){.most = 0.85, .before = 0.5, .stage = {.from = 0.4, .before = 0.3, .began = 10}};
    assert_true(fabs(progress_parts_left(&p, 25) - 15) < 0.1);
    p = (struct progress_parts){.most = 0};
    assert_true(progress_parts_left(&p, 1) == -1);
}

/* A phase in which nothing is done at first: what that took comes once. */
static void test_late_beginning(void **state) {
    struct progress_model m = {.writes = true, .codec = HFILE_SNAPPY};
    double share, left;
    (void)state;
    progress_model_note(&m, "read", 0, 1000, 0);
    progress_model_note(&m, "write", 0, 1000, 10);
    for (double now = 15; now <= 21; now += 0.1) {
        progress_model_note(&m, "write", 1 + (uint64_t)(100 * (now - 15)), 1000, now);
        progress_model_ask(&m, now, &share, &left);
        if (fabs(now + left - 25) > (now < 16.5 ? 2.1 : 0.1)) fail_msg("at %.1f s: %.1f s left of 25", now, left);
    }
}

/* Files of a load: each is done at once, after a time in which nothing is said of it. */
static void test_steps(void **state) {
    struct progress_model m = {0};
    double share, left;
    (void)state;
    for (double now = 0; now < 14; now += 0.5) { /* 7 files of 2 s */
        progress_model_note(&m, "loading", (uint64_t)(now / 2) * 100, 700, now);
        progress_model_ask(&m, now, &share, &left);
        if (now >= 2 && fabs(now + left - 14) > 0.1) fail_msg("after %.1f s: %.1f s left of 14", now, left);
    }
    progress_model_ask(&m, 20, &share, &left); /* the last file takes longer */
    assert_true(left > 1);
}

/* A codec that packs slowly makes writing long. */
static void test_codecs(void **state) {
    static const enum hfile_codec codecs[] = {HFILE_NONE, HFILE_SNAPPY, HFILE_ZSTD, HFILE_GZ, HFILE_BROTLI};
    double share, left, before = 10;
    (void)state;
    for (unsigned i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        struct progress_model m = {.writes = true, .codec = codecs[i]};
        progress_model_note(&m, "read", 0, 1000, 0);
        progress_model_note(&m, "read", 500, 1000, 10);
        progress_model_ask(&m, 10, &share, &left);
        assert_true(left > before);
        before = left;
    }
}

static void test_unknown(void **state) {
    struct progress_model m = {.writes = true, .codec = HFILE_SNAPPY};
    double share, left;
    (void)state;
    progress_model_ask(&m, 3, &share, &left);
    assert_true(share == -1 && left == -1);
    progress_model_note(&m, "read", 5000, 0, 1); /* a pipe */
    progress_model_ask(&m, 9, &share, &left);
    assert_true(share == -1 && left == -1);
    progress_model_note(&m, "write", 0, 5000, 11); /* now it is known what follows */
    progress_model_ask(&m, 11, &share, &left);
    assert_true(fabs(left - 17) < 0.1 && fabs(share - 11.0 / 28) < 0.01);
    /* Nothing moves: the time left grows, the share stays. */
    progress_model_note(&m, "write", 2500, 5000, 22);
    progress_model_ask(&m, 22, &share, &left);
    double most = share, first = left;
    progress_model_ask(&m, 60, &share, &left);
    assert_true(left > first && share == most);
    assert_true(progress_phase_has_bytes("read") && !progress_phase_has_bytes("survey") && !progress_phase_has_bytes(NULL));
}

static void test_durations(void **state) {
    char out[32];
    (void)state;
    assert_string_equal(report_duration(0, out), "0:00");
    assert_string_equal(report_duration(-3, out), "0:00");
    assert_string_equal(report_duration(64.6, out), "1:05");
    assert_string_equal(report_duration(3725, out), "1:02:05");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phases),         cmocka_unit_test(test_memory),  cmocka_unit_test(test_packing),
        cmocka_unit_test(test_unpacking),      cmocka_unit_test(test_codecs),  cmocka_unit_test(test_steps),
        cmocka_unit_test(test_late_beginning), cmocka_unit_test(test_unknown), cmocka_unit_test(test_second_pass),
        cmocka_unit_test(test_of_hfiles),      cmocka_unit_test(test_parts),   cmocka_unit_test(test_durations),
        cmocka_unit_test(test_one_partition),  cmocka_unit_test(test_walk)};
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
