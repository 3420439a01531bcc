/* Compressed logs: values, and the dictionaries as a reader needs them. Entries are found by index; the list by use says which
 * index a full dictionary gives away. Writer and reader run through the same steps, so each byte string is in the log
 * once. */

#include "base/buf.h"
#include "codec/codec.h"
#include "formats/wal/wal_compression.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum { NONE = -1, ENTRY_OVERHEAD = 48 /* the entry itself and what malloc adds */ };

void wal_dict_init(struct wal_dict *d, int32_t most) {
    *d = (struct wal_dict){.most = most, .newest = NONE, .oldest = NONE};
}

static void unlink_entry(struct wal_dict *d, int32_t i) {
    struct wal_dict_entry *e = &d->entries[i];
    if (e->newer != NONE) d->entries[e->newer].older = e->older;
    if (e->older != NONE) d->entries[e->older].newer = e->newer;
    if (d->newest == i) d->newest = e->older;
    if (d->oldest == i) d->oldest = e->newer;
}

static void put_first(struct wal_dict *d, int32_t i) {
    struct wal_dict_entry *e = &d->entries[i];
    e->newer = NONE;
    e->older = d->newest;
    if (d->newest != NONE) d->entries[d->newest].newer = i;
    d->newest = i;
    if (d->oldest == NONE) d->oldest = i;
}

static int charge_budget(size_t *budget, size_t bytes, struct err *err) {
    if (bytes > *budget)
        return err_set(err, ERR_LIMIT, "the dictionaries of the log need more memory than is left; give more --memory");
    *budget -= bytes;
    return 0;
}

static int set_bytes(struct wal_dict_entry *e, struct bytes b, size_t *budget, struct err *err) {
    if (b.n > e->room) {
        if (charge_budget(budget, b.n - e->room, err)) return -1;
        if (grow_to(&e->p, b.n, 1, "a dictionary of the log", err)) return -1;
        e->room = (uint32_t)b.n;
    }
    memcpy(e->p, b.p, b.n);
    e->n = (uint32_t)b.n;
    return 0;
}

int wal_dict_add(struct wal_dict *d, struct bytes b, size_t *budget, struct err *err) {
    int32_t i = d->n < d->most ? d->n : d->oldest;
    if (!b.n) return 0;
    if (i == d->n) {
        if (charge_budget(budget, ENTRY_OVERHEAD, err)) return -1;
        if (grow_array(&d->entries, (size_t)d->n, sizeof *d->entries, "a dictionary of the log", err)) return -1;
        d->entries[i] = (struct wal_dict_entry){.older = NONE, .newer = NONE};
    }
    if (set_bytes(&d->entries[i], b, budget, err)) return -1;
    if (i == d->n)
        d->n++;
    else
        unlink_entry(d, i);
    put_first(d, i);
    return 0;
}

bool wal_dict_get(struct wal_dict *d, unsigned index, struct bytes *out) {
    if (index >= (unsigned)d->n) return false;
    int32_t i = (int32_t)index;
    if (d->newest != i) {
        unlink_entry(d, i);
        put_first(d, i);
    }
    *out = bytes_of(d->entries[i].p, d->entries[i].n);
    return true;
}

void wal_dict_free(struct wal_dict *d) {
    for (int32_t i = 0; i < d->n; i++) free(d->entries[i].p);
    free(d->entries);
    *d = (struct wal_dict){0};
}

/* ---- values ----
 * GZ is one stream over all values of the log: members follow each other and begin or end anywhere, so zlib keeps its state from
 * value to value. Other codecs write each value as a block of Hadoop's, which the codec of HFiles reads. */

enum { GZ_ORDINAL = 1, ZLIB_GZIP_WINDOW = 15 + 16 };

struct wal_value_codec {
    struct codec_ctx block;
    bool is_stream;
    z_stream z;
};

struct wal_value_codec *wal_value_codec_open(unsigned ordinal, struct err *err) {
    const struct codec *codec = codec_by_ordinal(ordinal);
    if (!codec) {
        err_set(err, ERR_UNSUPPORTED, "values are compressed with the unknown codec %u", ordinal);
        return NULL;
    }
    struct wal_value_codec *c = calloc(1, sizeof *c);
    if (!c) {
        err_nomem(err, sizeof *c, "decompressing values");
        return NULL;
    }
    c->block = codec_ctx_make(codec, 0);
    c->is_stream = ordinal == GZ_ORDINAL;
    if (!c->is_stream || inflateInit2(&c->z, ZLIB_GZIP_WINDOW) == Z_OK) return c;
    free(c);
    err_nomem(err, 64 * 1024, "gzip");
    return NULL;
}

/* Takes all of src. The last bytes of a value may be the head of the next member, from which nothing comes yet. */
static int unpack_stream(z_stream *z, struct bytes src, uint8_t *out, size_t n, struct err *err) {
    uint8_t none;
    if (src.n > UINT_MAX || n > UINT_MAX) return err_set(err, ERR_INPUT, "a value of %zu bytes is too long", n);
    z->next_in = (uint8_t *)src.p;
    z->avail_in = (uInt)src.n;
    z->next_out = n ? out : &none;
    z->avail_out = (uInt)n;
    while (z->avail_in) {
        uInt before = z->avail_in;
        int rc = inflate(z, Z_SYNC_FLUSH);
        if (rc == Z_STREAM_END && inflateReset(z) == Z_OK) continue;
        if (rc == Z_MEM_ERROR) return err_nomem(err, 64 * 1024, "gzip");
        if (rc != Z_OK && rc != Z_BUF_ERROR)
            return err_set(err, ERR_INPUT, "GZ: damaged compressed value: %s", z->msg ? z->msg : "not gzip");
        if (z->avail_in == before) break;
    }
    if (z->avail_in) return err_set(err, ERR_INPUT, "GZ: the value is longer than the %zu bytes announced", n);
    if (z->avail_out) return err_set(err, ERR_INPUT, "GZ: the value is %u bytes shorter than announced", z->avail_out);
    return 0;
}

int wal_value_unpack(struct wal_value_codec *c, struct bytes src, uint8_t *out, size_t n, struct err *err) {
    if (c->is_stream) return unpack_stream(&c->z, src, out, n, err);
    if (!n) return 0; /* what codecs write for it differs, and HBase passes it by */
    return codec_decompress(&c->block, src, out, n, err);
}

void wal_value_codec_close(struct wal_value_codec *c) {
    if (!c) return;
    if (c->is_stream) inflateEnd(&c->z);
    codec_ctx_release(&c->block);
    free(c);
}
