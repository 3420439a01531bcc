/* Trailers whose fields are not all there: all are optional in HFile.proto. What HBase does not need, for every subset of it, is
 * done without; a file that lacks what HBase needs was written by another program, which is no damage. */
#include "base/fs.h"
#include "base/wire.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "hfile/hfile.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_scan.h"
#include "hfile/index_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { ALL = ((1 << TRAILER_ENCRYPTION_KEY) - 1) & ~1 };

struct image {
    uint8_t *p;
    size_t n;
};

static struct image image_read(const char *path) {
    struct image m;
    struct err err = {0};
    m.p = (uint8_t *)fs_read_text(path, 1 << 20, &m.n, &err);
    assert_non_null(m.p);
    return m;
}

/* The file without the fields in `without`, and with one more where extra is set. */
static int put_without(const struct image *m, uint32_t without, uint32_t extra) {
    struct err err = {0};
    struct buf message = {0}, out = {0};
    uint8_t *trailer = m->p + m->n - TRAILER_V3_BYTES;
    struct bytes in = bytes_of(trailer + 8, TRAILER_V3_BYTES - 12), body;
    struct pbwire_field f;
    assert_true(pbwire_delimited(&in, &body));
    while (pbwire_next(&body, &f) == 1) {
        if (without >> f.number & 1) continue;
        if (f.type == PBWIRE_BYTES)
            assert_int_equal(pbwire_put_bytes(&message, f.number, f.bytes, &err), 0);
        else
            assert_int_equal(pbwire_put_uint(&message, f.number, f.value, &err), 0);
    }
    if (extra) assert_int_equal(pbwire_put_uint(&message, extra, 1, &err), 0);
    assert_int_equal(buf_put(&out, m->p, m->n - TRAILER_V3_BYTES + 8, &err), 0);
    assert_int_equal(pbwire_put_varint(&out, message.n, &err), 0);
    assert_int_equal(buf_put(&out, message.p, message.n, &err), 0);
    while (out.n < m->n - 4) assert_int_equal(buf_put_byte(&out, 0, &err), 0);
    assert_int_equal(buf_put(&out, m->p + m->n - 4, 4, &err), 0);
    int fd = memfd_create("hfile", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(fs_pwrite_full(fd, out.p, out.n, 0, "memory", &err), 0);
    buf_free(&message);
    buf_free(&out);
    return fd;
}

static int count(void *arg, const struct hfile_lost *lost, struct err *err) {
    (void)lost;
    (void)err;
    ++*(int *)arg;
    return 0;
}

/* 0 and its cells, which are the same where the file may be damaged, and its index is whole; or -1. */
static int read_all(int fd, struct tally *t, struct err *err) {
    char path[64];
    int lost = 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct hfile_lost_sink sink = {count, &lost};
    *t = (struct tally){0};
    for (int damaged = 0; damaged < 2; damaged++) {
        struct tally now = {0};
        struct hfile *h = hfile_open_damaged(path, 0, damaged ? &sink : NULL, err);
        if (!h) return -1;
        struct source *scan = hfile_scan_open(h, &(struct hfile_scan_opts){.tally = &now, .lost = damaged ? &sink : NULL}, err);
        struct row_part p;
        int rc;
        while ((rc = source_next(scan, &p, err)) == 1) continue;
        source_close(scan);
        if (!rc) rc = hfile_index_walk(h, NULL, NULL, err);
        hfile_close(h);
        if (rc) return -1;
        if (damaged) assert_true(now.cells == t->cells && digest_eq(now.digest, t->digest));
        *t = now;
    }
    assert_int_equal(lost, 0);
    return 0;
}

static void subset(const struct image *m, uint32_t without, const struct tally *want) {
    struct err err = {0};
    struct tally t;
    int fd = put_without(m, without, 0);
    if (read_all(fd, &t, &err)) fail_msg("without %x: %s", without, err.text);
    if (t.cells != want->cells || !digest_eq(t.digest, want->digest)) fail_msg("without %x: other cells", without);
    close(fd);
}

static void refused(const struct image *m, uint32_t without, uint32_t extra, enum err_code code, const char *word) {
    struct err err = {0};
    struct tally t;
    int fd = put_without(m, without, extra);
    assert_int_equal(read_all(fd, &t, &err), -1);
    assert_int_equal(err.code, code);
    if (!strstr(err.text, word)) fail_msg("'%s' without '%s'", err.text, word);
    close(fd);
}

/* Several levels of index; encodings; bloom filters; no cells. */
static const struct {
    const char *path;
    bool plain; /* its codec is NONE */
} files[] = {
    {"tests/data/hfile/golden_hfiles/g11_leaf2.hfile", true}, {"tests/data/hfile/golden_hfiles/g06_fastdiff_gz.hfile", false},
    {"tests/data/hfile/hbase_files/enc_diff_11.hfile", true}, {"tests/data/hfile/golden_hfiles/g03_gz_rowcol.hfile", false},
    {"tests/data/hfile/golden_hfiles/g12_empty.hfile", true},
};

static void done_without(void **state) {
    (void)state;
    const uint32_t needed = 1u << TRAILER_LOAD_ON_OPEN_OFFSET | 1u << TRAILER_DATA_INDEX_COUNT | 1u << TRAILER_ENTRY_COUNT |
                            1u << TRAILER_INDEX_LEVELS;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct image m = image_read(files[i].path);
        struct err err = {0};
        struct tally want;
        int fd = put_without(&m, 0, 0);
        if (read_all(fd, &want, &err)) fail_msg("%s", err.text);
        close(fd);
        for (uint32_t without = 2; without <= ALL; without += 2)
            if (!(without & needed) && (files[i].plain || !(without >> TRAILER_CODEC & 1))) subset(&m, without, &want);
        free(m.p);
    }
}

static void of_another_program(void **state) {
    (void)state;
    struct image m = image_read(files[0].path);
    refused(&m, 1u << TRAILER_LOAD_ON_OPEN_OFFSET, 0, ERR_UNSUPPORTED,
            "written by another program: the trailer lacks load_on_open_data_offset, without which HBase finds no cells");
    refused(&m, 1u << TRAILER_DATA_INDEX_COUNT, 0, ERR_UNSUPPORTED, "lacks data_index_count,");
    refused(&m, 1u << TRAILER_ENTRY_COUNT, 0, ERR_UNSUPPORTED, "lacks entry_count,");
    refused(&m, 1u << TRAILER_INDEX_LEVELS, 0, ERR_UNSUPPORTED, "lacks num_data_index_levels,");
    refused(&m, ALL, 0, ERR_UNSUPPORTED,
            "lacks load_on_open_data_offset, data_index_count, entry_count and num_data_index_levels,");
    free(m.p);
}

/* A field that HBase never writes stands where one is missing: its number was changed. */
static void of_damage(void **state) {
    (void)state;
    struct image m = image_read(files[0].path);
    refused(&m, 1u << TRAILER_TOTAL_PLAIN_BYTES, 99, ERR_INPUT, "trailer: field 4 is missing");
    refused(&m, 1u << TRAILER_ENTRY_COUNT, 99, ERR_INPUT, "trailer: field 7 is missing");
    free(m.p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(done_without), cmocka_unit_test(of_another_program),
                                       cmocka_unit_test(of_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
