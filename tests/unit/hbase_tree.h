/* Test support: trees that HBase left (tests/data/hbase_trees), unpacked into a fresh directory, and trees made by hand. */
#ifndef TESTS_UNIT_HBASE_TREE_H
#define TESTS_UNIT_HBASE_TREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/wire.h"
#include "formats/hbase/read_tree.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>

struct tree {
    char dir[40];
};

static inline void tree_open(struct tree *t) {
    *t = (struct tree){.dir = "/tmp/hbase_tree.XXXXXX"};
    assert_non_null(mkdtemp(t->dir));
}

static inline void tree_close(struct tree *t) {
    struct err err = {0};
    assert_int_equal(fs_remove_tree(t->dir, &err), 0);
}

/* Path below the tree; valid for a while. */
static inline const char *tree_path(const struct tree *t, const char *fmt, ...) {
    static _Thread_local char paths[128][600];
    static _Thread_local unsigned turn;
    char *path = paths[turn++ % 128];
    int n = snprintf(path, sizeof paths[0], "%s/", t->dir);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path + n, sizeof paths[0] - (size_t)n, fmt, ap);
    va_end(ap);
    return path;
}

/* tests/data/hbase_trees/NAME.tar.xz: its members begin with NAME/. */
static inline void tree_unpack(const struct tree *t, const char *name) {
    char path[200];
    snprintf(path, sizeof path, "tests/data/hbase_trees/%s.tar.xz", name);
    struct archive *in = archive_read_new(), *out = archive_write_disk_new();
    struct archive_entry *e;
    archive_read_support_format_tar(in);
    archive_read_support_filter_xz(in);
    assert_int_equal(archive_read_open_filename(in, path, 65536), ARCHIVE_OK);
    while (archive_read_next_header(in, &e) == ARCHIVE_OK) {
        archive_entry_set_pathname(e, tree_path(t, "%s", archive_entry_pathname(e)));
        assert_int_equal(archive_read_extract2(in, e, out), ARCHIVE_OK);
    }
    assert_int_equal(archive_errno(in), 0);
    archive_read_free(in);
    archive_write_free(out);
}

/* Writes a file with its directories. */
static inline void tree_put(const char *path, const void *p, size_t n) {
    struct err err = {0};
    char dir[800];
    snprintf(dir, sizeof dir, "%s", path);
    *strrchr(dir, '/') = 0;
    assert_int_equal(fs_mkdirs(dir, &err), 0);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static inline void tree_put_text(const char *path, const char *text) {
    tree_put(path, text, strlen(text));
}

/* A RegionInfo message. */
static inline void tree_region_message(struct buf *out, const char *table, const char *start, const char *end, uint64_t id,
                                       bool split, unsigned replica) {
    struct err err = {0};
    struct buf name = {0};
    assert_int_equal(pbwire_put_bytes(&name, 1, bytes_str("default"), &err), 0);
    assert_int_equal(pbwire_put_bytes(&name, 2, bytes_str(table), &err), 0);
    assert_int_equal(pbwire_put_uint(out, 1, id, &err), 0);
    assert_int_equal(pbwire_put_bytes(out, 2, buf_bytes(&name), &err), 0);
    assert_int_equal(pbwire_put_bytes(out, 3, bytes_str(start), &err), 0);
    assert_int_equal(pbwire_put_bytes(out, 4, bytes_str(end), &err), 0);
    assert_int_equal(pbwire_put_uint(out, 5, split, &err), 0);
    assert_int_equal(pbwire_put_uint(out, 6, split, &err), 0);
    assert_int_equal(pbwire_put_uint(out, 7, replica, &err), 0);
    buf_free(&name);
}

struct tree_region {
    char name[REGION_ENCODED_BYTES];
};

/* table_dir/<encoded>/.regioninfo; encoded comes from what is in it. */
static inline struct tree_region tree_put_region(const char *table_dir, const char *table, const char *start, const char *end,
                                                 uint64_t id) {
    struct err err = {0};
    struct buf message = {0}, file = {0};
    struct region_info info;
    struct tree_region r;
    char path[700];
    tree_region_message(&message, table, start, end, id, false, 0);
    assert_int_equal(region_info_parse(buf_bytes(&message), &info, &err), 0);
    memcpy(r.name, info.encoded, sizeof r.name);
    region_info_free(&info);
    assert_int_equal(buf_printf(&file, &err, "PBUF"), 0);
    assert_int_equal(pbwire_put_varint(&file, message.n, &err), 0);
    assert_int_equal(buf_put(&file, message.p, message.n, &err), 0);
    snprintf(path, sizeof path, "%s/%s/.regioninfo", table_dir, r.name);
    tree_put(path, file.p, file.n);
    buf_free(&message);
    buf_free(&file);
    return r;
}

/* A Reference message: row as the first key on it. */
static inline void tree_reference_message(struct buf *out, const char *row, bool top) {
    struct err err = {0};
    struct buf key = {0};
    size_t n = strlen(row);
    assert_int_equal(buf_put_byte(&key, (uint8_t)(n >> 8), &err), 0);
    assert_int_equal(buf_put_byte(&key, (uint8_t)n, &err), 0);
    assert_int_equal(buf_put(&key, row, n, &err), 0);
    assert_int_equal(buf_put(&key, "\0\x7f\xff\xff\xff\xff\xff\xff\xff\xff", 10, &err), 0);
    assert_int_equal(pbwire_put_bytes(out, 1, buf_bytes(&key), &err), 0);
    assert_int_equal(pbwire_put_uint(out, 2, !top, &err), 0);
    buf_free(&key);
}

static inline void tree_put_reference(const char *path, const char *row, bool top) {
    struct err err = {0};
    struct buf message = {0}, file = {0};
    tree_reference_message(&message, row, top);
    assert_int_equal(buf_printf(&file, &err, "PBUF"), 0);
    assert_int_equal(buf_put(&file, message.p, message.n, &err), 0);
    tree_put(path, file.p, file.n);
    buf_free(&message);
    buf_free(&file);
}

/* A TableSchema message with families of nothing but names ("a,b"). */
static inline void tree_schema_message(struct buf *out, const char *table, const char *families) {
    struct err err = {0};
    struct buf name = {0}, family = {0};
    assert_int_equal(pbwire_put_bytes(&name, 1, bytes_str("default"), &err), 0);
    assert_int_equal(pbwire_put_bytes(&name, 2, bytes_str(table), &err), 0);
    assert_int_equal(pbwire_put_bytes(out, 1, buf_bytes(&name), &err), 0);
    for (size_t n; *families; families += n + (families[n] == ',')) {
        n = strcspn(families, ",");
        buf_clear(&family);
        assert_int_equal(pbwire_put_bytes(&family, 1, bytes_of(families, n), &err), 0);
        assert_int_equal(pbwire_put_bytes(out, 3, buf_bytes(&family), &err), 0);
    }
    buf_free(&name);
    buf_free(&family);
}

static inline void tree_put_table(const char *table_dir, const char *table, const char *families) {
    struct err err = {0};
    struct buf file = {0};
    char path[700];
    assert_int_equal(buf_printf(&file, &err, "PBUF"), 0);
    tree_schema_message(&file, table, families);
    snprintf(path, sizeof path, "%s/.tabledesc/.tableinfo.0000000001.%zu", table_dir, file.n);
    tree_put(path, file.p, file.n);
    buf_free(&file);
}

/* The store files of a tree: read, or refused for a reason. */
static inline struct store_files read_good(const char *dir) {
    struct store_files s;
    struct err err = {0};
    if (store_files_read(dir, (struct list_room){0}, &s, &err)) fail_msg("%s", err.text);
    return s;
}

static inline bool says(const struct buf *text, const char *part) {
    return text->n && memmem(text->p, text->n, part, strlen(part));
}

/* Reads and frees; the error's text stays. */
static inline const char *fails(const char *dir, enum err_code code) {
    static struct err err;
    struct store_files s;
    err = (struct err){0};
    assert_int_equal(store_files_read(dir, (struct list_room){0}, &s, &err), -1);
    assert_int_equal(err.code, code);
    store_files_free(&s);
    return err.text;
}

#endif
