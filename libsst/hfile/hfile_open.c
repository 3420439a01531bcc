/* Opens an HFile: trailer, then the load-on-open section, which must fill the room up to the trailer exactly, then what file
 * info says of the cells (hfile_file_info.c). Of a file that may be damaged the index and the blooms can be done without; what
 * is done without is reported. */

#include "base/bytes.h"
#include "base/fs.h"
#include "base/wire.h"
#include "cell/keyvalue.h"
#include "hfile/bloom.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_state.h"
#include "hfile/pack_member.h"

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

/* --- trailer --- */

static int refuse_comparator(const struct hfile *h, struct err *err) {
    struct buf names = {0};
    if (!h->trailer.missing)
        return err_set(err, ERR_UNSUPPORTED, "unknown comparator \"%s\": the order of cells in this file is not known",
                       h->comparator);
    if (trailer_put_missing(h->trailer.missing, &names, err) == 0)
        err_set(err, ERR_UNSUPPORTED,
                "written by another program: the trailer lacks %.*s, and its comparator \"%s\" is not one of HBase's: the "
                "order of its cells is not known; let that program write its records as text",
                (int)names.n, (const char *)names.p, h->comparator);
    buf_free(&names);
    return -1;
}

static int check_comparator(struct hfile *h, struct err *err) {
    struct bytes c = h->trailer.comparator;
    snprintf(h->comparator, sizeof h->comparator, "%.*s", (int)(c.n < 200 ? c.n : 200), (const char *)c.p);
    h->info.comparator = h->comparator;
    if (trailer_lacks(&h->trailer, TRAILER_COMPARATOR)) {
        h->info.comparator = COMPARATOR_CELLS_NAME;
        return 0;
    }
    switch (comparator_by_name(c)) {
    case COMPARATOR_CELLS: return 0;
    case COMPARATOR_META:
        return err_set(err, ERR_UNSUPPORTED, "comparator %s: a file of HBase's own meta table, which is not table data",
                       h->comparator);
    case COMPARATOR_RAW:
        return err_set(err, ERR_UNSUPPORTED, "comparator %s: this file does not hold KeyValues but raw bytes", h->comparator);
    default: return refuse_comparator(h, err);
    }
}

static int check_codec(struct hfile *h, struct err *err) {
    h->src.codec = codec_by_ordinal(h->trailer.codec);
    h->info.codec = (enum hfile_codec)h->trailer.codec;
    if (h->src.codec) return 0;
    return err_set(err, ERR_UNSUPPORTED,
                   "unknown compression codec %u; set the family to SNAPPY, LZ4, ZSTD, GZ or NONE and major-compact the table",
                   h->trailer.codec);
}

static bool lacks_data_offsets(const struct trailer *t) {
    return trailer_lacks(t, TRAILER_FIRST_DATA_OFFSET) || trailer_lacks(t, TRAILER_LAST_DATA_OFFSET);
}

static int check_offsets(struct hfile *h, struct err *err) {
    struct trailer *t = &h->trailer;
    /* Before HBase 2 the last data block of a file without any stood at 0. */
    if (t->first_data_offset == TRAILER_NO_OFFSET && t->last_data_offset == 0) t->last_data_offset = TRAILER_NO_OFFSET;
    bool none = t->first_data_offset == TRAILER_NO_OFFSET && t->last_data_offset == TRAILER_NO_OFFSET;
    if (lacks_data_offsets(t)) {
        none = t->entry_count == 0;
        t->first_data_offset = t->last_data_offset = none ? TRAILER_NO_OFFSET : 0; /* until find_data_offsets */
    }
    if (trailer_lacks(t, TRAILER_FILE_INFO_OFFSET)) t->file_info_offset = t->load_on_open_offset; /* until it is read */
    if (t->load_on_open_offset > h->trailer_offset || t->file_info_offset < t->load_on_open_offset ||
        t->file_info_offset > h->trailer_offset)
        return err_set(err, ERR_INPUT,
                       "trailer: offsets of load-on-open section (%llu) and file info (%llu) do not fit a file of %llu bytes",
                       (unsigned long long)t->load_on_open_offset, (unsigned long long)t->file_info_offset,
                       (unsigned long long)h->info.file_bytes);
    if (!none && (t->first_data_offset > t->last_data_offset || t->last_data_offset >= t->load_on_open_offset))
        return err_set(err, ERR_INPUT,
                       "trailer: data blocks from %llu to %llu are not in the scanned section, which ends at %llu",
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
    t->comparator = (struct bytes){0}; /* it was in `tail` */
    if (!rc && t->encrypted)
        rc = err_set(err, ERR_UNSUPPORTED,
                     "encrypted file (encryption_key in its trailer); remove ENCRYPTION from the family and "
                     "major-compact the table");
    if (rc || check_codec(h, err) || check_offsets(h, err)) return err_prefix(err, "%s", h->path);
    h->info.load_on_open_offset = t->load_on_open_offset;
    return 0;
}

/* Finds the first and the last data block. Where the trailer does not say where the first and the last data block are, headers
 * do. */
static int find_data_offsets(struct hfile *h, struct err *err) {
    struct trailer *t = &h->trailer;
    bool any = false;
    uint64_t at = lacks_data_offsets(t) && t->entry_count ? 0 : t->load_on_open_offset;
    while (at < t->load_on_open_offset) {
        struct block b;
        if (block_reader_header(&h->src, at, t->load_on_open_offset, &b, err)) return -1;
        if (block_chain(b.header.type) == BLOCK_DATA) {
            if (!any) t->first_data_offset = at;
            t->last_data_offset = at;
            any = true;
        }
        at = b.next;
    }
    h->info.first_data_offset = t->first_data_offset;
    h->info.last_data_offset = t->last_data_offset;
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
    if (!trailer_lacks(&h->trailer, TRAILER_META_INDEX_COUNT) &&
        hfile_check_root(h, "meta index", buf_bytes(&meta), h->trailer.meta_index_count, 0, err))
        goto out;
    h->open_plain_bytes = h->src.header_bytes + (uint64_t)meta.n;
    if (trailer_lacks(&h->trailer, TRAILER_FILE_INFO_OFFSET)) h->trailer.file_info_offset = at;
    if (at != h->trailer.file_info_offset) {
        err_set(err, ERR_INPUT, "%s: file info is at %llu, the trailer says %llu", h->path, (unsigned long long)at,
                (unsigned long long)h->trailer.file_info_offset);
        goto out;
    }
    if (get_typed(h, r, &at, BLOCK_FILE_INFO, &h->file_info, err)) goto out;
    rc = read_bloom_metas(h, r, &at, err);
out:
    buf_free(&meta);
    return rc;
}

/* Reads the blocks at the load-on-open offset of a file that may be damaged. The meta index is not asked for: nothing depends on
 * it. */
static int read_damaged_open_blocks(struct hfile *h, struct block_reader *r, struct err *err) {
    const struct trailer *t = &h->trailer;
    uint64_t at = t->load_on_open_offset;
    h->index_lost = get_typed(h, r, &at, BLOCK_ROOT_INDEX, &h->root, err) != 0;
    if (h->index_lost && hfile_do_without(h, t->load_on_open_offset, t->file_info_offset, err)) return -1;
    at = t->file_info_offset;
    if (get_typed(h, r, &at, BLOCK_FILE_INFO, &h->file_info, err)) return -1;
    return read_bloom_metas(h, r, &at, err) ? hfile_do_without(h, at, h->trailer_offset, err) : 0;
}

/* Returns how many times larger data blocks are without their encoding: by the cells' average size, to the next whole number. */
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
    if (read_trailer(h, err) || find_data_offsets(h, err)) return -1;
    bool damaged = h->lost && !trailer_lacks(&h->trailer, TRAILER_FILE_INFO_OFFSET);
    block_reader_init(&r, &h->src, h->trailer_offset, 64u << 10);
    int rc = (damaged ? read_damaged_open_blocks : read_open_blocks)(h, &r, err);
    block_reader_release(&r);
    if (rc || hfile_read_file_info(h, err)) return -1;
    return read_usual_size(h, err);
}

struct hfile *hfile_open(const char *path, size_t max_block_bytes, struct err *err) {
    return hfile_open_damaged(path, max_block_bytes, NULL, err);
}

/* Opens what has a file above it: a member of a pack. */
static struct hfile *open_member(const char *path, size_t max_block_bytes, const struct hfile_lost_sink *lost, struct err *err) {
    struct pack_member m;
    struct hfile_bytes bytes;
    if (!pack_member_parse(path, &m)) {
        err_sys(err, ERR_INPUT, ENOTDIR, "%s: cannot open", path);
        return NULL;
    }
    return pack_member_open(&m, path, &bytes, err) ? NULL : hfile_open_bytes(bytes, path, max_block_bytes, lost, err);
}

struct hfile *hfile_open_damaged(const char *path, size_t max_block_bytes, const struct hfile_lost_sink *lost, struct err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a named pipe must not make us wait */
    if (fd < 0 && errno == ENOTDIR) return open_member(path, max_block_bytes, lost, err);
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

int hfile_claims(int fd, const char *path, uint64_t *cells, struct err *err) {
    struct hfile h = {0};
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return err_sys(err, ERR_INPUT, errno, "%s", path);
    if (hfile_bytes_of_fd(own, path, &h.src.bytes, err)) return -1;
    int rc = set_path(&h, path, err) || read_trailer(&h, err) ? -1 : 0;
    if (!rc) *cells = h.info.cells;
    hfile_bytes_close(&h.src.bytes);
    free(h.path);
    return rc;
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
