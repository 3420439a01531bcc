/* Blocks as bytes, and blocks read from a file. A reader keeps a window of the file and slides it forwards; a block is accepted
 * only if its header makes sense, its checksums match and its payload unpacks to the size that the header states. Sizes in it are
 * trusted only then: damage must not look like a lack of memory. */
#include "hfile/block.h"

#include "base/bytes.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/remote.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magics[BLOCK_TYPES][BLOCK_MAGIC_BYTES + 1] = {
    [BLOCK_DATA] = "DATABLK*",
    [BLOCK_ENCODED_DATA] = "DATABLKE",
    [BLOCK_LEAF_INDEX] = "IDXLEAF2",
    [BLOCK_BLOOM_CHUNK] = "BLMFBLK2",
    [BLOCK_META] = "METABLKc",
    [BLOCK_INTERMEDIATE_INDEX] = "IDXINTE2",
    [BLOCK_ROOT_INDEX] = "IDXROOT2",
    [BLOCK_FILE_INFO] = "FILEINF2",
    [BLOCK_GENERAL_BLOOM_META] = "BLMFMET2",
    [BLOCK_DELETE_FAMILY_BLOOM_META] = "DFBLMET2",
};

bool block_magic_leads(struct bytes head) {
    for (size_t i = 0; head.n >= BLOCK_MAGIC_BYTES && i < BLOCK_TYPES; i++)
        if (!memcmp(head.p, magics[i], BLOCK_MAGIC_BYTES)) return true;
    return false;
}

const char *block_type_name(enum block_type type) {
    return type < BLOCK_TYPES ? magics[type] : "?";
}

/* HFILE_SUM_NULL gives 0. */
static uint32_t block_sum(enum hfile_checksum sum, const uint8_t *p, size_t n) {
    switch (sum) {
    case HFILE_SUM_CRC32: return libdeflate_crc32(0, p, n);
    case HFILE_SUM_CRC32C: return crc32c(0, p, n);
    default: return 0;
    }
}

static uint32_t chunk_sum(const struct block_header *h, const uint8_t *p, uint64_t chunk) {
    uint64_t at = chunk * h->bytes_per_sum, left = h->summed_bytes - at;
    return block_sum(h->sum, p + at, (size_t)(left < h->bytes_per_sum ? left : h->bytes_per_sum));
}

void block_sums_put(const struct block_header *h, const uint8_t *p, uint64_t first_chunk, uint8_t *sums) {
    for (uint64_t chunk = first_chunk; chunk * h->bytes_per_sum < h->summed_bytes; chunk++)
        put_be32(sums + chunk * BLOCK_SUM_BYTES, chunk_sum(h, p, chunk));
}

void block_header_put(uint8_t *p, const struct block_header *h) {
    memcpy(p, magics[h->type], BLOCK_MAGIC_BYTES);
    p = put_be32(p + BLOCK_MAGIC_BYTES, h->disk_bytes);
    p = put_be32(p, h->plain_bytes);
    p = put_be64(p, (uint64_t)h->prev_offset);
    *p++ = (uint8_t)h->sum;
    p = put_be32(p, h->bytes_per_sum);
    put_be32(p, h->summed_bytes);
}

/* Parses the fields that v2.1 and later add to the header. NULL, or what is wrong. */
static const char *parse_sums(const uint8_t *p, struct block_header *h) {
    if (p[0] > HFILE_SUM_CRC32C) return "unknown checksum type";
    h->sum = (enum hfile_checksum)p[0];
    h->bytes_per_sum = be32(p + 1);
    h->summed_bytes = be32(p + 5);
    if (h->summed_bytes > INT32_MAX) return "a negative size";
    if (h->bytes_per_sum == 0 || h->bytes_per_sum > INT32_MAX) return "bytesPerChecksum out of range";
    if (h->summed_bytes < BLOCK_HEADER_BYTES) return "onDiskDataSizeWithHeader smaller than the header";
    if (h->disk_bytes !=
        (uint64_t)h->summed_bytes - BLOCK_HEADER_BYTES + BLOCK_SUM_BYTES * block_sum_count(h->summed_bytes, h->bytes_per_sum))
        return "sizes that contradict each other";
    return NULL;
}

const char *block_header_parse(const uint8_t *p, uint32_t header_bytes, struct block_header *h) {
    unsigned type = 0;
    while (type < BLOCK_TYPES && memcmp(p, magics[type], BLOCK_MAGIC_BYTES) != 0) type++;
    if (type == BLOCK_TYPES) return "no known block magic";
    h->type = (enum block_type)type;
    h->disk_bytes = be32(p + 8);
    h->plain_bytes = be32(p + 12);
    h->prev_offset = (int64_t)be64(p + 16);
    if (h->disk_bytes > INT32_MAX - BLOCK_HEADER_BYTES || h->plain_bytes > INT32_MAX) return "a negative size";
    if (header_bytes == BLOCK_HEADER_BYTES) return parse_sums(p + BLOCK_HEADER_V20_BYTES, h);
    h->sum = HFILE_SUM_NULL;
    h->bytes_per_sum = 0;
    h->summed_bytes = header_bytes + h->disk_bytes;
    return NULL;
}

int64_t block_sums_check(const struct block_header *h, const uint8_t *block, uint32_t *stored, uint32_t *computed) {
    const uint8_t *sums = block + h->summed_bytes;
    if (!h->bytes_per_sum) return -1;
    for (uint64_t chunk = 0; chunk * h->bytes_per_sum < h->summed_bytes; chunk++) {
        *computed = chunk_sum(h, block, chunk);
        *stored = be32(sums + chunk * BLOCK_SUM_BYTES);
        if (*stored != *computed) return (int64_t)chunk;
    }
    return -1;
}

/* --- bytes of a file --- */

static ssize_t fd_pread(void *arg, void *p, size_t n, uint64_t offset) {
    ssize_t got = pread((int)(intptr_t)arg, p, n, (off_t)offset);
    return got < 0 ? -errno : got;
}

static void fd_end(void *arg) {
    fd_close((int)(intptr_t)arg);
}

int hfile_bytes_of_fd(int fd, const char *path, struct hfile_bytes *out, struct err *err) {
    struct stat st;
    *out = (struct hfile_bytes){.pread = fd_pread, .close = fd_end, .arg = (void *)(intptr_t)fd};
    int rc = 0;
    if (fstat(fd, &st))
        rc = err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
    else if (!S_ISREG(st.st_mode))
        rc = err_set(err, ERR_INPUT, "%s: not a regular file", path);
    else
        out->size = (uint64_t)st.st_size;
    out->is_remote = !rc && remote_is(fd, path);
    if (rc) hfile_bytes_close(out);
    return rc;
}

void hfile_bytes_close(struct hfile_bytes *b) {
    if (b->close) b->close(b->arg);
    *b = (struct hfile_bytes){0};
}

int hfile_bytes_read(const struct hfile_bytes *b, void *p, size_t n, uint64_t offset, const char *path, struct err *err) {
    size_t got = 0;
    while (got < n) {
        ssize_t r = b->is_remote ? remote_read(path, (uint8_t *)p + got, n - got, offset + got, err)
                                 : b->pread(b->arg, (uint8_t *)p + got, n - got, offset + got);
        if (r < 0 && b->is_remote) return -1;
        if (r == -EINTR) continue;
        if (r < 0)
            return err_sys(err, ERR_INPUT, (int)-r, "%s: cannot read %zu bytes at %llu", path, n, (unsigned long long)offset);
        if (r == 0)
            return err_set(err, ERR_INPUT, "%s: ends at byte %llu, %zu bytes were expected at %llu", path,
                           (unsigned long long)(offset + got), n, (unsigned long long)offset);
        got += (size_t)r;
    }
    return 0;
}

/* --- blocks --- */

void block_reader_init(struct block_reader *r, const struct block_source *src, uint64_t limit, size_t ahead) {
    *r = (struct block_reader){.src = src, .limit = limit, .ahead = ahead, .ctx = codec_ctx_make(src->codec, 0)};
}

void block_reader_release(struct block_reader *r) {
    codec_ctx_release(&r->ctx);
    buf_free(&r->window);
    buf_free(&r->plain);
}

int block_fault(const struct block_source *src, const struct block *b, struct err *err, const char *fmt, ...) {
    char text[500];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_set(err, ERR_INPUT, "%s: %s block at %llu: %s", src->path, block_type_name(b->header.type),
                   (unsigned long long)b->offset, text);
}

static int check_size(const struct block_source *src, const struct block *b, uint32_t bytes, struct err *err) {
    if (bytes <= src->max_block_bytes) return 0;
    return err_set(err, ERR_LIMIT, "%s: %s block at %llu needs %u bytes, the limit is %zu", src->path,
                   block_type_name(b->header.type), (unsigned long long)b->offset, bytes, src->max_block_bytes);
}

/* Parses a header and checks it against the room there is. */
static int take_header(const struct block_source *src, const uint8_t *p, uint64_t offset, uint64_t limit, struct block *out,
                       struct err *err) {
    *out = (struct block){.offset = offset};
    const char *fault = block_header_parse(p, src->header_bytes, &out->header);
    if (fault)
        return err_set(err, ERR_INPUT, "%s: block header at %llu is damaged: %s", src->path, (unsigned long long)offset, fault);
    out->next = offset + src->header_bytes + out->header.disk_bytes;
    if (out->next > limit)
        return block_fault(src, out, err, "reaches to %llu, its section ends at %llu", (unsigned long long)out->next,
                           (unsigned long long)limit);
    if (src->codec == &codec_none && out->header.plain_bytes != out->header.summed_bytes - src->header_bytes)
        return block_fault(src, out, err, "%u bytes uncompressed, %u stored, but the file is not compressed",
                           out->header.plain_bytes, out->header.summed_bytes - src->header_bytes);
    return check_size(src, out, out->header.disk_bytes, err);
}

static int no_room(const struct block_source *src, uint64_t offset, uint64_t limit, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: a block should start at %llu, its section ends at %llu", src->path,
                   (unsigned long long)offset, (unsigned long long)limit);
}

int block_reader_header(const struct block_source *src, uint64_t offset, uint64_t limit, struct block *out, struct err *err) {
    uint8_t head[BLOCK_HEADER_BYTES];
    if (offset > limit || limit - offset < src->header_bytes) return no_room(src, offset, limit, err);
    if (hfile_bytes_read(&src->bytes, head, src->header_bytes, offset, src->path, err)) return -1;
    return take_header(src, head, offset, limit, out, err);
}

/* Room for n bytes; its content need not be kept, so that growing neither copies nor rounds up. */
static int make_room(struct buf *b, size_t n, struct err *err) {
    if (b->cap < n) buf_free(b);
    buf_clear(b);
    return buf_reserve(b, n, err);
}

/* Makes [offset, offset + n) available in the window, n within the limit. Keeps what it holds. */
static const uint8_t *window_get(struct block_reader *r, uint64_t offset, size_t n, struct err *err) {
    struct buf *w = &r->window;
    if (offset < r->window_at || offset - r->window_at > w->n) w->n = 0;
    size_t skip = w->n ? (size_t)(offset - r->window_at) : 0, have = w->n - skip;
    if (w->n && have >= n) return w->p + skip;
    uint64_t left = r->limit - offset;
    size_t want = n > r->ahead ? n : r->ahead;
    if (want > left) want = (size_t)left;
    if (have) memmove(w->p, w->p + skip, have);
    w->n = have;
    r->window_at = offset;
    size_t room = want + BLOCK_SPARE_BYTES;
    if (have ? buf_reserve(w, room - have, err) : make_room(w, room, err)) return NULL;
    if (hfile_bytes_read(&r->src->bytes, w->p + have, want - have, offset + have, r->src->path, err)) return NULL;
    w->n = want;
    return w->p;
}

static int check_sums(const struct block_source *src, const struct block *b, const uint8_t *p, struct err *err) {
    uint32_t stored = 0, computed = 0;
    int64_t chunk = block_sums_check(&b->header, p, &stored, &computed);
    if (chunk < 0) return 0;
    return block_fault(src, b, err, "checksum of bytes %llu to %llu differs: stored %08x, computed %08x",
                       (unsigned long long)(b->offset + (uint64_t)chunk * b->header.bytes_per_sum),
                       (unsigned long long)(b->offset + (uint64_t)(chunk + 1) * b->header.bytes_per_sum), stored, computed);
}

static int take_payload(struct block_reader *r, const uint8_t *p, struct block *out, struct err *err) {
    struct bytes stored = bytes_of(p + r->src->header_bytes, out->header.summed_bytes - r->src->header_bytes);
    if (r->src->codec == &codec_none) {
        out->payload = stored;
        return 0;
    }
    size_t n = out->header.plain_bytes;
    if (make_room(&r->plain, n + BLOCK_SPARE_BYTES, err)) return -1;
    if (codec_decompress(&r->ctx, stored, r->plain.p, n, err))
        return err_prefix(err, "%s: %s block at %llu", r->src->path, block_type_name(out->header.type),
                          (unsigned long long)out->offset);
    r->plain.n = n;
    out->payload = buf_bytes(&r->plain);
    return 0;
}

int block_reader_get(struct block_reader *r, uint64_t offset, uint32_t payload_types, struct block *out, struct err *err) {
    if (offset > r->limit || r->limit - offset < r->src->header_bytes) return no_room(r->src, offset, r->limit, err);
    const uint8_t *p = window_get(r, offset, r->src->header_bytes, err);
    if (!p || take_header(r->src, p, offset, r->limit, out, err)) return -1;
    p = window_get(r, offset, (size_t)(out->next - offset), err);
    if (!p || check_sums(r->src, out, p, err)) return -1;
    /* Only now is the size in the header more than a claim: what is damaged must not look like a lack of memory. */
    if (check_size(r->src, out, out->header.plain_bytes, err)) return -1;
    return payload_types >> out->header.type & 1 ? take_payload(r, p, out, err) : 0;
}

int block_reader_stored(struct block_reader *r, uint64_t offset, struct block *out, struct bytes *stored, struct err *err) {
    if (block_reader_get(r, offset, 0, out, err)) return -1;
    *stored = bytes_of(r->window.p + (offset - r->window_at), (size_t)(out->next - offset));
    return 0;
}
