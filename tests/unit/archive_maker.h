/* Archives made in memory with libarchive's writers, for tests of what reads them. */
#ifndef TESTS_UNIT_ARCHIVE_MAKER_H
#define TESTS_UNIT_ARCHIVE_MAKER_H

#include "recorder.h"

#include <archive.h>
#include <archive_entry.h>

struct maker {
    struct archive *a;
    struct buf out;
};

static la_ssize_t maker_write(struct archive *a, void *arg, const void *p, size_t n) {
    struct err err = {0};
    (void)a;
    return buf_put(arg, p, n, &err) ? -1 : (la_ssize_t)n;
}

/* format: a name of archive_write_set_format_by_name; filter NULL: not packed; options as for archive_write_set_options. */
static inline void maker_begin(struct maker *m, const char *format, const char *filter, const char *options) {
    *m = (struct maker){.a = archive_write_new()};
    assert_non_null(m->a);
    assert_int_equal(archive_write_set_format_by_name(m->a, format), ARCHIVE_OK);
    if (filter) assert_int_equal(archive_write_add_filter_by_name(m->a, filter), ARCHIVE_OK);
    if (options) assert_int_equal(archive_write_set_options(m->a, options), ARCHIVE_OK);
    archive_write_set_bytes_in_last_block(m->a, 1);
    assert_int_equal(archive_write_open(m->a, &m->out, NULL, maker_write, NULL), ARCHIVE_OK);
}

static inline struct archive_entry *maker_entry(const char *name, unsigned type, size_t bytes) {
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, name);
    archive_entry_set_filetype(e, type);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, (la_int64_t)bytes);
    return e;
}

/* Takes over e. */
static inline void maker_put(struct maker *m, struct archive_entry *e, struct bytes content) {
    assert_true(archive_write_header(m->a, e) >= ARCHIVE_WARN);
    if (content.n) assert_int_equal(archive_write_data(m->a, content.p, content.n), content.n);
    archive_entry_free(e);
}

static inline void maker_file(struct maker *m, const char *name, struct bytes content) {
    maker_put(m, maker_entry(name, AE_IFREG, content.n), content);
}

static inline void maker_text(struct maker *m, const char *name, const char *content) {
    maker_file(m, name, bytes_str(content));
}

static inline void maker_link(struct maker *m, const char *name, const char *to, bool hard) {
    struct archive_entry *e = maker_entry(name, hard ? AE_IFREG : AE_IFLNK, 0);
    if (hard)
        archive_entry_set_hardlink(e, to);
    else
        archive_entry_set_symlink(e, to);
    maker_put(m, e, (struct bytes){0});
}

/* The archive, until maker_end. */
static inline struct bytes maker_done(struct maker *m) {
    assert_int_equal(archive_write_close(m->a), ARCHIVE_OK);
    archive_write_free(m->a);
    m->a = NULL;
    return buf_bytes(&m->out);
}

static inline void maker_end(struct maker *m) {
    buf_free(&m->out);
}

/* As a compressor would: the content as one stream. */
static inline void maker_pack(const char *filter, struct bytes content, struct buf *out) {
    struct maker m;
    maker_begin(&m, "raw", filter, NULL);
    maker_file(&m, "data", content);
    maker_done(&m);
    *out = m.out;
}

/* Options for archives: temp files go to /tmp, counted by quota. */
static inline void archive_begin(struct fixture *f, struct disk_quota *quota, struct buf *warnings) {
    fixture_begin(f, "HBASE_ROW_KEY,f:a");
    f->o.temp_dir = "/tmp";
    f->o.quota = quota;
    f->o.warnings = warnings;
}

static inline void expect_error_of(struct fixture *f, struct bytes content, enum err_code code, const char *text) {
    int rc = recorder_run(&f->rec, NULL, content, &f->o, &f->err);
    if (rc == 0) fail_msg("no error, but: %.*s", (int)f->rec.text.n, (char *)f->rec.text.p);
    if (!strstr(f->err.text, text)) assert_string_equal(f->err.text, text);
    assert_int_equal(f->err.code, code);
    f->err = (struct err){0};
    buf_clear(&f->rec.text);
}

#endif
