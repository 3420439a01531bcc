/* Paths of members of packs: what was made is taken apart, nothing else is, and a member has its own bytes only. */
#include "flat_cells.h"

#include "base/fs.h"
#include "hfile/block.h"
#include "hfile/pack_member.h"

#include <stdio.h>
#include <unistd.h>

static void test_paths(void **state) {
    (void)state;
    static const char *const others[] = {"f/w00000.pack",
                                         "f/w00000.pack/p00001-000.hfile",
                                         "f/w00000.pack/p00001-000.hfile@1",
                                         "f/w00000.pack/p@1+",
                                         "f/w00000.pack/p@+1",
                                         "f/w00000.pack/p@1+2x",
                                         "f/w00000.pack/p@-1+2",
                                         "f/w00000.run/p@1+2",
                                         ".pack/p@1+2",
                                         "p@1+2",
                                         "f/w00000.pack/p@99999999999999999999+1",
                                         ""};
    struct err err = {0};
    struct pack_member m;
    char *pack = pack_member_pack_path("a.pack", 3, &err), *path = pack_member_path(pack, 17, 4, 123, UINT64_MAX, &err);
    assert_string_equal(path, "a.pack/w00003.pack/p00017-004.hfile@123+18446744073709551615");
    assert_true(pack_member_pack_is(pack) && !pack_member_pack_is(path) && !pack_member_pack_is(".pack"));
    assert_true(pack_member_parse(path, &m) && m.offset == 123 && m.bytes == UINT64_MAX);
    assert_string_equal(m.pack, pack);
    for (size_t i = 0; i < countof(others); i++) assert_false(pack_member_parse(others[i], &m));
    free(pack);
    free(path);
}

static void test_bytes(void **state) {
    (void)state;
    char dir[] = "/tmp/obkv-unit-XXXXXX", pack[64], path[128], p[8], hex[17], whole[17];
    struct err err = {0};
    struct pack_member m;
    struct hfile_bytes bytes;
    struct stat st;
    assert_non_null(mkdtemp(dir));
    snprintf(pack, sizeof pack, "%s/w00000.pack", dir);
    assert_int_equal(fs_write_file(pack, bytes_str("0123456789"), &err), 0);
    snprintf(path, sizeof path, "%s/p00001-000.hfile@3+4", pack);
    assert_true(pack_member_parse(path, &m));
    assert_int_equal(pack_member_open(&m, path, &bytes, &err), 0);
    assert_int_equal(bytes.size, 4);
    assert_int_equal(hfile_bytes_read(&bytes, p, 4, 0, path, &err), 0);
    assert_memory_equal(p, "3456", 4);
    assert_int_equal(hfile_bytes_read(&bytes, p, 2, 3, path, &err), -1);
    hfile_bytes_close(&bytes);
    assert_int_equal(pack_member_stat(path, &st), 0);
    assert_int_equal(st.st_size, 4);
    assert_int_equal(pack_member_stat(pack, &st), 0);
    assert_int_equal(st.st_size, 10);
    err = (struct err){0};
    assert_int_equal(pack_member_sum(path, hex, &err), 0);
    snprintf(path, sizeof path, "%s/part", dir);
    assert_int_equal(fs_write_file(path, bytes_str("3456"), &err), 0);
    assert_int_equal(pack_member_sum(path, whole, &err), 0);
    assert_string_equal(hex, whole);
    snprintf(path, sizeof path, "%s/p@8+3", pack);
    assert_int_equal(pack_member_sum(path, hex, &err), -1);
    assert_non_null(strstr(err.text, "w00000.pack: ends at byte 10"));
    err = (struct err){0};
    assert_true(pack_member_parse(path, &m));
    assert_int_equal(pack_member_open(&m, path, &bytes, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_int_equal(fs_remove_tree(dir, &err), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_paths), cmocka_unit_test(test_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
