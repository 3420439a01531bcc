/* The output directory: what it looks like to the next run whenever this one stops, and that only one works on it. */
#include "flat_cells.h"

#include "base/fs.h"
#include "dataset/manifest.h"
#include "dataset/outdir.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
    char top[32], out[48];
    struct outdir o;
    bool cleaned;
};

static void begin(struct fixture *f) {
    *f = (struct fixture){.top = "/tmp/t_outdir.XXXXXX"};
    assert_non_null(mkdtemp(f->top));
    snprintf(f->out, sizeof f->out, "%s/a/out", f->top);
}

static void end(struct fixture *f) {
    struct err err = {0};
    assert_int_equal(fs_remove_tree(f->top, &err), 0);
}

static const char *in_out(const struct fixture *f, const char *name, char path[128]) {
    snprintf(path, 128, "%s/%s", f->out, name);
    return path;
}

static bool there(const struct fixture *f, const char *name) {
    char path[128];
    struct stat st;
    return lstat(in_out(f, name, path), &st) == 0;
}

/* Writes OUT/name with its directories. */
static void put(const struct fixture *f, const char *name, const char *text) {
    char path[128];
    struct err err = {0};
    in_out(f, name, path);
    char *slash = strrchr(path, '/');
    *slash = 0;
    assert_int_equal(fs_mkdirs(path, &err), 0);
    *slash = '/';
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect_text(const struct fixture *f, const char *name, const char *want) {
    char path[128];
    struct err err = {0};
    size_t n;
    char *text = fs_read_text(in_out(f, name, path), 1 << 20, &n, &err);
    assert_string_equal(err.text, "");
    assert_string_equal(text, want);
    free(text);
}

static enum outdir_state look(const struct fixture *f) {
    enum outdir_state s = (enum outdir_state)77;
    struct err err = {0};
    assert_int_equal(outdir_look(f->out, &s, &err), 0);
    return s;
}

static void open_out(struct fixture *f) {
    struct err err = {0};
    f->cleaned = true;
    int rc = outdir_open(&f->o, f->out, &f->cleaned, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, 0);
}

/* A manifest of a table with these families and no files. */
static char *manifest_of(const char *const *families, size_t n) {
    char tool[] = "t";
    struct manifest m = {.tool = tool, .settings = json_object()};
    struct err err = {0};
    assert_int_equal(table_handmade(&m.table, &err), 0);
    for (size_t i = 0; i < n; i++) assert_int_equal(table_add_family(&m.table, bytes_str(families[i]), &err), 0);
    char *text = manifest_print(&m, &err);
    assert_string_equal(err.text, "");
    m.tool = NULL;
    manifest_free(&m);
    return text;
}

static int publish(struct fixture *f, const char *const *families, size_t n, struct err *err) {
    char *text = manifest_of(families, n);
    int rc = outdir_publish(&f->o, (char *const *)(uintptr_t)families, n, text, err);
    free(text);
    return rc;
}

/* A whole run: each family gets a file with this text. */
static void run(struct fixture *f, const char *const *families, size_t n, const char *content) {
    struct err err = {0};
    char name[64];
    char *paths[8];
    open_out(f);
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, ".obkv/tmp/%s/p0", families[i]);
        put(f, name, content);
        snprintf(name, sizeof name, "%s/p0", families[i]);
        paths[i] = strdup(name);
    }
    assert_int_equal(outdir_sync_files(&f->o, paths, n, 2, &err), 0);
    for (size_t i = 0; i < n; i++) free(paths[i]);
    assert_int_equal(publish(f, families, n, &err), 0);
    assert_string_equal(err.text, "");
    outdir_close(&f->o);
}

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
    expect_text(&f, "a/p0", "one");
    expect_text(&f, "b/p0", "one");
    assert_true(there(&f, "MANIFEST.json") && !there(&f, ".obkv/journal") && !there(&f, ".obkv/tmp"));
    open_out(&f); /* a run that stops before it publishes leaves a finished dataset as it was */
    assert_false(f.cleaned);
    put(&f, ".obkv/tmp/a/p0", "two");
    outdir_close(&f.o);
    assert_int_equal(look(&f), OUTDIR_FINISHED);
    expect_text(&f, "a/p0", "one");
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
    put(&f, ".obkv/tmp/a/p0", "half");
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
    put(&f, ".obkv/tmp/a/p0", "new");
    assert_int_equal(publish(&f, ab, 2, &err), -1); /* there is no tmp/b: seen before anything is renamed */
    assert_non_null(strstr(err.text, "tmp/b"));
    outdir_close(&f.o);
    assert_true(!there(&f, "a") && !there(&f, ".obkv"));
    put(&f, "a/p0", "new");
    put(&f, ".obkv/journal", "a\nb\n");
    put(&f, ".obkv/tmp/b/p0", "new");
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
    expect_text(&f, "a/p0", "one");
    assert_int_equal(look(&f), OUTDIR_FINISHED);
    end(&f);
}

/* A journal that names what none may name is refused whole: what it names besides stays, too. */
static void test_hostile_journal(void **state) {
    (void)state;
    static const char *const journals[] = {"a\n../precious\n",
                                           "a\n..\n",
                                           "a\n.\n",
                                           "a\n/tmp\n",
                                           "a\n\n",
                                           "a\na/p0\n",
                                           "a\n.obkv\n",
                                           "a\n.old ../precious\n",
                                           "a\n.old \n",
                                           ".replace a\n",
                                           "a\n.replaces\n",
                                           "a\nMANIFEST.json\n",
                                           ".replace\n.old a\n.old .obkv\n"};
    for (size_t i = 0; i < countof(journals); i++) {
        struct fixture f;
        struct err err = {0};
        begin(&f);
        put(&f, "../precious", "p");
        put(&f, "a/p0", "x");
        put(&f, ".obkv/tmp/MANIFEST.json", "x");
        put(&f, ".obkv/journal", journals[i]);
        assert_int_equal(outdir_open(&f.o, f.out, &f.cleaned, &err), -1);
        assert_int_equal(err.code, ERR_USAGE);
        assert_non_null(strstr(err.text, "was not written by this program"));
        assert_true(there(&f, "../precious") && there(&f, "a/p0") && there(&f, ".obkv/tmp") && there(&f, ".obkv/journal"));
        assert_false(there(&f, "MANIFEST.json"));
        outdir_close(&f.o);
        end(&f);
    }
}

/* Nor is anything removed that no run can have written: directories in directories, links. */
static void test_journal_of_others(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    char link[300];
    begin(&f);
    put(&f, "a/p0", "x");
    put(&f, "mine/letters/1", "x");
    put(&f, ".obkv/journal", "a\nmine\n");
    assert_int_equal(outdir_open(&f.o, f.out, &f.cleaned, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    assert_non_null(strstr(err.text, "no output of this program"));
    assert_true(there(&f, "mine/letters/1") && there(&f, "a/p0"));
    outdir_close(&f.o);
    snprintf(link, sizeof link, "%s/link", f.out);
    assert_int_equal(symlink("mine", link), 0);
    put(&f, ".obkv/journal", "a\nlink\n");
    err = (struct err){0};
    assert_int_equal(outdir_open(&f.o, f.out, &f.cleaned, &err), -1);
    assert_true(there(&f, "link") && there(&f, "a/p0"));
    outdir_close(&f.o);
    put(&f, ".obkv/journal", "a\n");
    open_out(&f);
    assert_true(there(&f, "mine/letters/1") && !there(&f, "a/p0"));
    outdir_close(&f.o);
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
    expect_text(&f, "b/p0", "new");
    expect_text(&f, "c/p0", "new");
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
    put(&f, ".obkv/tmp/c/p0", "new");
    assert_int_equal(publish(&f, cd, 2, &err), -1); /* there is no tmp/d */
    outdir_close(&f.o);
    expect_text(&f, "a/p0", "old");
    assert_true(there(&f, "MANIFEST.json") && !there(&f, ".obkv/journal"));
    put(&f, ".obkv/journal", ".replace\nc\n.old a\n.old b\n");
    put(&f, ".obkv/tmp/c/p0", "new");
    char from[128], to[128];
    assert_int_equal(rename(in_out(&f, "b", from), in_out(&f, ".obkv/tmp/b", to)), 0); /* already out of place */
    assert_int_equal(link(in_out(&f, "MANIFEST.json", from), in_out(&f, ".obkv/tmp/MANIFEST.json", to)), 0);
    err = (struct err){0};
    assert_int_equal(manifest_load(f.out, &m, &err), 0); /* completes it */
    manifest_free(&m);
    expect_text(&f, "c/p0", "new");
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
    put(&f, ".obkv/tmp/a/p0", "two");
    assert_int_equal(publish(&f, ab, 1, &err), 0);
    outdir_close(&f.o);
    expect_text(&f, "_report/rejects.txt", "of two");
    expect_text(&f, "a/p0", "two");
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
    put(&f, ".obkv/tmp/a/p0", "mine");
    assert_int_equal(outdir_open(&second, f.out, &cleaned, &err), -1);
    assert_int_equal(err.code, ERR_BUSY);
    assert_non_null(strstr(err.text, "another run is working on it"));
    expect_text(&f, ".obkv/tmp/a/p0", "mine"); /* the one refused touches nothing */
    outdir_close(&second);                     /* closing what did not open does no harm */
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
            if (err.code != ERR_BUSY) return fprintf(stderr, "# %s\n", err.text), 1;
            continue;
        }
        int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (fd < 0) return perror("# inside"), 2;
        close(fd);
        if (access(path, F_OK)) return perror("# removed by another"), 3;
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
    char present[] = "a/p0", absent[] = "a/p1";
    char *paths[] = {present, absent, present};
    begin(&f);
    open_out(&f);
    put(&f, ".obkv/tmp/a/p0", "x");
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
        cmocka_unit_test(test_hostile_journal),
        cmocka_unit_test(test_journal_of_others),
        cmocka_unit_test(test_overwrite),
        cmocka_unit_test(test_killed_while_overwriting),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_sync_names_the_file),
    };
    return cmocka_run_group_tests_name("outdir", tests, NULL, NULL);
}
