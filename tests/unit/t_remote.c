/* URLs of inputs and what they ask of which server; pages of listings, headers and errors as servers send them; profiles of a
 * credentials file. tests/cli/remote.py has the requests themselves. */
#include "cmd/common/remote_credentials.h"
#include "cmd/common/remote_inputs.h"
#include "formats/remote/remote_address.h"
#include "formats/remote/remote_hdfs.h"
#include "formats/remote/remote_headers.h"
#include "formats/remote/remote_identity.h"
#include "formats/remote/remote_keys.h"
#include "formats/remote/remote_s3.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct remote_opts none,
    moto = {.s3 = {.endpoint = "http://127.0.0.1:5000/"}},
    oss = {.s3 = {.endpoint = "https://oss.example/", .region = "cn-1", .in_host = true}}, west = {.s3 = {.region = "us-west-2"}},
    pair = {.hdfs = {.namenodes = "nn1,nn2:14000", .user = "a b"}}, token = {.hdfs = {.token = "a+b/c=", .user = "nobody"}};

/* "bases bucket path pattern query" of a URL, or its error. */
static void asks(const char *url, const struct remote_opts *o, const char *want) {
    struct remote_address a;
    struct err err = {0};
    char got[1024] = "";
    if (remote_address_parse(url, o, &a, &err)) {
        snprintf(got, sizeof got, "%s", err.text);
    } else {
        size_t n = 0;
        for (unsigned i = 0; i < a.source->n_bases; i++)
            n += (size_t)snprintf(got + n, sizeof got - n, "%s ", a.source->bases[i]);
        snprintf(got + n, sizeof got - n, "[%s] [%s] [%s] [%s]", a.source->bucket ? a.source->bucket : "", a.path,
                 a.pattern ? a.pattern : "", a.source->query ? a.source->query : "");
    }
    assert_string_equal(got, want);
    remote_address_free(&a);
    remote_source_free(a.source);
}

static void urls_of_s3(void **state) {
    (void)state;
    asks("s3://bucket/a/b.csv", &none, "https://bucket.s3.us-east-1.amazonaws.com [] [a/b.csv] [] []");
    asks("S3A://bucket", &west, "https://bucket.s3.us-west-2.amazonaws.com [] [] [] []");
    asks("s3://a.b/x/", &none, "https://s3.us-east-1.amazonaws.com [a.b] [x] [] []"); /* the certificate has no such name */
    asks("s3://bucket/a//b*/c", &moto, "http://127.0.0.1:5000 [bucket] [a] [a//b*/c] []");
    asks("s3://bucket/50%", &oss, "https://bucket.oss.example [] [50%] [] []");
    asks("s3:///a", &none, "s3:///a: the URL names no host or bucket");
    asks("s3://a@b/c", &none, "a URL with a user or password is not read; see docs/remote.md for where credentials go");
}

static void urls_of_hdfs(void **state) {
    (void)state;
    asks("hdfs://nn:8020/a", &none, "http://nn:9870 [] [a] [] []"); /* 8020 is the port of RPC */
    asks("webhdfs://nn:14000/a/*.csv", &none, "http://nn:14000 [] [a] [a/*.csv] []");
    asks("swebhdfs://nn/", &none, "https://nn:9870 [] [] [] []");
    asks("hdfs://cluster/a", &pair, "http://nn1:9870 http://nn2:14000 [] [a] [] [user.name=a%20b]");
    asks("webhdfs://nn:1/a", &pair, "http://nn:1 [] [a] [] [user.name=a%20b]");
    asks("hdfs://nn/a", &token, "http://nn:9870 [] [a] [] [delegation=a%2Bb%2Fc%3D]");
}

static void urls_of_http(void **state) {
    (void)state;
    asks("https://h/a%20b.csv?sig=x*y", &none, "https://h [] [a%20b.csv] [] [sig=x*y]");
    asks("http://h/a*b", &none, "http://h [] [a*b] [] []"); /* no patterns: nobody lists */
    asks("http://h/?x", &none, "http://h/: the URL names no file");
    asks("ftp://h/a", &none, "ftp://h/a: is no URL that is read");
    assert_int_equal(remote_scheme("s3a://x"), 3);
    assert_int_equal(remote_scheme("s3ab://x"), 0);
    assert_int_equal(remote_scheme("a/s3://x"), 0);
}

/* ---- pages ---- */

static int keep_file(void *arg, const char *path, const struct remote_facts *f, struct err *err) {
    char *to = arg, text[200];
    (void)err;
    snprintf(text, sizeof text, "%s %lld %lld %s;", path, (long long)f->bytes, (long long)f->mtime_ms, f->tag);
    strcat(to, text);
    return 0;
}

static void pages_of_s3(void **state) {
    char got[400] = "";
    const struct remote_found found = {keep_file, got};
    struct buf next = {0};
    struct err err = {0};
    (void)state;
    static const char page[] =
        "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a/b=</NextContinuationToken>"
        "<Contents><Key>x &amp; y</Key><LastModified>1970-01-02T00:00:00.000Z</LastModified>"
        "<ETag>&quot;e&quot;</ETag><Size>12</Size><Owner><Key>no</Key></Owner></Contents></ListBucketResult>";
    assert_int_equal(remote_s3_page(bytes_str(page), "s3://b/p", &found, &next, &err), 0);
    assert_string_equal(got, "x & y 12 86400000 \"e\";");
    assert_int_equal(next.n, 4);
    assert_memory_equal(next.p, "a/b=", 4);
    static const char *const bad[] = {
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", /* and no token */
        "<ListBucketResult><Contents><Key>x</Key><Size>-1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>x</Key><Size>12", /* cut off */
        "<Error><Code>x</Code></Error>",
        "<!DOCTYPE l [<!ENTITY e \"x\">]><ListBucketResult>&e;</ListBucketResult>",
    };
    for (size_t i = 0; i < countof(bad); i++) {
        struct err e = {0};
        assert_int_equal(remote_s3_page(bytes_str(bad[i]), "s3://b/p", &found, &next, &e), -1);
        assert_int_equal(e.code, ERR_INPUT);
    }
    buf_free(&next);
}

static int keep_entry(void *arg, const struct remote_hdfs_entry *e, struct err *err) {
    char *to = arg, text[200];
    (void)err;
    snprintf(text, sizeof text, "%s%s %lld;", e->name, e->is_dir ? "/" : "", (long long)e->facts.bytes);
    strcat(to, text);
    return 0;
}

#define ENTRY(name, type, length) \
    "{\"pathSuffix\":\"" name "\",\"type\":\"" type "\",\"length\":" length ",\"modificationTime\":7}"
#define BATCH(entries, left)                                                                                                     \
    "{\"DirectoryListing\":{\"partialListing\":{\"FileStatuses\":{\"FileStatus\":[" entries "]}},\"remainingEntries\":" left "}" \
    "}"

static void pages_of_hdfs(void **state) {
    char got[400] = "";
    struct buf last = {0};
    struct err err = {0};
    bool more;
    (void)state;
    const char *page = BATCH(ENTRY("a", "FILE", "3") "," ENTRY("d", "DIRECTORY", "0"), "2");
    assert_int_equal(remote_hdfs_page(bytes_str(page), "h", keep_entry, got, &last, &more, &err), 0);
    assert_string_equal(got, "a 3;d/ 0;");
    assert_true(more);
    assert_string_equal((char *)last.p, "d");
    page = BATCH(ENTRY("z", "FILE", "1"), "0");
    assert_int_equal(remote_hdfs_page(bytes_str(page), "h", keep_entry, got, &last, &more, &err), 0);
    assert_false(more);
    static const char *const bad[] = {
        BATCH("", "3"), /* would be asked for ever */
        BATCH(ENTRY("a/b", "FILE", "1"), "0"),
        BATCH(ENTRY("..", "FILE", "1"), "0"),
        BATCH(ENTRY("a\\u0000b", "FILE", "1"), "0"),
        BATCH(ENTRY("a", "FILE", "-1"), "0"),
        BATCH(ENTRY("a", "SYMLINK", "1"), "0"),
        "{\"FileStatuses\":{}}",
        "<html>",
    };
    for (size_t i = 0; i < countof(bad); i++) {
        struct err e = {0};
        assert_int_equal(remote_hdfs_page(bytes_str(bad[i]), "h", keep_entry, got, &last, &more, &e), -1);
        assert_int_equal(e.code, ERR_INPUT);
    }
    buf_free(&last);
}

static void headers_and_faults(void **state) {
    static const char *const lines[] = {"HTTP/1.1 307 Moved\r\n",
                                        "Content-Length: 9\r\n",
                                        "HTTP/1.1 206 OK\r\n",
                                        "content-length:  5",
                                        "Content-Range: bytes 10-14/100\r\n",
                                        "ETag: \"x\"\r\n",
                                        "Last-Modified: Thu, 01 Jan 1970 00:00:01 GMT\r\n"};
    struct remote_headers h;
    struct remote_fault f;
    (void)state;
    remote_headers_begin(&h);
    for (size_t i = 0; i < countof(lines); i++) remote_headers_line(&h, bytes_str(lines[i]));
    assert_true(h.body == 5 && h.first == 10 && h.last == 14 && h.facts.bytes == 100 && h.facts.mtime_ms == 1000);
    assert_string_equal(h.facts.tag, "\"x\"");
    remote_fault_parse(bytes_str("<Error><Code>SlowDown</Code><Message>wait</Message></Error>"), &f);
    assert_string_equal(f.code, "SlowDown");
    assert_string_equal(f.text, "wait");
    remote_fault_parse(
        bytes_str("{\"RemoteException\":{\"exception\":\"StandbyException\",\"message\":\"\\u001b[2J one\\ntwo\"}}"), &f);
    assert_string_equal(f.code, "StandbyException");
    assert_string_equal(f.text, " [2J one");
    remote_fault_parse(bytes_str("<html>"), &f);
    assert_string_equal(f.code, "");
}

static void profiles(void **state) {
    static const char text[] = "# keys\n[default]\naws_access_key_id=A\naws_secret_access_key = S=1 \n[ night ]\nregion = x\n"
                               "aws_access_key_id = B\naws_secret_access_key=T\naws_session_token=U\n";
    struct s3_credentials c = {0};
    struct err err = {0};
    (void)state;
    assert_int_equal(s3_credentials_parse(bytes_str(text), "f", "default", &c, &err), 1);
    assert_string_equal(c.key_id, "A");
    assert_string_equal(c.secret, "S=1");
    assert_null(c.token);
    s3_credentials_free(&c);
    assert_int_equal(s3_credentials_parse(bytes_str(text), "f", "night", &c, &err), 1);
    assert_string_equal(c.secret, "T");
    assert_string_equal(c.token, "U");
    s3_credentials_free(&c);
    assert_int_equal(s3_credentials_parse(bytes_str(text), "f", "day", &c, &err), 0);
    s3_credentials_free(&c);
}

static void keys_of_an_identity(void **state) {
    static const char *const bad[] = {
        "", "<R><AccessKeyId>A</AccessKeyId></R>",
        "<R><AccessKeyId>A</AccessKeyId><SecretAccessKey>S</SecretAccessKey><SessionToken>T</SessionToken></R>", /* for ever? */
        ("<R><AccessKeyId>A</AccessKeyId><SecretAccessKey>S</SecretAccessKey><SessionToken>T</SessionToken>"
         "<Expiration>1970-01-02T00:00:00Z</Expiration>"), /* cut off */
    };
    struct remote_keys k;
    struct err err = {0};
    (void)state;
    remote_keys_begin(&k);
    assert_int_equal(remote_identity_parse(bytes_str("<R><C><AccessKeyId>A</AccessKeyId><SecretAccessKey>S&amp;</SecretAccessKey>"
                                                     "<SessionToken>T</SessionToken><Expiration>1970-01-02T00:00:00Z</Expiration>"
                                                     "</C></R>"),
                                           &k, &err),
                     0);
    assert_string_equal((char *)k.secret.p, "S&");
    assert_int_equal(k.until_s, 86400);
    remote_keys_end(&k);
    for (size_t i = 0; i < countof(bad); i++) {
        struct err e = {0};
        remote_keys_begin(&k);
        assert_int_equal(remote_identity_parse(bytes_str(bad[i]), &k, &e), -1);
        assert_int_equal(e.code, ERR_INPUT);
        remote_keys_end(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(urls_of_s3),    cmocka_unit_test(urls_of_hdfs),
                                       cmocka_unit_test(urls_of_http),  cmocka_unit_test(pages_of_s3),
                                       cmocka_unit_test(pages_of_hdfs), cmocka_unit_test(headers_and_faults),
                                       cmocka_unit_test(profiles),      cmocka_unit_test(keys_of_an_identity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
