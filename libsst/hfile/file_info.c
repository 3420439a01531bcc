/* File info in both its forms. Pairs are collected in any order and written sorted; what is parsed comes out sorted too, so that
 * values are found by binary search. */

#include "base/buf.h"
#include "base/bytes.h"
#include "base/wire.h"
#include "hfile/file_info.h"

#include <stdlib.h>

static const char magic[4] = {'P', 'B', 'U', 'F'};
enum { FIELD_ENTRY = 1, FIELD_FIRST = 1, FIELD_SECOND = 2 };

static struct hfile_pair pair_at(const struct file_info *f, size_t i) {
    const struct file_info_span *s = &f->spans[i];
    return (struct hfile_pair){bytes_of(f->text.p + s->key_at, s->key_n), bytes_of(f->text.p + s->value_at, s->value_n)};
}

int file_info_add(struct file_info *f, const char *key, struct bytes value, struct err *err) {
    if (grow_array(&f->spans, f->n, sizeof *f->spans, "file info", err)) return -1;
    size_t n = strlen(key), at = f->text.n;
    if (buf_put(&f->text, key, n, err) || buf_put(&f->text, value.p, value.n, err)) return -1;
    f->spans[f->n++] = (struct file_info_span){at, n, at + n, value.n};
    return 0;
}

int file_info_add_i32(struct file_info *f, const char *key, uint32_t v, struct err *err) {
    uint8_t t[4];
    put_be32(t, v);
    return file_info_add(f, key, bytes_of(t, sizeof t), err);
}

int file_info_add_i64(struct file_info *f, const char *key, uint64_t v, struct err *err) {
    uint8_t t[8];
    put_be64(t, v);
    return file_info_add(f, key, bytes_of(t, sizeof t), err);
}

int file_info_add_bool(struct file_info *f, const char *key, bool v, struct err *err) {
    uint8_t t = v ? 0xff : 0; /* Bytes.toBytes(true) is -1 */
    return file_info_add(f, key, bytes_of(&t, 1), err);
}

static int cmp_pairs(const void *a, const void *b) {
    return bytes_cmp(((const struct hfile_pair *)a)->key, ((const struct hfile_pair *)b)->key);
}

static int put_pair(const struct hfile_pair *p, struct buf *entry, struct buf *out, struct err *err) {
    buf_clear(entry);
    if (pbwire_put_bytes(entry, FIELD_FIRST, p->key, err) || pbwire_put_bytes(entry, FIELD_SECOND, p->value, err)) return -1;
    return pbwire_put_bytes(out, FIELD_ENTRY, buf_bytes(entry), err);
}

int file_info_put(struct file_info *f, struct buf *out, struct err *err) {
    struct buf entry = {0}, message = {0};
    int rc = -1;
    struct hfile_pair *pairs = calloc(f->n + 1, sizeof *pairs);
    if (!pairs) {
        err_nomem(err, f->n * sizeof *pairs, "file info");
        goto out;
    }
    for (size_t i = 0; i < f->n; i++) pairs[i] = pair_at(f, i);
    qsort(pairs, f->n, sizeof *pairs, cmp_pairs);
    for (size_t i = 0; i < f->n; i++) {
        if (i && bytes_eq(pairs[i].key, pairs[i - 1].key)) {
            err_set(err, ERR_INTERNAL, "file info key %.*s is given twice", (int)pairs[i].key.n, (const char *)pairs[i].key.p);
            goto out;
        }
        if (put_pair(&pairs[i], &entry, &message, err)) goto out;
    }
    if (buf_put(out, magic, sizeof magic, err) || pbwire_put_varint(out, message.n, err)) goto out;
    rc = buf_put(out, message.p, message.n, err);
out:
    free(pairs);
    buf_free(&entry);
    buf_free(&message);
    return rc;
}

void file_info_free(struct file_info *f) {
    buf_free(&f->text);
    free(f->spans);
    *f = (struct file_info){0};
}

/* BytesBytesPair: both parts must be there, once. */
static bool parse_pair(struct bytes in, struct hfile_pair *out) {
    struct pbwire_field f;
    *out = (struct hfile_pair){0};
    int rc;
    while ((rc = pbwire_next(&in, &f)) == 1) {
        if (f.type != PBWIRE_BYTES) return false;
        struct bytes *to = f.number == FIELD_FIRST ? &out->key : f.number == FIELD_SECOND ? &out->value : NULL;
        if (!to || to->p) return false;
        *to = f.bytes;
    }
    return rc == 0 && out->key.p && out->value.p;
}

static int parse_pairs(struct bytes in, struct hfile_pair *pairs, size_t *n, struct err *err) {
    struct pbwire_field f;
    int rc;
    *n = 0;
    while ((rc = pbwire_next(&in, &f)) == 1) {
        if (f.number != FIELD_ENTRY || f.type != PBWIRE_BYTES || !parse_pair(f.bytes, &pairs[*n]))
            return err_set(err, ERR_INPUT, "file info entry %zu is malformed", *n);
        (*n)++;
    }
    return rc ? err_set(err, ERR_INPUT, "file info is malformed after %zu entries", *n) : 0;
}

static bool take_writable_bytes(struct bytes *in, struct bytes *out) {
    int64_t n;
    if (!hadoop_vlong_take(in, &n) || n < 0 || (uint64_t)n > in->n) return false;
    *out = bytes_of(in->p, (size_t)n);
    *in = bytes_of(in->p + n, in->n - (size_t)n);
    return true;
}

/* in: what follows the count. */
static int parse_writables(struct bytes in, size_t count, struct hfile_pair *pairs, size_t *n, struct err *err) {
    for (; *n < count; (*n)++) {
        if (!take_writable_bytes(&in, &pairs[*n].key) || !in.n)
            return err_set(err, ERR_INPUT, "file info entry %zu of %zu is malformed", *n, count);
        in = bytes_of(in.p + 1, in.n - 1);
        if (!take_writable_bytes(&in, &pairs[*n].value))
            return err_set(err, ERR_INPUT, "file info entry %zu of %zu is malformed", *n, count);
    }
    return in.n ? err_set(err, ERR_INPUT, "file info has %zu bytes after its %zu entries", in.n, count) : 0;
}

/* Either form without what surrounds the pairs. most: pairs it can hold at best. */
static int find_pairs(struct bytes payload, bool *writable, struct bytes *body, size_t *most, struct err *err) {
    /* protobuf: entry tag and length, two tags and lengths; Writable: two lengths and the byte between */
    enum { PAIR_BYTES_MIN = 6, WRITABLE_BYTES_MIN = 3, PAIRS_MAX = 1 << 20 /* more than any file has */ };
    *writable = payload.n < sizeof magic || memcmp(payload.p, magic, sizeof magic) != 0;
    if (payload.n < 4) return err_set(err, ERR_INPUT, "file info of %zu bytes", payload.n);
    *body = bytes_of(payload.p + 4, payload.n - 4);
    if (*writable) {
        *most = be32(payload.p);
        if (*most > body->n / WRITABLE_BYTES_MIN)
            return err_set(err, ERR_INPUT, "file info neither starts with PBUF nor holds the %zu pairs of the old form", *most);
    } else {
        struct bytes in = *body;
        if (!pbwire_delimited(&in, body) || in.n)
            return err_set(err, ERR_INPUT, "file info's length does not fit its block of %zu bytes", payload.n);
        *most = body->n / PAIR_BYTES_MIN + 1;
    }
    if (*most <= PAIRS_MAX) return 0;
    return err_set(err, ERR_LIMIT, "file info of %zu bytes is larger than expected", payload.n);
}

int file_info_parse(struct bytes payload, struct hfile_pair **pairs, size_t *n, struct err *err) {
    struct bytes body;
    size_t most = 0;
    bool writable;
    *pairs = NULL;
    *n = 0;
    if (find_pairs(payload, &writable, &body, &most, err)) return -1;
    struct hfile_pair *p = calloc(most + 1, sizeof *p);
    if (!p) return err_nomem(err, most * sizeof *p, "file info");
    if (writable ? parse_writables(body, most, p, n, err) : parse_pairs(body, p, n, err)) goto fail;
    if (*n) qsort(p, *n, sizeof *p, cmp_pairs);
    for (size_t i = 1; i < *n; i++) {
        if (!bytes_eq(p[i].key, p[i - 1].key)) continue;
        err_set(err, ERR_INPUT, "file info key %.*s appears twice", (int)(p[i].key.n < 100 ? p[i].key.n : 100),
                (const char *)p[i].key.p);
        goto fail;
    }
    *pairs = p;
    return 0;
fail:
    free(p);
    return -1;
}
