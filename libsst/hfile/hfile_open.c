/* Opens an HFile: trailer, then the load-on-open section, which must fill the room up to the trailer exactly, then what file
 * info says of the cells. Of a file that may be damaged the index and the blooms can be done without; what is done without is
 * reported. */
#include "hfile/hfile_reader.h"

#include "base/bytes.h"
#include "base/fs.h"
#include "base/wire.h"
#include "cell/keyvalue.h"
#include "hfile/bloom.h"
#include "hfile/hfile_metadata.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_state.h"
#include "hfile/block_index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_MAX_BLOCK_BYTES = 1 << 30 };

const struct hfile_info *hfile_info(const struct hfile *h) {
    return &h->info;
}

const struct trailer *hfile_trailer(const struct hfile *h) {
    return &h->trailer;
}

uint64_t hfile_open_plain_bytes(const struct hfile *h) {
    return h->open_plain_bytes + h->trailer.bytes;
}

int hfile_read_raw(const struct hfile *h, void *p, size_t n, uint64_t offset, struct err *err) {
    return hfile_bytes_read(&h->src.bytes, p, n, offset, h->path, err);
}

const char *hfile_codec_name(unsigned ordinal) {
    const struct codec *codec = codec_by_ordinal(ordinal);
    return codec ? codec->name : "unknown";
}

const char *hfile_encoding_name(unsigned id) {
    const char *name = encoding_name(id);
    return name ? name : "unknown";
}

bool hfile_looks_like(struct bytes tail) {
    return trailer_looks_like(tail);
}

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

/* --- trailer --- */

static int check_comparator(struct hfile *h, struct err *err) {
    struct bytes c = h->trailer.comparator;
    snprintf(h->comparator, sizeof h->comparator, "%.*s", (int)(c.n < 200 ? c.n : 200), (const char *)c.p);
    h->info.comparator = h->comparator;
    switch (comparator_by_name(c)) {
    case COMPARATOR_CELLS: return 0;
    case COMPARATOR_META:
        return err_set(err, ERR_UNSUPPORTED, "comparator %s: a file of HBase's own meta table, which is not table data",
                       h->comparator);
    case COMPARATOR_RAW:
        return err_set(err, ERR_UNSUPPORTED, "comparator %s: this file does not hold KeyValues but raw bytes", h->comparator);
    default:
        return err_set(err, ERR_UNSUPPORTED, "unknown comparator \"%s\": the order of cells in this file is not known",
                       h->comparator);
    }
}

static int check_codec(struct hfile *h, struct err *err) {
    h->src.codec = codec_by_ordinal(h->trailer.codec);
    h->info.codec = (enum hfile_codec)h->trailer.codec;
    if (h->src.codec) return 0;
    return err_set(err, ERR_UNSUPPORTED,
                   "unknown compression codec %u: set the family to SNAPPY, LZ4, ZSTD, GZ or NONE and major-compact the table",
                   h->trailer.codec);
}

static int check_offsets(struct hfile *h, struct err *err) {
    struct trailer *t = &h->trailer;
    /* Before HBase 2 the last data block of a file without any stood at 0. */
    if (t->first_data_offset == TRAILER_NO_OFFSET && t->last_data_offset == 0) t->last_data_offset = TRAILER_NO_OFFSET;
    bool none = t->first_data_offset == TRAILER_NO_OFFSET && t->last_data_offset == TRAILER_NO_OFFSET;
    if (t->load_on_open_offset > h->trailer_offset || t->file_info_offset < t->load_on_open_offset ||
        t->file_info_offset > h->trailer_offset)
        return err_set(err, ERR_INPUT,
                       "trailer: offsets of load-on-open section (%llu) and file info (%llu) do not fit a file of %llu bytes",
                       (unsigned long long)t->load_on_open_offset, (unsigned long long)t->file_info_offset,
                       (unsigned long long)h->info.file_bytes);
    if (!none && (t->first_data_offset > t->last_data_offset || t->last_data_offset >= t->load_on_open_offset))
        return err_set(err, ERR_INPUT,
                       "trailer: data blocks from %llu to %llu do not lie in the scanned section, which ends at %llu",
                       (unsigned long long)t->first_data_offset, (unsigned long long)t->last_data_offset,
                       (unsigned long long)t->load_on_open_offset);
    if (none != (t->entry_count == 0) || none != (t->data_index_count == 0))
        return err_set(err, ERR_INPUT, "trailer: %llu cells and %u root index entries with%s data blocks",
                       (unsigned long long)t->entry_count, t->data_index_count, none ? "out" : "");
    if (t->index_levels < 1 || t->index_levels > INDEX_LEVELS_MAX)
        return err_set(err, ERR_INPUT, "trailer: %u levels of index", t->index_levels);
    return 0;
}

static int read_trailer(struct hfile *h, struct err *err) {
    uint8_t tail[TRAILER_V3_BYTES];
    size_t n = h->info.file_bytes < sizeof tail ? (size_t)h->info.file_bytes : sizeof tail;
    struct trailer *t = &h->trailer;
    if (hfile_bytes_read(&h->src.bytes, tail, n, h->info.file_bytes - n, h->path, err)) return -1;
    if (trailer_parse(bytes_of(tail, n), t, err)) return err_prefix(err, "%s", h->path);
    h->trailer_offset = h->info.trailer_offset = h->info.file_bytes - t->bytes;
    h->src.header_bytes = t->major == 2 && t->minor == 0 ? BLOCK_HEADER_V20_BYTES : BLOCK_HEADER_BYTES;
    h->info.major = t->major;
    h->info.minor = t->minor;
    h->info.cells = t->entry_count;
    h->info.index_levels = t->index_levels;
    int rc = check_comparator(h, err);
    t->comparator = (struct bytes){0}; /* it lay in `tail` */
    if (!rc && t->encrypted)
        rc = err_set(err, ERR_UNSUPPORTED,
                     "encrypted file (encryption_key in its trailer): remove ENCRYPTION from the family and "
                     "major-compact the table");
    if (rc || check_codec(h, err) || check_offsets(h, err)) return err_prefix(err, "%s", h->path);
    h->info.first_data_offset = t->first_data_offset;
    h->info.last_data_offset = t->last_data_offset;
    h->info.load_on_open_offset = t->load_on_open_offset;
    return 0;
}

/* --- load-on-open section --- */

static int get_typed(struct hfile *h, struct block_reader *r, uint64_t *at, enum block_type type, struct buf *keep,
                     struct err *err) {
    struct block b;
    if (block_reader_get(r, *at, BLOCK_ANY, &b, err)) return -1;
    if (b.header.type != type) return block_fault(&h->src, &b, err, "%s was expected here", block_type_name(type));
    *at = b.next;
    if (type != BLOCK_ROOT_INDEX) h->open_plain_bytes += h->src.header_bytes + (uint64_t)b.payload.n;
    return buf_copy(keep, b.payload, err);
}

/* An index in root format must hold as many entries as the trailer says; `extra` bytes or none follow them. */
static int check_root_format(const struct hfile *h, const char *what, struct bytes payload, uint32_t count, size_t extra,
                             struct err *err) {
    struct hfile_index_entry e;
    for (uint32_t i = 0; i < count; i++)
        if (!index_take_root_entry(&payload, &e))
            return err_set(err, ERR_INPUT, "%s: %s ends after %u of %u entries", h->path, what, i, count);
    if (payload.n && payload.n != extra)
        return err_set(err, ERR_INPUT, "%s: %s has %zu bytes after its %u entries", h->path, what, payload.n, count);
    return 0;
}

/* Blocks of bloom filters: all that follows file info. */
static int read_bloom_metas(struct hfile *h, struct block_reader *r, uint64_t *at, struct err *err) {
    while (*at < h->trailer_offset) {
        struct block b;
        if (block_reader_get(r, *at, 0, &b, err)) return -1;
        uint64_t *place = b.header.type == BLOCK_GENERAL_BLOOM_META         ? &h->bloom_meta_offset
                          : b.header.type == BLOCK_DELETE_FAMILY_BLOOM_META ? &h->delete_bloom_meta_offset
                                                                            : NULL;
        if (!place || *place != TRAILER_NO_OFFSET)
            return block_fault(&h->src, &b, err, "does not belong between file info and trailer");
        *place = *at;
        h->open_plain_bytes += h->src.header_bytes + (uint64_t)b.header.plain_bytes;
        *at = b.next;
    }
    return 0;
}

static int read_open_blocks(struct hfile *h, struct block_reader *r, struct err *err) {
    uint64_t at = h->trailer.load_on_open_offset;
    struct buf meta = {0};
    int rc = -1;
    if (get_typed(h, r, &at, BLOCK_ROOT_INDEX, &h->root, err)) goto out;
    if (get_typed(h, r, &at, BLOCK_ROOT_INDEX, &meta, err)) goto out;
    /* Scans skip the meta blocks themselves, after checking their checksums. */
    if (check_root_format(h, "meta index", buf_bytes(&meta), h->trailer.meta_index_count, 0, err)) goto out;
    h->open_plain_bytes = h->src.header_bytes + (uint64_t)meta.n;
    if (at != h->trailer.file_info_offset) {
        err_set(err, ERR_INPUT, "%s: file info stands at %llu, the trailer says %llu", h->path, (unsigned long long)at,
                (unsigned long long)h->trailer.file_info_offset);
        goto out;
    }
    if (get_typed(h, r, &at, BLOCK_FILE_INFO, &h->file_info, err)) goto out;
    rc = read_bloom_metas(h, r, &at, err);
out:
    buf_free(&meta);
    return rc;
}

const char *hfile_reason(const struct hfile *h, const struct err *err) {
    size_t n = strlen(h->path);
    return strncmp(err->text, h->path, n) || err->text[n] != ':' ? err->text : err->text + n + 2;
}

/* Damage that can be done without is reported: 0, and *err is empty again. Else -1, and the error stays. */
static int do_without(struct hfile *h, uint64_t offset, uint64_t end, struct err *err) {
    struct hfile_lost lost = {.offset = offset, .end = end, .no_cells = true};
    struct err damage = *err;
    if (!h->lost || err->code != ERR_INPUT) return -1;
    lost.reason = hfile_reason(h, &damage);
    *err = (struct err){0};
    return h->lost->put(h->lost->arg, &lost, err);
}

/* The same for a file that may be damaged. The meta index is not asked for: nothing depends on it. */
static int read_damaged_open_blocks(struct hfile *h, struct block_reader *r, struct err *err) {
    const struct trailer *t = &h->trailer;
    uint64_t at = t->load_on_open_offset;
    h->index_lost = get_typed(h, r, &at, BLOCK_ROOT_INDEX, &h->root, err) != 0;
    if (h->index_lost && do_without(h, t->load_on_open_offset, t->file_info_offset, err)) return -1;
    at = t->file_info_offset;
    if (get_typed(h, r, &at, BLOCK_FILE_INFO, &h->file_info, err)) return -1;
    return read_bloom_metas(h, r, &at, err) ? do_without(h, at, h->trailer_offset, err) : 0;
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

/* Which parts follow a cell's value. */
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
                   "%s: data block encoding %.*s is not supported%s: set DATA_BLOCK_ENCODING of the family to "
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
    if (h->index_lost || !check_root_format(h, "root index", buf_bytes(&h->root), t->data_index_count, extra, err)) return 0;
    h->index_lost = true;
    return do_without(h, t->load_on_open_offset, t->file_info_offset, err);
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

/* A kind that we do not know is left alone: it only serves lookups. */
static int read_bloom_kind(struct hfile *h, struct err *err) {
    struct hfile_info *i = &h->info;
    enum hfile_bloom kind;
    struct bytes v;
    i->has_delete_bloom = h->delete_bloom_meta_offset != TRAILER_NO_OFFSET;
    i->bloom_type_name = hfile_find(h, "BLOOM_FILTER_TYPE");
    if (!bloom_kind_by_name(i->bloom_type_name, &kind) || kind == HFILE_BLOOM_NONE) return 0;
    if (h->bloom_meta_offset == TRAILER_NO_OFFSET && h->lost) return 0;
    if (h->bloom_meta_offset == TRAILER_NO_OFFSET)
        return err_set(err, ERR_INPUT, "%s: file info names a %s bloom filter that is not there", h->path, bloom_kind_name(kind));
    i->bloom = kind;
    if (kind != HFILE_BLOOM_PREFIX) return 0;
    if (need(h, "BLOOM_FILTER_PARAM", 4, &v, err)) return -1;
    i->bloom_prefix = be32(v.p);
    if (i->bloom_prefix >= 1 && i->bloom_prefix <= BLOOM_PREFIX_MAX) return 0;
    return err_set(err, ERR_INPUT, "%s: file info BLOOM_FILTER_PARAM: a prefix of %u bytes, 1 to %u are possible", h->path,
                   i->bloom_prefix, (unsigned)BLOOM_PREFIX_MAX);
}

static int read_file_info(struct hfile *h, struct err *err) {
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

/* How many times larger data blocks are without their encoding: by the cells' average size, to the next whole number. */
static uint32_t decoded_factor(const struct hfile *h) {
    enum { MOST = 1024, FIXED_BYTES = 8 };
    struct bytes key = hfile_find(h, "hfile.AVG_KEY_LEN"), value = hfile_find(h, "hfile.AVG_VALUE_LEN");
    if (h->encoding->id == HFILE_ENC_NONE || !h->trailer.total_plain_bytes) return 1;
    double cells = (double)h->info.cells * (FIXED_BYTES + (double)be32(key.p) + be32(value.p));
    double times = cells / (double)h->trailer.total_plain_bytes;
    return times < MOST ? (uint32_t)times + 1 : MOST;
}

static int read_usual_size(struct hfile *h, struct err *err) {
    struct block b;
    h->decoded_factor = decoded_factor(h);
    if (h->info.first_data_offset == TRAILER_NO_OFFSET) return 0;
    struct err mine = {0};
    if (!block_reader_header(&h->src, h->info.first_data_offset, h->info.load_on_open_offset, &b, &mine)) {
        h->usual_block_bytes = h->info.block_bytes = b.header.plain_bytes;
        return 0;
    }
    if (h->lost && mine.code == ERR_INPUT) return 0;
    err_keep(err, &mine);
    return -1;
}

/* --- life --- */

static int set_path(struct hfile *h, const char *path, struct err *err) {
    h->info.file_bytes = h->src.bytes.size;
    h->src.path = h->info.path = h->path = fs_printf(err, "%s", path);
    return h->path ? 0 : -1;
}

static int read_all(struct hfile *h, struct err *err) {
    struct block_reader r;
    if (read_trailer(h, err)) return -1;
    block_reader_init(&r, &h->src, h->trailer_offset, 64u << 10);
    int rc = (h->lost ? read_damaged_open_blocks : read_open_blocks)(h, &r, err);
    block_reader_release(&r);
    if (rc || read_file_info(h, err)) return -1;
    return read_usual_size(h, err);
}

struct hfile *hfile_open(const char *path, size_t max_block_bytes, struct err *err) {
    return hfile_open_damaged(path, max_block_bytes, NULL, err);
}

struct hfile *hfile_open_damaged(const char *path, size_t max_block_bytes, const struct hfile_lost_sink *lost, struct err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a named pipe must not make us wait */
    if (fd < 0) {
        err_sys(err, ERR_INPUT, errno, "%s: cannot open", path);
        return NULL;
    }
    return hfile_open_fd(fd, path, max_block_bytes, lost, err);
}

struct hfile *hfile_open_fd(int fd, const char *path, size_t max_block_bytes, const struct hfile_lost_sink *lost,
                            struct err *err) {
    struct hfile_bytes bytes;
    if (hfile_bytes_of_fd(fd, path, &bytes, err)) return NULL;
    return hfile_open_bytes(bytes, path, max_block_bytes, lost, err);
}

struct hfile *hfile_open_bytes(struct hfile_bytes bytes, const char *path, size_t max_block_bytes,
                               const struct hfile_lost_sink *lost, struct err *err) {
    struct hfile *h = calloc(1, sizeof *h);
    if (!h) {
        hfile_bytes_close(&bytes);
        err_nomem(err, sizeof *h, path);
        return NULL;
    }
    h->src.bytes = bytes;
    h->src.max_block_bytes = max_block_bytes ? max_block_bytes : DEFAULT_MAX_BLOCK_BYTES;
    h->bloom_meta_offset = h->delete_bloom_meta_offset = TRAILER_NO_OFFSET;
    h->lost = lost;
    bool good = set_path(h, path, err) == 0 && read_all(h, err) == 0;
    h->lost = NULL;
    if (good) return h;
    hfile_close(h);
    return NULL;
}

bool hfile_claims(int fd, const char *path, uint64_t *cells) {
    struct hfile h = {0};
    struct err err = {0};
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0 || hfile_bytes_of_fd(own, path, &h.src.bytes, &err)) return false;
    bool known = set_path(&h, path, &err) == 0 && read_trailer(&h, &err) == 0;
    *cells = h.info.cells;
    hfile_bytes_close(&h.src.bytes);
    free(h.path);
    return known;
}

void hfile_close(struct hfile *h) {
    if (!h) return;
    hfile_bytes_close(&h->src.bytes);
    free((void *)h->info.pairs);
    buf_free(&h->root);
    buf_free(&h->file_info);
    buf_free(&h->first_key);
    free(h->path);
    free(h);
}
