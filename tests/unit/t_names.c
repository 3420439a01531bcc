/* Names of store files: every form that real directories hold, and what only looks like one. */
#include "metadata_files.h"

#include "formats/hbase/names.h"

#define HEX32 "0123456789abcdef0123456789abcdef"
#define MOB "d41d8cd98f00b204e9800998ecf8427e20231125dd8332d519134b3894d5fcd0b81a0744"
#define REGION "d6d98e0992bc0004944591263698d3e0"

static struct store_name parse(const char *name) {
    struct bytes exact = exact_copy(bytes_str(name));
    struct store_name s = store_name_parse(exact), out = {.kind = s.kind, .has_seq = s.has_seq, .seq = s.seq};
    /* the views point into the copy, or at "default": shown in terms of the text given */
    struct bytes *from[] = {&s.ns, &s.table, &s.region, &s.file}, *to[] = {&out.ns, &out.table, &out.region, &out.file};
    for (size_t i = 0; i < countof(from); i++) {
        bool inside = from[i]->p >= exact.p && from[i]->p + from[i]->n <= exact.p + exact.n;
        *to[i] = inside ? bytes_of(name + (from[i]->p - exact.p), from[i]->n) : *from[i];
    }
    free_bytes(exact);
    return out;
}

static void expect_part(const char *name, const char *what, struct bytes have, const char *want) {
    if (!bytes_eq(have, bytes_str(want))) fail_msg("%s: %s is '%.*s', wanted '%s'", name, what, (int)have.n, have.p, want);
}

static void is_kind(const char *name, enum store_name_kind kind) {
    struct store_name s = parse(name);
    if (s.kind != kind) fail_msg("'%s' is of kind %d, wanted %d", name, s.kind, kind);
    if (s.has_seq) fail_msg("'%s' has a sequence id", name);
}

static void is_link(const char *name, const char *ns, const char *table, const char *region, const char *file) {
    struct store_name s = parse(name);
    if (s.kind != STORE_NAME_LINK) fail_msg("'%s' is of kind %d, wanted a link", name, s.kind);
    expect_part(name, "namespace", s.ns, ns);
    expect_part(name, "table", s.table, table);
    expect_part(name, "region", s.region, region);
    expect_part(name, "file", s.file, file);
}

static void is_reference(const char *name, const char *file, const char *region) {
    struct store_name s = parse(name);
    if (s.kind != STORE_NAME_REFERENCE) fail_msg("'%s' is of kind %d, wanted a reference", name, s.kind);
    expect_part(name, "file", s.file, file);
    expect_part(name, "region", s.region, region);
}

static void files(void **state) {
    (void)state;
    is_kind(HEX32, STORE_NAME_FILE);
    is_kind("1278437856009925445", STORE_NAME_FILE); /* 0.90 */
    is_kind("8f", STORE_NAME_FILE);
    is_kind(HEX32 "_del", STORE_NAME_FILE);
    is_kind(MOB "_del", STORE_NAME_FILE);
    is_kind(MOB "_" REGION, STORE_NAME_MOB);
    is_kind(MOB, STORE_NAME_MOB);
    /* 72 hex digits without a date in the middle */
    is_kind(HEX32 "abcdef01" HEX32, STORE_NAME_FILE);
}

static void bulk_files(void **state) {
    (void)state;
    struct store_name s = parse("477b6e8927744f8595972211e5741c40_SeqId_43_");
    assert_int_equal(s.kind, STORE_NAME_FILE);
    assert_true(s.has_seq);
    assert_int_equal(s.seq, 43);
    s = parse("a_SeqId_0_");
    assert_true(s.has_seq);
    assert_int_equal(s.seq, 0);
    s = parse("a_SeqId_9223372036854775807_");
    assert_true(s.seq == INT64_MAX);
    s = parse("a_SeqId_9223372036854775806_");
    assert_true(s.seq == INT64_MAX - 1);
    s = parse("a_SeqId_99999999999999999999999_");
    assert_true(s.kind == STORE_NAME_FILE && s.seq == INT64_MAX);
    s = parse("t=" REGION "-a_SeqId_7_");
    assert_true(s.kind == STORE_NAME_LINK && s.has_seq && s.seq == 7);
    expect_part("link", "file", s.file, "a_SeqId_7_");
    s = parse("a_SeqId_8_." REGION);
    assert_true(s.kind == STORE_NAME_REFERENCE && s.has_seq && s.seq == 8);
    expect_part("reference", "file", s.file, "a_SeqId_8_");
    s = parse("n=t=" REGION "-a_SeqId_9_." REGION);
    assert_true(s.kind == STORE_NAME_REFERENCE && s.has_seq && s.seq == 9);
}

static void links(void **state) {
    (void)state;
    is_link("orig_c=a3a778263c050709e8676796d1f2f9cd-8e6994cf4b9a45dab5cd23f051d031ac", "default", "orig_c",
            "a3a778263c050709e8676796d1f2f9cd", "8e6994cf4b9a45dab5cd23f051d031ac");
    is_link("ns1=tab=39b0adf39e6dd9ae7983179daa163c0a-ef32b20c397d42babf217b3d8f67bb10", "ns1", "tab",
            "39b0adf39e6dd9ae7983179daa163c0a", "ef32b20c397d42babf217b3d8f67bb10");
    is_link("clone-c.1=" REGION "-8f", "default", "clone-c.1", REGION, "8f");
    is_link("a-b.c-1=" REGION "-8f", "default", "a-b.c-1", REGION, "8f");
    is_link("_n_=_t-.=1028785192-12", "_n_", "_t-.", "1028785192", "12");
    is_link("codecs=2897294da99fe268118344c0143cf50a-" MOB "_" REGION, "default", "codecs", "2897294da99fe268118344c0143cf50a",
            MOB "_" REGION);
    is_link("t=ab-" HEX32 "_del", "default", "t", "ab", HEX32 "_del");
    is_link("t\xc3\xa4g=ab-cd", "default", "t\xc3\xa4g", "ab", "cd");
    /* the region ends at the first '-' that follows the last '=' */
    is_link("a=b=c0-d1", "a", "b", "c0", "d1");
    is_link("t=" REGION "-n=" REGION "-ab", "t", REGION "-n", REGION, "ab");
}

static void references(void **state) {
    (void)state;
    is_reference("0c9ced29f05c4a2a9146b2708cd7a8b0.6171f1694b48e31946999ca28be0e966", "0c9ced29f05c4a2a9146b2708cd7a8b0",
                 "6171f1694b48e31946999ca28be0e966");
    is_reference("1278437856009925445.3323223323", "1278437856009925445", "3323223323");
    is_reference("clone-c.1=27daf816f576e6a96a9018634006706c-19428a9a444c4419b53f472fb5fe9e60.2bff21eabd7d0addaec81b5e275ab9b3",
                 "clone-c.1=27daf816f576e6a96a9018634006706c-19428a9a444c4419b53f472fb5fe9e60",
                 "2bff21eabd7d0addaec81b5e275ab9b3");
    /* a table whose name ends like a reference */
    is_link("x.ab=" REGION "-cd", "default", "x.ab", REGION, "cd");
    is_reference("x.ab=" REGION "-cd." HEX32, "x.ab=" REGION "-cd", HEX32);
}

static void others(void **state) {
    (void)state;
    static const char *const names[] = {"",
                                        ".",
                                        "..",
                                        ".filelist",
                                        ".tmp",
                                        "_tmp",
                                        "_SUCCESS",
                                        "recovered.edits",
                                        "ABCDEF",
                                        HEX32 ".crc",
                                        "." HEX32 ".crc",
                                        HEX32 "_",
                                        HEX32 "_SeqId_",
                                        HEX32 "_SeqId__",
                                        HEX32 "_SeqId_x_",
                                        HEX32 "_SeqId_1",
                                        HEX32 "_SeqId_1_2",
                                        HEX32 "_del_",
                                        HEX32 "_" REGION,
                                        "g" HEX32,
                                        HEX32 "g",
                                        HEX32 ".",
                                        "." HEX32,
                                        HEX32 ".." HEX32,
                                        HEX32 "." HEX32 "." HEX32,
                                        HEX32 "-" HEX32,
                                        "=" REGION "-ab",
                                        "t=" REGION,
                                        "t=" REGION "-",
                                        "t=-ab",
                                        "t=xy-ab",
                                        "t=" REGION "-xy",
                                        "-t=" REGION "-ab",
                                        ".t=" REGION "-ab",
                                        "n-=t=" REGION "-ab",
                                        "=t=" REGION "-ab",
                                        "n==" REGION "-ab",
                                        "a=n=t=" REGION "-ab",

                                        "a/b=" REGION "-ab",
                                        "t=" REGION "-ab.xyz",
                                        "t=" REGION "-ab.",
                                        MOB "_",
                                        MOB "_xyz",
                                        "tab.01=01-" HEX32 ".7_",
                                        "file.hfile",
                                        "6e6811e24620e9f4040cc08526140149.ns_2=tab-clone"};
    for (size_t i = 0; i < countof(names); i++) is_kind(names[i], STORE_NAME_OTHER);
    assert_int_equal(store_name_parse((struct bytes){0}).kind, STORE_NAME_OTHER);
    assert_int_equal(store_name_parse(bytes_of("ab\0cd", 5)).kind, STORE_NAME_OTHER);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files), cmocka_unit_test(bulk_files), cmocka_unit_test(links),
                                       cmocka_unit_test(references), cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
