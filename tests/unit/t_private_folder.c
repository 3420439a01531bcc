/* Files whose names others chose stay in their folder. */
#include "base/fs.h"
#include "formats/archive/private_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

/* A link that is put into the way behind its back leads nowhere. */
static void test_folder_and_links(void **state) {
    (void)state;
    struct private_folder f;
    struct err err = {0};
    char path[200];
    assert_int_equal(private_folder_make(&f, "/tmp", &err), 0);
    snprintf(path, sizeof path, "%s/way", f.path);
    assert_int_equal(symlink("/tmp", path), 0);
    assert_int_equal(private_folder_file(&f, "way/x", &err), -1);
    assert_true(err.code == ERR_INPUT || err.code == ERR_OUTPUT);
    err = (struct err){0};
    assert_int_equal(private_folder_add(&f, "way", &err), -1);
    err = (struct err){0};
    assert_int_equal(private_folder_open(&f, "nothing/here", &err), -1);
    assert_int_equal(err.code, ERR_NONE);
    int fd = private_folder_file(&f, "way", &err); /* replaces the link itself */
    assert_true(fd >= 0);
    close(fd);
    private_folder_remove(&f);
    assert_int_equal(fs_exists(path, &err), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_folder_and_links)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
