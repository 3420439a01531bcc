/* Secrets: files that are refused, what is masked in messages, core dumps that are off while one is held. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/login_mask.h"
#include "base/secret.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void masked(const char *text, const char *want) {
    char own[400];
    snprintf(own, sizeof own, "%s", text);
    login_mask(own);
    assert_string_equal(own, want);
}

static void texts(void **state) {
    (void)state;
    masked("no URL: a@b, c:d@e", "no URL: a@b, c:d@e");
    masked("mysql://root:pw@h:1/db", "mysql://***@h:1/db");
    masked("'mysql://root:p@w@h:1/db' and s3://k:s@b/x", "'mysql://***@h:1/db' and s3://***@b/x");
    masked("mysql://root:p/w@h:1/db: no", "mysql://***@h:1/db: no");
    masked("http://u@h/x", "http://*@h/x");
    masked("http://h/a@b", "http://h/a@b");
    masked("http://h:80/a@b", "http://h:80/a@b");
    masked("http://[::1]:80/a@b", "http://[::1]:80/a@b");
    masked("s3://b/x?y=a@b c@d", "s3://b/x?y=a@b c@d");
    masked("x://a:b@", "x://***@");
    masked("://", "://");
    masked("x://a@h x://b@h", "x://*@h x://*@h");
}

static void addresses(void **state) {
    static const char *const pairs[][2] = {{"root:pw@h:1/db", "***@h:1/db"},
                                           {"root:p@w/x@h:1/db", "***@h:1/db"},
                                           {"mysql://a:b/c@h/db", "mysql://***@h/db"},
                                           {"h:1/db", "h:1/db"},
                                           {"h:1/db?password=pw", "h:1/db?***"},
                                           {"jdbc:mysql://u@h:1/db?user=u&password=pw", "jdbc:mysql://*@h:1/db?***"},
                                           {"@h", "@h"}};
    char out[64];
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(login_mask_address(pairs[i][0], out, sizeof out), pairs[i][1]);
}

static void users(void **state) {
    static const char *const pairs[][2] = {{"root:secret", "root:***"}, {"root@sys:p:w", "root@sys:***"},
                                           {"root@sys", "root@sys"},    {"c:t:root", "c:t:root"},
                                           {"root@t#c", "root@t#c"},    {"root", "root"}};
    char out[64];
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_string_equal(login_mask_user(pairs[i][0], out, sizeof out), pairs[i][1]);
        assert_int_equal(login_has_password(pairs[i][0]), strcmp(pairs[i][0], pairs[i][1]) != 0);
    }
}

static char *read_of(const char *content, mode_t mode, struct err *err) {
    char path[] = "/tmp/t_secret.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    *err = (struct err){0};
    char *secret = secret_read(path, "password file", err);
    unlink(path);
    return secret;
}

static void refused(const char *content, mode_t mode, const char *part) {
    struct err err;
    assert_null(read_of(content, mode, &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_non_null(strstr(err.text, part));
}

static void files(void **state) {
    struct err err;
    (void)state;
    char *secret = read_of("a b\tc\r\nsecond line\n", 0600, &err);
    assert_string_equal(secret, "a b\tc");
    secret_wipe(&secret);
    assert_null(secret);
    refused("pw\n", 0644, "other users can read it");
    refused("pw\n", 0602, "other users can read it");
    refused("\xef\xbb\xbfpw\n", 0600, "byte order mark");
    refused("\xff\xfep", 0600, "byte order mark");
    refused("pw \n", 0600, "ends in a blank");
    refused("pw\t", 0600, "ends in a blank");
    refused("\npw\n", 0600, "is empty");
    refused("", 0600, "is empty");
    static const char *const missing[][2] = {
        {"s3cr3t", "***"}, {"/no/such/s3cr3t", "***"}, {"/tmp/no such file", "/tmp/no such"}};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        err = (struct err){0};
        assert_null(secret_read(missing[i][0], "password file", &err));
        assert_int_equal(err.code, ERR_INPUT);
        assert_non_null(strstr(err.text, missing[i][1]));
        assert_null(strstr(err.text, "s3cr3t"));
    }
}

static void holds(void **state) {
    struct secret_hold h = {0};
    struct rlimit before, now;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_CORE, &before), 0);
    assert_int_equal(prctl(PR_GET_DUMPABLE), 1);
    secret_release(&h);
    secret_hold(&h);
    secret_hold(&h);
    assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
    assert_int_equal(getrlimit(RLIMIT_CORE, &now), 0);
    assert_int_equal(now.rlim_cur, 0);
    assert_int_equal(now.rlim_max, before.rlim_max);
    secret_release(&h);
    assert_int_equal(prctl(PR_GET_DUMPABLE), 1);
    assert_int_equal(getrlimit(RLIMIT_CORE, &now), 0);
    assert_int_equal(now.rlim_cur, before.rlim_cur);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(addresses), cmocka_unit_test(users),
                                       cmocka_unit_test(files), cmocka_unit_test(holds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
