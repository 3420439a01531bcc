/* Reads from file info what it says of the cells of an HFile that is being opened: layout, encoding, keys, times, bloom filter.
 * Each value is checked before it is believed. A file that may be damaged can do without its root index, which is reported. */
#include "hfile/data_block.h"
#include "hfile/file_info.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_state.h"

#include "base/bytes.h"
#include "base/wire.h"
#include "cell/keyvalue.h"
#include "hfile/bloom.h"
#include "hfile/index_reader.h"

#include <stdlib.h>

struct bytes hfile_find(const struct hfile *h, const char *key) {
    struct bytes k = bytes_str(key);
    size_t lo = 0, hi = h->info.n_pairs;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = bytes_cmp(h->info.pairs[mid].key, k);
        if (c == 0) return h->info.pairs[mid].value;
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (struct bytes){0};
}

const char *hfile_reason(const struct hfile *h, const struct err *err) {
    size_t n = strlen(h->path);
    return strncmp(err->text, h->path, n) || err->text[n] != ':' ? err->text : err->text + n + 2;
}

/* Damage that can be done without is reported: 0, and *err is empty again. Else -1, and the error stays. */
int hfile_do_without(struct hfile *h, uint64_t offset, uint64_t end, struct err *err) {
    struct hfile_lost lost = {.offset = offset, .end = end, .no_cells = true};
    struct err damage = *err;
    if (!h->lost || err->code != ERR_INPUT) return -1;
    lost.reason = hfile_reason(h, &damage);
    *err = (struct err){0};
    return h->lost->put(h->lost->arg, &lost, err);
}

/* An index in root format must hold as many entries as the trailer says; `extra` bytes or none follow them. */
int hfile_check_root(const struct hfile *h, const char *what, struct bytes payload, uint32_t count, size_t extra,
                     struct err *err) {
    struct hfile_index_entry e;
    for (uint32_t i = 0; i < count; i++)
        if (!index_take_root_entry(&payload, &e))
            return err_set(err, ERR_INPUT, "%s: %s ends after %u of %u entries", h->path, what, i, count);
    if (payload.n && payload.n != extra)
        return err_set(err, ERR_INPUT, "%s: %s has %zu bytes after its %u entries", h->path, what, payload.n, count);
    return 0;
}

/* --- file info --- */

static int need(const struct hfile *h, const char *key, size_t n, struct bytes *v, struct err *err) {
    *v = hfile_find(h, key);
    if (v->p && v->n == n) return 0;
    return err_set(err, ERR_INPUT, "%s: file info %s is %s", h->path, key, v->p ? "of the wrong length" : "missing");
}

/* 16 bytes; before HBase 2 the buffer they were built in, 32 bytes long; in HBase 2.0.x and 2.1.0 "PBUF" and
 * TimeRangeTracker {from = 1, to = 2}. */
static int read_time_range(struct hfile *h, struct err *err) {
    struct bytes v = hfile_find(h, "TIMERANGE");
    if (!v.p) return 0;
    h->info.has_ts_range = true;
    if (v.n >= 4 && memcmp(v.p, "PBUF", 4) == 0) {
        struct bytes in = bytes_of(v.p + 4, v.n - 4);
        struct pbwire_field f;
        int rc;
        while ((rc = pbwire_next(&in, &f)) == 1) {
            if (f.type == PBWIRE_VARINT && f.number == 1) h->info.ts_min = (int64_t)f.value;
            if (f.type == PBWIRE_VARINT && f.number == 2) h->info.ts_max = (int64_t)f.value;
        }
        if (rc == 0) return 0;
    } else if (v.n == 16 || v.n == 32) {
        h->info.ts_min = (int64_t)be64(v.p);
        h->info.ts_max = (int64_t)be64(v.p + 8);
        return 0;
    }
    return err_set(err, ERR_INPUT, "%s: file info TIMERANGE of %zu bytes is malformed", h->path, v.n);
}

/* Reads which parts follow a cell's value. */
static int read_layout(struct hfile *h, struct err *err) {
    struct bytes v = hfile_find(h, "hfile.MAX_TAGS_LEN");
    h->layout.tags = h->info.has_tags = h->info.major >= 3 && v.p;
    v = hfile_find(h, "hfile.TAGS_COMPRESSED");
    h->layout.tags_compressed = v.n == 1 && v.p[0];
    v = hfile_find(h, "KEY_VALUE_VERSION");
    if (v.p && v.n != 4) return need(h, "KEY_VALUE_VERSION", 4, &v, err);
    h->layout.mvcc = h->info.has_mvcc = v.p && be32(v.p) == 1;
    if (!h->layout.mvcc) return 0;
    if (need(h, "MAX_MEMSTORE_TS_KEY", 8, &v, err)) return -1;
    h->info.max_mvcc = be64(v.p);
    return 0;
}

static int read_encoding(struct hfile *h, struct err *err) {
    struct bytes v = hfile_find(h, "DATA_BLOCK_ENCODING");
    h->encoding = v.p ? encoding_by_name(v) : encoding_by_id(HFILE_ENC_NONE);
    if (h->encoding) {
        h->info.encoding = h->encoding->id;
        return 0;
    }
    return err_set(err, ERR_UNSUPPORTED,
                   "%s: data block encoding %.*s is not supported%s; set DATA_BLOCK_ENCODING of the family to "
                   "NONE and major-compact the table",
                   h->path, (int)(v.n < 64 ? v.n : 64), (const char *)v.p,
                   bytes_eq(v, bytes_str("PREFIX_TREE")) ? " (HBase 2 has removed it)" : "");
}

/* Index blocks may have an encoding of their own (HBASE-27329): then all that can be done with them is to pass them. */
static int read_index(struct hfile *h, struct err *err) {
    enum { MID_KEY_BYTES = 16 };
    struct bytes v = hfile_find(h, "INDEX_BLOCK_ENCODING");
    if (v.n && !bytes_eq(v, bytes_str("NONE"))) {
        h->index_encoding = v;
        return 0;
    }
    const struct trailer *t = &h->trailer;
    size_t extra = t->index_levels > 1 ? MID_KEY_BYTES : 0;
    if (h->index_lost || !hfile_check_root(h, "root index", buf_bytes(&h->root), t->data_index_count, extra, err)) return 0;
    h->index_lost = true;
    return hfile_do_without(h, t->load_on_open_offset, t->file_info_offset, err);
}

static int key_of_first_cell(struct hfile *h, struct err *err) {
    if (data_block_first_key(h, h->trailer.first_data_offset, &h->first_key, err)) return -1;
    h->info.first_key = buf_bytes(&h->first_key);
    return 0;
}

static int read_keys(struct hfile *h, struct err *err) {
    struct bytes root = buf_bytes(&h->root);
    struct hfile_index_entry e;
    struct kv_key k;
    if (!h->info.cells) return 0;
    h->info.last_key = hfile_find(h, "hfile.LASTKEY");
    if (h->index_encoding.n && !h->lost) {
        if (key_of_first_cell(h, err)) return -1;
    } else if (hfile_index_readable(h)) {
        if (!index_take_root_entry(&root, &e) || !kv_key_parse(e.key, &k))
            return err_set(err, ERR_INPUT, "%s: first entry of the root index is malformed", h->path);
        h->info.first_key = e.key;
    }
    if (!h->info.last_key.p || !kv_key_parse(h->info.last_key, &k))
        return err_set(err, ERR_INPUT, "%s: file info hfile.LASTKEY is missing or not a key", h->path);
    return 0;
}

/* A kind that we do not know is left alone: it only serves lookups. A filter that is not there is none: HBase leaves its name in
 * halves of a file that it splits while bulk-loading it, when the family has no filter (StoreFileReader.loadBloomfilter). */
static int read_bloom_kind(struct hfile *h, struct err *err) {
    struct hfile_info *i = &h->info;
    enum hfile_bloom kind;
    struct bytes v;
    i->has_delete_bloom = h->delete_bloom_meta_offset != TRAILER_NO_OFFSET;
    i->bloom_type_name = hfile_find(h, "BLOOM_FILTER_TYPE");
    if (!bloom_kind_by_name(i->bloom_type_name, &kind) || kind == HFILE_BLOOM_NONE) return 0;
    if (h->bloom_meta_offset == TRAILER_NO_OFFSET) return 0;
    i->bloom = kind;
    if (kind != HFILE_BLOOM_PREFIX) return 0;
    if (need(h, "BLOOM_FILTER_PARAM", 4, &v, err)) return -1;
    i->bloom_prefix = be32(v.p);
    if (i->bloom_prefix >= 1 && i->bloom_prefix <= BLOOM_PREFIX_MAX) return 0;
    return err_set(err, ERR_INPUT, "%s: file info BLOOM_FILTER_PARAM: a prefix of %u bytes, 1 to %u are possible", h->path,
                   i->bloom_prefix, (unsigned)BLOOM_PREFIX_MAX);
}

int hfile_read_file_info(struct hfile *h, struct err *err) {
    struct hfile_pair *pairs = NULL;
    struct bytes v;
    if (file_info_parse(buf_bytes(&h->file_info), &pairs, &h->info.n_pairs, err)) return err_prefix(err, "%s", h->path);
    h->info.pairs = pairs;
    if (need(h, "hfile.AVG_KEY_LEN", 4, &v, err) || need(h, "hfile.AVG_VALUE_LEN", 4, &v, err)) return -1;
    v = hfile_find(h, "EARLIEST_PUT_TS");
    if (v.p && need(h, "EARLIEST_PUT_TS", 8, &v, err)) return -1;
    h->info.has_earliest_put = v.p != NULL;
    h->info.earliest_put_ms = v.p ? (int64_t)be64(v.p) : 0;
    if (read_bloom_kind(h, err) || read_time_range(h, err) || read_layout(h, err)) return -1;
    if (read_encoding(h, err) || read_index(h, err)) return -1;
    return read_keys(h, err);
}
