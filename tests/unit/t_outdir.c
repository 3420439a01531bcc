/* The output directory: what it looks like to the next run whenever this one stops, and that only one works on it. */
#include "dataset/dataset_open.h"
#include "made_outdir.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const ab[] = {"a", "b"}, *const bc[] = {"b", "c"};

static void test_new_and_finished(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    assert_int_equal(look(&f), OUTDIR_NEW); /* not there */
    assert_false(there(&f, ""));            /* looking makes nothing */
    open_out(&f);
    assert_false(f.cleaned);
    assert_true(there(&f, ".obkv/tmp") && there(&f, ".obkv/lock"));
    assert_int_equal(look(&f), OUTDIR_UNFINISHED); /* as it would look after a crash */
    outdir_close(&f.o);
    assert_false(there(&f, "")); /* made by the run that failed: gone with it */
    run(&f, ab, 2, "one");
    assert_int_equal(look(&f), OUTDIR_FINISHED);
    expect_text(&f, "a/p00000-000.hfile", "one");
    expect_text(&f, "b/p00000-000.hfile", "one");
    assert_true(there(&f, "MANIFEST.json") && !there(&f, ".obkv/journal") && !there(&f, ".obkv/tmp"));
    open_out(&f); /* a run that stops before it publishes leaves a finished dataset as it was */
    assert_false(f.cleaned);
    put(&f, ".obkv/tmp/a/p00000-000.hfile", "two");
    outdir_close(&f.o);
    assert_int_equal(look(&f), OUTDIR_FINISHED);
    expect_text(&f, "a/p00000-000.hfile", "one");
    assert_false(there(&f, ".obkv/tmp"));
    end(&f);
}

static void test_directory_that_was_there(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f);
    assert_int_equal(fs_mkdirs(f.out, &err), 0);
    assert_int_equal(look(&f), OUTDIR_NEW); /* empty */
    open_out(&f);
    outdir_close(&f.o);
    assert_true(there(&f, "") && !there(&f, ".obkv")); /* not ours to remove */
    end(&f);
}

static void test_foreign_directories(void **state) {
    (void)state;
    static const char *const names[] = {"notes.txt", ".hidden", "cf/p00000-000.hfile", "_report2/x"};
    for (size_t i = 0; i < countof(names); i++) {
        struct fixture f;
        struct err err = {0};
        enum outdir_state s;
        begin(&f);
        put(&f, names[i], "mine");
        assert_int_equal(outdir_look(f.out, &s, &err), -1);
        assert_int_equal(err.code, ERR_USAGE);
        assert_non_null(strstr(err.text, "is not empty and holds no dataset"));
        expect_text(&f, names[i], "mine");
        end(&f);
    }
    struct fixture f;
    struct err err = {0};
    enum outdir_state s;
    begin(&f);
    put(&f, "x", "");
    strcat(f.out, "/x"); /* a file, not a directory */
    assert_int_equal(outdir_look(f.out, &s, &err), -1);
    assert_int_equal(outdir_open(&f.o, f.out, &f.cleaned, &err), -1);
    end(&f);
}

static void test_killed_while_writing(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    put(&f, ".obkv/tmp/a/p00000-000.hfile", "half");
    put(&f, ".obkv/lock", "");
    put(&f, "_report/rejects.txt", "old");
    assert_int_equal(look(&f), OUTDIR_UNFINISHED);
    open_out(&f);
    assert_true(f.cleaned);
    assert_true(there(&f, ".obkv/tmp") && !there(&f, ".obkv/tmp/a") && !there(&f, "_report"));
    outdir_close(&f.o);
    end(&f);
}

/* Killed between the renames of the family directories and the manifest. */
static void test_killed_while_publishing(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f);
    open_out(&f);
    put(&f, ".obkv/tmp/a/p00000-000.hfile", "new");
    assert_int_equal(publish(&f, ab, 2, &err), -1); /* there is no tmp/b: seen before anything is renamed */
    assert_non_null(strstr(err.text, "tmp/b"));
    outdir_close(&f.o);
    assert_true(!there(&f, "a") && !there(&f, ".obkv"));
    put(&f, "a/p00000-000.hfile", "new");
    put(&f, ".obkv/journal", "a\nb\n");
    put(&f, ".obkv/tmp/b/p00000-000.hfile", "new");
    assert_int_equal(look(&f), OUTDIR_UNFINISHED);
    open_out(&f);
    assert_true(!there(&f, "a") && !there(&f, ".obkv/journal"));
    outdir_close(&f.o);
    run(&f, bc, 2, "again");
    assert_int_equal(look(&f), OUTDIR_FINISHED);
    assert_false(there(&f, "a"));
    end(&f);
}

/* The journal was left after the manifest came: the dataset is whole and stays. */
static void test_killed_at_the_very_end(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    run(&f, ab, 2, "one");
    put(&f, ".obkv/journal", "a\nb\n");
    assert_int_equal(look(&f), OUTDIR_FINISHED);
    open_out(&f);
    assert_true(!f.cleaned && !there(&f, ".obkv/journal"));
    outdir_close(&f.o);
    expect_text(&f, "a/p00000-000.hfile", "one");
    assert_int_equal(look(&f), OUTDIR_FINISHED);
    end(&f);
}

static void test_overwrite(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f);
    run(&f, ab, 2, "old");
    put(&f, "_report/rejects.cells", "old");
    run(&f, bc, 2, "new");
    assert_false(there(&f, "a"));
    expect_text(&f, "b/p00000-000.hfile", "new");
    expect_text(&f, "c/p00000-000.hfile", "new");
    assert_false(there(&f, "_report")); /* it was about the dataset that is gone */
    struct manifest m;
    assert_int_equal(dataset_open(f.out, &m, &err), 0);
    assert_int_equal(m.table.n_families, 2);
    assert_string_equal(m.table.families[1].name, "c");
    manifest_free(&m);
    end(&f);
}

/* An error before the journal leaves the old dataset; a kill after it, at any rename, leads to the new one. */
static void test_killed_while_overwriting(void **state) {
    (void)state;
    static const char *const cd[] = {"c", "d"};
    struct fixture f;
    struct err err = {0};
    struct manifest m;
    begin(&f);
    run(&f, ab, 2, "old");
    open_out(&f);
    put(&f, ".obkv/tmp/c/p00000-000.hfile", "new");
    assert_int_equal(publish(&f, cd, 2, &err), -1); /* there is no tmp/d */
    outdir_close(&f.o);
    expect_text(&f, "a/p00000-000.hfile", "old");
    assert_true(there(&f, "MANIFEST.json") && !there(&f, ".obkv/journal"));
    put(&f, ".obkv/journal", ".replace\nc\n.old a\n.old b\n");
    put(&f, ".obkv/tmp/c/p00000-000.hfile", "new");
    char from[128], to[128];
    assert_int_equal(rename(in_out(&f, "b", from), in_out(&f, ".obkv/tmp/b", to)), 0); /* already out of place */
    assert_int_equal(link(in_out(&f, "MANIFEST.json", from), in_out(&f, ".obkv/tmp/MANIFEST.json", to)), 0);
    err = (struct err){0};
    assert_int_equal(manifest_load(f.out, &m, &err), 0); /* completes it */
    manifest_free(&m);
    expect_text(&f, "c/p00000-000.hfile", "new");
    assert_true(!there(&f, "a") && !there(&f, "b") && !there(&f, ".obkv/journal") && !there(&f, ".obkv/tmp"));
    end(&f);
}

static void test_reports(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f);
    open_out(&f);
    assert_null(f.o.report);
    assert_int_equal(outdir_need_report(&f.o, &err), 0);
    put(&f, "_report/rejects.txt", "bad line");
    assert_int_equal(outdir_need_report(&f.o, &err), 0); /* again: as it is */
    outdir_close(&f.o);
    expect_text(&f, "_report/rejects.txt", "bad line"); /* kept though the run failed */
    assert_false(there(&f, ".obkv"));
    assert_int_equal(look(&f), OUTDIR_UNFINISHED); /* and no reason to refuse the directory */
    open_out(&f);
    assert_false(there(&f, "_report"));
    outdir_close(&f.o);
    run(&f, ab, 2, "one");
    put(&f, "_report/rejects.cells", "of one");
    open_out(&f);
    assert_int_equal(outdir_need_report(&f.o, &err), 0);
    assert_false(there(&f, "_report/rejects.cells"));
    put(&f, "_report/rejects.txt", "of two");
    put(&f, ".obkv/tmp/a/p00000-000.hfile", "two");
    assert_int_equal(publish(&f, ab, 1, &err), 0);
    outdir_close(&f.o);
    expect_text(&f, "_report/rejects.txt", "of two");
    expect_text(&f, "a/p00000-000.hfile", "two");
    assert_false(there(&f, "b"));
    end(&f);
}

static void test_lock(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    struct outdir second;
    bool cleaned;
    begin(&f);
    open_out(&f);
    put(&f, ".obkv/tmp/a/p00000-000.hfile", "mine");
    assert_int_equal(outdir_open(&second, f.out, &cleaned, &err), -1);
    assert_int_equal(err.code, ERR_BUSY);
    assert_non_null(strstr(err.text, "another run is using it"));
    expect_text(&f, ".obkv/tmp/a/p00000-000.hfile", "mine"); /* the one refused touches nothing */
    outdir_close(&second);                                   /* closing what did not open does no harm */
    assert_true(there(&f, ".obkv/lock"));
    outdir_close(&f.o);
    err = (struct err){0};
    assert_int_equal(outdir_open(&second, f.out, &cleaned, &err), 0);
    outdir_close(&second);
    end(&f);
}

/* Many processes open and close the same directory: each time only one is inside, and the others hear ERR_BUSY only. */
static int crowd_member(struct fixture *f, int rounds) {
    char path[128];
    in_out(f, ".obkv/tmp/inside", path);
    for (int i = 0, tries = 0; i < rounds && tries < 1000000; tries++) {
        struct err err = {0};
        if (outdir_open(&f->o, f->out, &f->cleaned, &err)) {
            if (err.code != ERR_BUSY) {
                fprintf(stderr, "# %s\n", err.text);
                return 1;
            }
            continue;
        }
        int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (fd < 0) {
            perror("# inside");
            return 2;
        }
        close(fd);
        if (access(path, F_OK)) {
            perror("# removed by another");
            return 3;
        }
        outdir_close(&f->o);
        i++;
    }
    return 0;
}

static void test_crowd(void **state) {
    (void)state;
    enum { MEMBERS = 4, ROUNDS = 200 };
    struct fixture f;
    begin(&f);
    pid_t pid[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        pid[i] = fork();
        assert_true(pid[i] >= 0);
        if (!pid[i]) _exit(crowd_member(&f, ROUNDS));
    }
    for (int i = 0; i < MEMBERS; i++) {
        int status;
        assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
        assert_int_equal(status, 0);
    }
    end(&f);
}

static void test_sync_names_the_file(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    char present[] = "a/p00000-000.hfile", absent[] = "a/p1";
    char *paths[] = {present, absent, present};
    begin(&f);
    open_out(&f);
    put(&f, ".obkv/tmp/a/p00000-000.hfile", "x");
    assert_int_equal(outdir_sync_files(&f.o, paths, 3, 3, &err), -1);
    assert_int_equal(err.code, ERR_OUTPUT);
    assert_non_null(strstr(err.text, ".obkv/tmp/a/p1"));
    outdir_close(&f.o);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_and_finished),
        cmocka_unit_test(test_directory_that_was_there),
        cmocka_unit_test(test_foreign_directories),
        cmocka_unit_test(test_killed_while_writing),
        cmocka_unit_test(test_killed_while_publishing),
        cmocka_unit_test(test_killed_at_the_very_end),
        cmocka_unit_test(test_overwrite),
        cmocka_unit_test(test_killed_while_overwriting),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_sync_names_the_file),
    };
    return cmocka_run_group_tests_name("outdir", tests, NULL, NULL);
}
