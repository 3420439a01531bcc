/* The journal of a load: what is read back, torn lines, another subject, two loads at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "cmd/oceanbase/journal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct journal_subject subject = {.target = "h:1/d", .export_sum = "00112233"};

struct place {
    char dir[64], path[80];
};

static int set_up(void **state) {
    struct place *p = calloc(1, sizeof *p);
    strcpy(p->dir, "/tmp/t_journal.XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    snprintf(p->path, sizeof p->path, "%s/j", p->dir);
    *state = p;
    return 0;
}

static int tear_down(void **state) {
    struct place *p = *state;
    struct err err = {0};
    assert_int_equal(fs_remove_tree(p->dir, &err), 0);
    free(p);
    return 0;
}

static struct load_journal *open_it(const char *path, const struct journal_subject *s, bool anew, bool *found) {
    struct load_journal *j;
    struct err err = {0};
    assert_int_equal(journal_open(path, s, anew, &j, found, &err), 0);
    return j;
}

static void test_round_trip(void **state) {
    struct place *p = *state;
    struct err err = {0};
    bool found;
    struct cell_sums sums = {.rows = 7, .bytes = 99, .crc_sum = ((u128)1 << 70) + 5, .crc_xor = 0xfffffffe};
    struct load_journal *j = open_it(p->path, &subject, false, &found);
    assert_false(found);
    assert_int_equal(journal_state_of(j, "a", "1"), JOURNAL_NEW);
    assert_int_equal(journal_put_base(j, "t$f", "p\"0", &sums, &err), 0);
    assert_int_equal(journal_put_base(j, "t$g", NULL, &sums, &err), 0);
    const struct journal_file both[] = {{"a", "1", 0}, {"b", "2", 12}};
    assert_int_equal(journal_put_start(j, both, 2, &err), 0);
    assert_int_equal(journal_put_done(j, &(struct journal_file){"b", "2", 12}, 1, true, &err), 0);
    journal_close(j);
    j = open_it(p->path, &subject, false, &found);
    assert_int_equal(journal_count_kept(j), 1);
    assert_true(found);
    assert_int_equal(journal_state_of(j, "a", "1"), JOURNAL_STARTED);
    assert_int_equal(journal_state_of(j, "b", "2"), JOURNAL_DONE);
    assert_int_equal(journal_state_of(j, "b", "3"), JOURNAL_NEW); /* another file of that name */
    struct cell_sums base;
    assert_int_equal(journal_base(j, "t$f", "p\"0", &base, &err), 0);
    assert_true(cell_sums_eq(&base, &sums));
    assert_int_equal(journal_base(j, "t$g", NULL, &base, &err), 0);
    assert_true(cell_sums_eq(&base, &sums));
    assert_int_equal(journal_base(j, "t$f", "p1", &base, &err), 0);
    assert_int_equal(base.rows, 0);
    journal_close(j);
}

static void append(const char *path, const char *text) {
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_torn_line_is_dropped(void **state) {
    struct place *p = *state;
    struct err err = {0};
    bool found;
    struct load_journal *j = open_it(p->path, &subject, false, &found);
    assert_int_equal(journal_put_start(j, &(struct journal_file){"a", "1", 0}, 1, &err), 0);
    journal_close(j);
    append(p->path, "{\"done\":\"a\",\"checks");
    j = open_it(p->path, &subject, false, &found);
    assert_int_equal(journal_state_of(j, "a", "1"), JOURNAL_STARTED);
    assert_int_equal(journal_put_done(j, &(struct journal_file){"a", "1", 1}, 1, false, &err),
                     0); /* behind the last whole line */
    journal_close(j);
    j = open_it(p->path, &subject, false, &found);
    assert_int_equal(journal_state_of(j, "a", "1"), JOURNAL_DONE);
    journal_close(j);
    append(p->path, "no journal\n");
    assert_int_equal(journal_open(p->path, &subject, false, &j, &found, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, ":4:"));
}

static void refused(const char *path, const struct journal_subject *s, bool anew, const char *word) {
    struct load_journal *j;
    struct err err = {0};
    bool found;
    assert_int_equal(journal_open(path, s, anew, &j, &found, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    assert_non_null(strstr(err.text, word));
}

static void test_other_subjects(void **state) {
    struct place *p = *state;
    struct err err = {0};
    bool found;
    struct load_journal *j = open_it(p->path, &subject, false, &found);
    assert_int_equal(journal_put_done(j, &(struct journal_file){"a", "1", 1}, 1, false, &err), 0);
    journal_close(j);
    const struct journal_subject elsewhere = {"h:1/e", subject.export_sum, 0}, later = {subject.target, "other", 0};
    refused(p->path, &elsewhere, false, "h:1/d");
    assert_int_equal(journal_read(p->path, &elsewhere, &j, &err), -1);
    assert_int_equal(journal_read(p->path, &subject, &j, &err), 0);
    assert_int_equal(journal_state_of(j, "a", "1"), JOURNAL_DONE);
    journal_close(j);
    err = (struct err){0};
    assert_int_equal(journal_read(p->path, &later, &j, &err), 0);
    assert_null(j);
    j = open_it(p->path, &later, false, &found);
    assert_false(found);
    assert_int_equal(journal_state_of(j, "a", "1"), JOURNAL_NEW);
    journal_close(j);
    j = open_it(p->path, &elsewhere, true, &found);
    assert_false(found);
    journal_close(j);
}

/* A file that never was a journal is not written over; one whose first line is torn or empty is. */
static void test_other_files(void **state) {
    struct place *p = *state;
    bool found;
    struct err err = {0};
    size_t n;
    for (int anew = 0; anew < 2; anew++) {
        append(p->path, "notes\n");
        refused(p->path, &subject, anew, "not the journal");
    }
    char *text = fs_read_text(p->path, 100, &n, &err);
    assert_string_equal(text, "notes\nnotes\n");
    free(text);
    for (const char *const *begin = (const char *const[]){"", "{\"jour", "{\"journal\":1,\"ta", NULL}; *begin; begin++) {
        unlink(p->path);
        append(p->path, *begin);
        journal_close(open_it(p->path, &subject, false, &found));
        assert_false(found);
        journal_close(open_it(p->path, &subject, false, &found));
        assert_true(found);
    }
}

/* The moment of a dataset's first load is that of the file, whatever a later run would begin with. */
static void test_keeps_now(void **state) {
    struct place *p = *state;
    struct err err = {0};
    bool found;
    struct journal_subject at = subject;
    at.now_ms = 1700000000001;
    struct load_journal *j = open_it(p->path, &at, false, &found);
    assert_true(journal_now(j) == at.now_ms && journal_now(NULL) == 0);
    const struct journal_file in = {"a", "1", 12};
    assert_int_equal(journal_rows(j, "a"), 0);
    assert_int_equal(journal_put_done(j, &in, 1, false, &err), 0);
    journal_close(j);
    at.now_ms = 5;
    j = open_it(p->path, &at, false, &found);
    assert_true(found && journal_now(j) == 1700000000001);
    assert_int_equal(journal_rows(j, "a"), 12);
    assert_int_equal(journal_rows(NULL, "a"), 0);
    journal_close(j);
    j = open_it(p->path, &at, true, &found);
    assert_true(journal_now(j) == 5);
    journal_close(j);
}

static void test_one_at_a_time(void **state) {
    struct place *p = *state;
    struct err err = {0};
    bool found;
    struct load_journal *j = open_it(p->path, &subject, false, &found), *second;
    assert_int_equal(journal_open(p->path, &subject, false, &second, &found, &err), -1);
    assert_int_equal(err.code, ERR_BUSY);
    journal_close(j);
}

/* Written by version 1.0.0: what it calls done is never loaded again. */
static void test_golden(void **state) {
    (void)state;
    const struct journal_subject about = {"127.0.0.1:20616/test", "2deef16c742a7c97", 0},
                                 other = {"127.0.0.1:20616/test", "0000000000000000", 0};
    static const char golden[] = "tests/data/golden/1.0.0/load.journal";
    struct err err = {0};
    struct load_journal *j = NULL;
    assert_int_equal(journal_read(golden, &about, &j, &err), 0);
    assert_non_null(j);
    assert_int_equal(journal_state_of(j, "data/golden%24cf.p0.00000-000.kqvt", "b3969139c322d0be"), JOURNAL_DONE);
    assert_int_equal(journal_state_of(j, "data/golden%24g.p2.00002-000.kqvt", "40cb0acd6a65b48f"), JOURNAL_DONE);
    assert_int_equal(journal_state_of(j, "data/golden%24g.p3.00003-000.kqvt", "40cb0acd6a65b48f"), JOURNAL_NEW);
    struct cell_sums base;
    assert_int_equal(journal_base(j, "golden$cf", "p0", &base, &err), 0);
    assert_int_equal(base.rows, 0);
    journal_close(j);
    assert_int_equal(journal_read(golden, &other, &j, &err), 0);
    assert_null(j);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_torn_line_is_dropped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_subjects, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_keeps_now, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_at_a_time, set_up, tear_down),
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
