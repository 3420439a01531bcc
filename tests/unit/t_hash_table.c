/* Manifests of HBase's HashTable job: Java properties with escapes, and what its Scan is made of. The job's own output is read by
 * tests/cli/obkv-verify/hashtable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cmd/verify/hashtable/hash_table.h"

#include <stdio.h>

static int note(void *arg, const char *key, const char *value, struct err *err) {
    return buf_printf(arg, err, "[%s][%s]", key, value);
}

static void parsed(const char *text, const char *want) {
    struct buf got = {0};
    struct err err = {0};
    assert_int_equal(properties_parse(bytes_str(text), note, &got, &err), 0);
    assert_int_equal(buf_put_byte(&got, 0, &err), 0);
    assert_string_equal((char *)got.p, want);
    buf_free(&got);
}

/* As java.util.Properties reads them. */
static void test_properties(void **state) {
    (void)state;
    parsed("", "");
    parsed("\n# a=b\n  ! c=d\r\n\t\n", "");
    parsed("a=b\nc:d\re f\r\ng = h ", "[a][b][c][d][e][f][g][h ]");
    parsed("a\nb=\n=c\n", "[a][][b][][][c]");
    parsed("a\\=b\\:c\\ d=e=f:g", "[a=b:c d][e=f:g]");
    parsed("a=1\\\n   2\\\r\n3\nb=\\", "[a][123][b][]");
    parsed("a=\\t\\n\\x\\\\", "[a][\t\nx\\]");
    parsed("a=\\u0041\\u00e4\\u20AC\\ud83d\\ude00", "[a][A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80]");
    parsed("a=x#y!z", "[a][x#y!z]");
}

static void refused(struct bytes text, const char *why) {
    struct buf got = {0};
    struct err err = {0};
    assert_int_equal(properties_parse(text, note, &got, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_string_equal(err.text, why);
    buf_free(&got);
}

static void test_malformed_properties(void **state) {
    (void)state;
    refused(bytes_str("\na=\\u12"), "line 2: \\u needs four hex digits");
    refused(bytes_str("a=\\u12g4"), "line 1: \\u needs four hex digits");
    refused(bytes_str("a=\\u0000"), "line 1: a NUL character");
    refused(bytes_of("a=\0", 3), "line 1: a NUL byte");
}

static void manifest(const char *text, struct hash_table *t, const char *why) {
    struct err err = {0};
    assert_int_equal(hash_table_parse("m", bytes_str(text), t, &err), *why ? -1 : 0);
    assert_string_equal(err.text, why);
    if (*why) hash_table_free(t);
}

static void test_manifest(void **state) {
    struct hash_table t;
    (void)state;
    manifest("#Sat Nov 21 07:21:03 UTC 2026\ntable=ns\\:t\nnumHashFiles=1\ntargetBatchSize=8000\nrawScan=false\n", &t, "");
    assert_string_equal(t.table, "ns:t");
    assert_int_equal(t.versions, 1); /* Scan's default */
    assert_int_equal(t.start_ms, 0);
    assert_true(t.end_ms == INT64_MAX && t.made_ms == 1795245663000 && !t.raw && t.digest == MESSAGE_MD5);
    assert_true(hash_table_has_family(&t, bytes_str("any")));
    hash_table_free(&t);
    manifest("#Sat Nov 21 07:21:03 CST 2026\ntable=t\nnumHashFiles=2\ncolumnFamilies=a,,b,,\nversions=7\nstartTimestamp=5\n"
             "startRowHex=00Ff\nstopRowHex=61\nrawScan=true\nhashAlgorithm=sha-256\n",
             &t, "");
    assert_true(t.made_ms == -1 && t.raw && t.versions == 7 && t.start_ms == 5 && t.digest == MESSAGE_SHA256);
    assert_true(hash_table_has_family(&t, bytes_str("a")) && hash_table_has_family(&t, bytes_str("b")) &&
                !hash_table_has_family(&t, bytes_str("c")));
    assert_true(bytes_eq(buf_bytes(&t.start_row), bytes_of("\0\xff", 2)) && bytes_eq(buf_bytes(&t.stop_row), bytes_str("a")));
    hash_table_free(&t);
}

static void test_manifests_refused(void **state) {
    struct hash_table t;
    (void)state;
    manifest("table=t\n", &t, "m: numHashFiles is missing: not the manifest of a HashTable job");
    manifest("numHashFiles=1\n", &t, "m: table is missing: not the manifest of a HashTable job");
    manifest("numHashFiles=0\n", &t, "m: numHashFiles=0: expected a number from 1 to 99999");
    manifest("numHashFiles=1x\n", &t, "m: numHashFiles=1x: expected a number from 1 to 99999");
    manifest("startRowHex=0\n", &t, "m: startRowHex=0: expected an even number of hex digits");
    manifest("hashAlgorithm=CRC\n", &t,
             "m: hashAlgorithm=CRC is not supported; make the hashes with MD5, SHA-1, SHA-256, SHA-384 or SHA-512");
}

static void test_digests(void **state) {
    static const struct {
        const char *name, *hex;
    } abc[] = {{"md5", "900150983cd24fb0d6963f7d28e17f72"},
               {"SHA-1", "a9993e364706816aba3e25717850c26c9cd0d89d"},
               {"SHA-256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}};
    (void)state;
    for (size_t i = 0; i < countof(abc); i++) {
        enum message_digest_kind kind;
        struct message_digest d;
        uint8_t out[MESSAGE_DIGEST_MAX_BYTES];
        char hex[2 * MESSAGE_DIGEST_MAX_BYTES + 1] = "";
        assert_true(message_digest_named(abc[i].name, &kind));
        message_digest_begin(&d, kind);
        message_digest_add(&d, "a", 1);
        message_digest_add(&d, "", 0);
        message_digest_add(&d, "bc", 2);
        message_digest_end(&d, out);
        for (size_t k = 0; k < message_digest_bytes(kind); k++) sprintf(hex + 2 * k, "%02x", out[k]);
        assert_string_equal(hex, abc[i].hex);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_properties), cmocka_unit_test(test_malformed_properties),
                                       cmocka_unit_test(test_manifest), cmocka_unit_test(test_manifests_refused),
                                       cmocka_unit_test(test_digests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
