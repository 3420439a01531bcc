/* Test support: files of tests/data/hbase, protobuf messages made by hand, directories for the time of a test. */
#ifndef TESTS_METADATA_FILES_H
#define TESTS_METADATA_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SAMPLES "tests/data/hbase/"
#define UNUSED __attribute__((unused))

static UNUSED struct bytes read_sample(const char *path) {
    struct err err = {0};
    size_t n = 0;
    char *text = fs_read_text(path, 1 << 20, &n, &err);
    if (!text) fail_msg("%s", err.text);
    return bytes_of(text, n);
}

static UNUSED void free_bytes(struct bytes b) {
    free((void *)(uintptr_t)b.p);
}

/* A copy of exactly its size, so that a sanitizer sees a read past the end. */
static UNUSED struct bytes exact_copy(struct bytes b) {
    uint8_t *p = malloc(b.n ? b.n : 1);
    assert_non_null(p);
    if (b.n) memcpy(p, b.p, b.n);
    return bytes_of(p, b.n);
}

static UNUSED void put_text(struct buf *m, uint32_t number, const char *text) {
    struct err err = {0};
    assert_int_equal(pbwire_put_bytes(m, number, bytes_str(text), &err), 0);
}

static UNUSED void put_uint(struct buf *m, uint32_t number, uint64_t v) {
    struct err err = {0};
    assert_int_equal(pbwire_put_uint(m, number, v, &err), 0);
}

/* Puts inner as a field of m and empties it. */
static UNUSED void put_message(struct buf *m, uint32_t number, struct buf *inner) {
    struct err err = {0};
    assert_int_equal(pbwire_put_bytes(m, number, buf_bytes(inner), &err), 0);
    buf_free(inner);
}

static UNUSED void put_pair_bytes(struct buf *m, uint32_t number, const char *key, struct bytes value) {
    struct buf pair = {0};
    struct err err = {0};
    put_text(&pair, 1, key);
    assert_int_equal(pbwire_put_bytes(&pair, 2, value, &err), 0);
    put_message(m, number, &pair);
}

static UNUSED void put_pair(struct buf *m, uint32_t number, const char *key, const char *value) {
    put_pair_bytes(m, number, key, bytes_str(value));
}

static UNUSED void put_table_name(struct buf *m, uint32_t number, const char *ns, const char *name) {
    struct buf t = {0};
    put_text(&t, 1, ns);
    put_text(&t, 2, name);
    put_message(m, number, &t);
}

/* A directory of its own; remove_directory when done. */
static UNUSED char *make_directory(void) {
    char name[] = "/tmp/obkv-unit-XXXXXX";
    if (!mkdtemp(name)) fail_msg("no temporary directory");
    return strdup(name);
}

static UNUSED void remove_directory(char *dir) {
    struct err err = {0};
    assert_int_equal(fs_remove_tree(dir, &err), 0);
    free(dir);
}

/* Writes dir/name, making the directories on the way. */
static UNUSED void write_sample(const char *dir, const char *name, struct bytes content) {
    char path[600];
    struct err err = {0};
    snprintf(path, sizeof path, "%s/%s", dir, name);
    char *slash = strrchr(path, '/');
    *slash = 0;
    if (fs_mkdirs(path, &err)) fail_msg("%s", err.text);
    *slash = '/';
    FILE *f = fopen(path, "wb");
    if (!f) fail_msg("cannot write %s", path);
    if (content.n) assert_int_equal(fwrite(content.p, 1, content.n, f), content.n);
    assert_int_equal(fclose(f), 0);
}

static UNUSED void expect_said(const struct err *err, enum err_code code, const char *part) {
    if (err->code != code || !strstr(err->text, part))
        fail_msg("code %d, said '%s', wanted code %d and '%s'", err->code, err->text, code, part);
}

#endif
