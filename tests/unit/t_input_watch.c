/* Inputs are held as they were when they were listed: size, inode, times of content and inode, in all lists of a run; files of
 * HBase may move away, and files of datasets get links. */
#include "cmd/common/input_watch.h"
#include "cmd/common/inputs.h"

#include "base/fs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct fix {
    char dir[64], path[3][96];
    struct input_watch watch;
    struct err err;
};

static void put(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void begin(struct fix *f) {
    char dir[sizeof f->dir] = "/tmp/t_input_watch.XXXXXX";
    *f = (struct fix){0};
    assert_non_null(mkdtemp(dir));
    memcpy(f->dir, dir, sizeof dir);
    for (int i = 0; i < 3; i++) {
        snprintf(f->path[i], sizeof f->path[i], "%s/%d", dir, i);
        put(f->path[i], "content");
    }
}

static void end(struct fix *f) {
    input_watch_free(&f->watch);
    assert_int_equal(fs_remove_tree(f->dir, &f->err), 0);
}

/* Writes other bytes into the file itself, of the same length, and restores its time of change. */
static void rewrite(const char *path) {
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    put(path, "CONTENT");
    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[2]){st.st_atim, st.st_mtim}, 0), 0);
}

static void check_refused(struct fix *f, const char *path) {
    struct err err = {0};
    assert_int_equal(input_watch_check(&f->watch, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, path));
}

static void test_changes(void **state) {
    (void)state;
    for (int change = 0; change < 4; change++) {
        struct fix f;
        begin(&f);
        for (int i = 0; i < 3; i++) assert_int_equal(input_watch_add(&f.watch, f.path[i], WATCH_FILE, &f.err), 0);
        assert_int_equal(input_watch_check(&f.watch, &f.err), 0);
        if (change == 0) assert_int_equal(truncate(f.path[1], 3), 0);
        if (change == 1) assert_int_equal(rename(f.path[2], f.path[1]), 0);
        if (change == 2) assert_int_equal(unlink(f.path[1]), 0);
        if (change == 3) rewrite(f.path[1]);
        check_refused(&f, f.path[1]);
        end(&f);
    }
}

/* Tests that files a run reads besides its inputs are checked with them, and that a change explains why they could not be
 * read. */
static void test_also(void **state) {
    (void)state;
    struct fix f;
    struct input_watch second = {0}, third = {0};
    begin(&f);
    assert_int_equal(input_watch_add(&f.watch, f.path[0], WATCH_FILE, &f.err), 0);
    input_watch_also(&f.watch, &second);
    input_watch_also(&f.watch, &third);
    assert_int_equal(input_watch_take(&second, fs_printf(&f.err, "%s", f.path[1]), WATCH_FILE, &f.err), 0);
    assert_int_equal(input_watch_take(&third, fs_printf(&f.err, "%s", f.path[2]), WATCH_STORE, &f.err), 0);
    assert_int_equal(input_watch_take(&third, fs_printf(&f.err, "%s", f.dir), WATCH_FILE, &f.err), 0); /* not watched */
    assert_int_equal(third.n, 1);
    assert_int_equal(input_watch_end(&f.watch, 0, &f.err), 0);
    rewrite(f.path[1]);
    err_set(&f.err, ERR_INPUT, "it looks damaged");
    assert_int_equal(input_watch_end(&f.watch, -1, &f.err), -1);
    assert_non_null(strstr(f.err.text, "changed while it was being read"));
    f.err = (struct err){0};
    input_watch_free(&second);
    input_watch_free(&third);
    end(&f);
}

static void test_kinds(void **state) {
    (void)state;
    struct fix f;
    begin(&f);
    assert_int_equal(input_watch_add(&f.watch, f.path[0], WATCH_STORE, &f.err), 0);
    assert_int_equal(input_watch_add(&f.watch, f.path[1], WATCH_DATASET, &f.err), 0);
    assert_int_equal(unlink(f.path[0]), 0);
    assert_int_equal(unlink(f.path[2]), 0);
    assert_int_equal(link(f.path[1], f.path[2]), 0);
    assert_int_equal(input_watch_check(&f.watch, &f.err), 0);
    put(f.path[2], "other content");
    check_refused(&f, f.path[1]);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_also),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
