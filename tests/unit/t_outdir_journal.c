/* Journals that no program of ours has written, and files of others where an output is: nothing of theirs is moved or removed. */
#include "made_outdir.h"

static const char *const ab[] = {"a", "b"}, *const bc[] = {"b", "c"};

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
        put(&f, "a/p00000-000.hfile", "x");
        put(&f, ".obkv/tmp/MANIFEST.json", "x");
        put(&f, ".obkv/journal", journals[i]);
        assert_int_equal(outdir_open(&f.o, f.out, &f.cleaned, &err), -1);
        assert_int_equal(err.code, ERR_USAGE);
        assert_non_null(strstr(err.text, "was not written by this program"));
        assert_true(there(&f, "../precious") && there(&f, "a/p00000-000.hfile") && there(&f, ".obkv/tmp") &&
                    there(&f, ".obkv/journal"));
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
    put(&f, "a/p00000-000.hfile", "x");
    put(&f, "mine/letters/1", "x");
    put(&f, ".obkv/journal", "a\nmine\n");
    assert_int_equal(outdir_open(&f.o, f.out, &f.cleaned, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    assert_non_null(strstr(err.text, "not an output of this program"));
    assert_true(there(&f, "mine/letters/1") && there(&f, "a/p00000-000.hfile"));
    outdir_close(&f.o);
    snprintf(link, sizeof link, "%s/link", f.out);
    assert_int_equal(symlink("mine", link), 0);
    put(&f, ".obkv/journal", "a\nlink\n");
    err = (struct err){0};
    assert_int_equal(outdir_open(&f.o, f.out, &f.cleaned, &err), -1);
    assert_true(there(&f, "link") && there(&f, "a/p00000-000.hfile"));
    outdir_close(&f.o);
    put(&f, ".obkv/journal", "a\n");
    open_out(&f);
    assert_true(there(&f, "mine/letters/1") && !there(&f, "a/p00000-000.hfile"));
    outdir_close(&f.o);
    end(&f);
}

/* A journal that somebody has planted: files and flat directories of others stay, whether it undoes or replaces, and so does all
 * that is named beside them. */
static void test_planted_journal(void **state) {
    (void)state;
    static const char *const journals[] = {"a\nprecious\n",
                                           "a\nletters\n",
                                           "a\nphotos\n",
                                           "a\nwalks\n",
                                           "precious\na\n",
                                           ".replace\n.old precious\n.old a\n",
                                           ".replace\na\nletters\n",
                                           ".replace\n.old a\n.old photos\n"};
    for (size_t i = 0; i < countof(journals); i++) {
        struct fixture f;
        struct err err = {0};
        begin(&f);
        put(&f, "a/p00000-000.hfile", "x");
        put(&f, "precious", "p");
        put(&f, "letters/one", "1");
        put(&f, "photos/p00001.hfile", "no number");
        put(&f, "photos/p00001-000.hfile.txt", "another ending");
        put(&f, "walks/weekend.run", "no number");
        put(&f, ".obkv/tmp/MANIFEST.json", "x");
        put(&f, ".obkv/tmp/a/p00000-000.hfile", "planted");
        put(&f, ".obkv/tmp/letters/p00000-000.hfile", "planted");
        put(&f, ".obkv/journal", journals[i]);
        assert_int_equal(outdir_open(&f.o, f.out, &f.cleaned, &err), -1);
        assert_int_equal(err.code, ERR_USAGE);
        assert_non_null(strstr(err.text, "not an output of this program"));
        outdir_close(&f.o);
        expect_text(&f, "a/p00000-000.hfile", "x");
        expect_text(&f, "precious", "p");
        expect_text(&f, "letters/one", "1");
        assert_true(there(&f, "photos/p00001.hfile") && !there(&f, "MANIFEST.json"));
        end(&f);
    }
}

/* Tests that a file that somebody has put into a dataset is not lost with it: it is seen before anything is moved. */
static void test_overwrite_spares_others(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f);
    run(&f, ab, 2, "one");
    put(&f, "a/notes.txt", "mine");
    open_out(&f);
    put(&f, ".obkv/tmp/b/p00000-000.hfile", "two");
    put(&f, ".obkv/tmp/c/p00000-000.hfile", "two");
    assert_int_equal(publish(&f, bc, 2, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    assert_non_null(strstr(err.text, "a/notes.txt"));
    outdir_close(&f.o);
    expect_text(&f, "a/notes.txt", "mine");
    expect_text(&f, "b/p00000-000.hfile", "one");
    assert_true(!there(&f, "c") && !there(&f, ".obkv/journal") && there(&f, "MANIFEST.json"));
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile_journal),
        cmocka_unit_test(test_journal_of_others),
        cmocka_unit_test(test_planted_journal),
        cmocka_unit_test(test_overwrite_spares_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
