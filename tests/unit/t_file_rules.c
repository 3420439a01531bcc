/* Parts of nightly compaction that need no dataset: links with their fallbacks, the moment of the next drop, hashes of rules. */
#include "base/fs.h"
#include "base/link_file.h"
#include "base/outfile.h"
#include "cell/cell.h"
#include "engine/file_rules.h"
#include "rules/compact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void links_and_refusals(void **state) {
    (void)state;
    char dir[] = "/tmp/t_file_rules.XXXXXX", from[64], to[64], missing[64];
    struct err err = {0};
    struct disk_quota quota = {.limit_bytes = 1};
    struct stat a, b;
    enum link_way way;
    assert_non_null(mkdtemp(dir));
    snprintf(from, sizeof from, "%s/from", dir);
    snprintf(to, sizeof to, "%s/to", dir);
    snprintf(missing, sizeof missing, "%s/missing", dir);
    write_text(from, "content");
    assert_int_equal(link_file(from, to, &quota, &way, &err), 0);
    assert_int_equal(way, LINK_HARD);
    assert_int_equal(quota.used_bytes, 0); /* a link takes nothing */
    assert_true(!stat(from, &a) && !stat(to, &b) && a.st_ino == b.st_ino);
    assert_int_equal(link_file(from, to, NULL, &way, &err), -1); /* is there */
    assert_int_equal(err.code, ERR_OUTPUT);
    err = (struct err){0};
    unlink(to);
    assert_int_equal(link_file(missing, to, NULL, &way, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    err = (struct err){0};
    assert_int_equal(symlink(from, missing), 0); /* the file behind the name, not the name */
    assert_int_equal(link_file(missing, to, NULL, &way, &err), 0);
    assert_true(!lstat(to, &b) && S_ISREG(b.st_mode) && a.st_ino == b.st_ino);
    assert_int_equal(fs_remove_tree(dir, &err), 0);
}

static void copies_where_links_end(void **state) {
    (void)state;
    char dir[] = "/tmp/t_file_rules.XXXXXX", far[] = "/dev/shm/t_file_rules.XXXXXX", from[64], to[64];
    struct err err = {0};
    struct disk_quota quota = {0};
    struct stat a, b;
    enum link_way way;
    assert_non_null(mkdtemp(dir));
    if (!mkdtemp(far)) skip();
    snprintf(from, sizeof from, "%s/from", dir);
    snprintf(to, sizeof to, "%s/to", far);
    write_text(from, "content");
    if (stat(dir, &a) || stat(far, &b) || a.st_dev == b.st_dev) {
        rmdir(far);
        assert_int_equal(fs_remove_tree(dir, &err), 0);
        skip();
    }
    assert_int_equal(link_file(from, to, &quota, &way, &err), 0);
    assert_int_equal(way, LINK_COPIED);
    assert_int_equal(quota.used_bytes, strlen("content"));
    size_t n;
    char *text = fs_read_text(to, 100, &n, &err);
    assert_string_equal(text, "content");
    free(text);
    unlink(to);
    quota = (struct disk_quota){.limit_bytes = 3};
    assert_int_equal(link_file(from, to, &quota, &way, &err), -1); /* and nothing is left */
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(access(to, F_OK), -1);
    err = (struct err){0};
    assert_int_equal(fs_remove_tree(dir, &err) || fs_remove_tree(far, &err), 0);
}

static int64_t drop_of(const struct family_rules *f, int64_t now_ms, struct cell c) {
    int64_t at = INT64_MAX;
    next_expiry_note(f, now_ms, &c, &at);
    return at;
}

static void next_drops(void **state) {
    (void)state;
    uint8_t tag[TTL_TAG_BYTES];
    struct family_rules f = {.versions = 1};
    struct cell put = {.ts_ms = 1000, .type = CELL_PUT}, marker = {.ts_ms = 1000, .type = CELL_DELETE_COLUMN};
    assert_int_equal(drop_of(&f, 2000, put), INT64_MAX);
    f.ttl_s = 5;
    assert_int_equal(drop_of(&f, 2000, put), 6001);
    assert_int_equal(drop_of(&f, 6000, put), 6001);
    assert_int_equal(drop_of(&f, 6001, put), INT64_MAX); /* it has passed: MIN_VERSIONS holds the cell */
    f.purge_deletes_after_ms = 300;
    assert_int_equal(drop_of(&f, 1000, marker), 1301);
    assert_int_equal(drop_of(&f, 1000, put), 6001);
    cell_put_ttl_tag(tag, 70);
    put.tags = bytes_of(tag, sizeof tag);
    assert_int_equal(drop_of(&f, 1000, put), 1071);
    cell_put_ttl_tag(tag, INT64_MAX);
    assert_int_equal(drop_of(&f, 1000, put), 6001); /* the sum does not fit */
}

static void hashes_tell_rules_apart(void **state) {
    (void)state;
    struct family_rules r[8];
    char hex[countof(r) + 2][RULES_HASH_BYTES];
    for (size_t i = 0; i < countof(r); i++) r[i] = (struct family_rules){.versions_given = true, .versions = 3};
    r[1].versions = 4;
    r[2].min_versions = 1;
    r[3].ttl_s = 1;
    r[4].keep_deleted = KEEP_DELETED_TRUE;
    r[5].keep_deleted = KEEP_DELETED_TTL;
    r[6].new_version_behavior = true;
    r[7].purge_deletes_after_ms = 1;
    for (size_t i = 0; i < countof(r); i++) rules_text_hash(&r[i], COMPACTION_MAJOR, hex[i]);
    rules_text_hash(&r[0], COMPACTION_MINOR, hex[countof(r)]);
    rules_text_hash(&r[0], COMPACTION_MINOR_BEFORE, hex[countof(r) + 1]);
    for (size_t i = 0; i < countof(hex); i++)
        for (size_t k = 0; k < i; k++) assert_string_not_equal(hex[i], hex[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_and_refusals),
        cmocka_unit_test(copies_where_links_end),
        cmocka_unit_test(next_drops),
        cmocka_unit_test(hashes_tell_rules_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
