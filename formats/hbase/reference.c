#include "formats/hbase/reference.h"

#include "base/bytes.h"
#include "base/fs.h"
#include "base/wire.h"
#include "formats/hbase/pbuf.h"

#include <stdlib.h>

enum { FIELD_SPLIT_KEY = 1, FIELD_RANGE = 2, RANGE_TOP = 0, RANGE_BOTTOM = 1, FILE_MAX_BYTES = 1 << 20 };

/* Of the serialised key (i16 length, row, family, …) only the row counts: HalfStoreFileReader seeks to the first key on it. */
static int take_row(struct bytes key, struct buf *row, struct err *err) {
    enum { AROUND_ROW = 2 + 1 + 8 + 1 }; /* lengths of row and family, timestamp, type */
    if (key.n < AROUND_ROW) return err_set(err, ERR_INPUT, "a split key of %zu bytes is too short", key.n);
    size_t n = be16(key.p);
    if (n > INT16_MAX || n > key.n - AROUND_ROW)
        return err_set(err, ERR_INPUT, "a split key of %zu bytes cannot hold a row of %zu bytes", key.n, n);
    return buf_copy(row, bytes_of(key.p + 2, n), err);
}

int reference_parse(struct bytes message, struct reference *out, struct err *err) {
    struct bytes key = {0};
    struct pbwire_field f;
    uint64_t range = UINT64_MAX;
    int rc;
    *out = (struct reference){0};
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.number == FIELD_SPLIT_KEY && f.type == PBWIRE_BYTES) key = f.bytes;
        if (f.number == FIELD_RANGE && f.type == PBWIRE_VARINT) range = f.value;
    }
    if (rc) return err_set(err, ERR_INPUT, "the reference is malformed");
    if (!key.p) return err_set(err, ERR_INPUT, "the reference has no split key");
    if (range == UINT64_MAX) return err_set(err, ERR_INPUT, "the reference does not say which half it is");
    if (range != RANGE_TOP && range != RANGE_BOTTOM)
        return err_set(err, ERR_INPUT, "the reference is of half %llu; 0 (top) and 1 (bottom) are known",
                       (unsigned long long)range);
    out->top = range == RANGE_TOP;
    return take_row(key, &out->split_row, err);
}

/* HBase 0.94 and older: a boolean (true = top) and a byte array. */
static int parse_writable(struct bytes in, struct reference *out, struct err *err) {
    int64_t n;
    *out = (struct reference){0};
    if (in.n == 0) return err_set(err, ERR_INPUT, "the reference is empty");
    if (in.p[0] > 1) return err_set(err, ERR_INPUT, "the reference begins neither with PBUF nor with a boolean");
    out->top = in.p[0] == 1;
    in = bytes_of(in.p + 1, in.n - 1);
    if (!hadoop_vlong_take(&in, &n) || n < 0 || (uint64_t)n != in.n)
        return err_set(err, ERR_INPUT, "the length of the reference's split key does not fit the file");
    return take_row(in, &out->split_row, err);
}

int reference_parse_file(struct bytes content, struct reference *out, struct err *err) {
    return pbuf_take(&content) ? reference_parse(content, out, err) : parse_writable(content, out, err);
}

int reference_read(const char *path, struct reference *out, struct err *err) {
    size_t n;
    *out = (struct reference){0};
    char *text = fs_read_text(path, FILE_MAX_BYTES, &n, err);
    if (!text) return -1;
    int rc = reference_parse_file(bytes_of(text, n), out, err);
    free(text);
    return rc ? err_prefix(err, "%s", path) : 0;
}

void reference_free(struct reference *r) {
    buf_free(&r->split_row);
    *r = (struct reference){0};
}
