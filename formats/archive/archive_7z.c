/* The headers of a 7z archive say how much memory it needs, and libarchive allocates that much unchecked: dictionaries and
 * directory are measured here before libarchive opens one. */
#include "base/buf.h"
#include "base/bytes.h"
#include "base/fs.h"
#include "formats/archive/archive_source.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
    START_BYTES = 32,
    CODERS_MAX = 4, /* of a group of packed files, as in libarchive */
    STREAMS_MAX = 32,
    ENTRY_BYTES = 128, /* libarchive's for each file, and what goes with it */
    DEFAULT_MEMORY_BYTES = 1 << 30,
    UNIX_MODE_TYPE = 0170000,
    UNIX_MODE_LINK = 0120000
};

enum property {
    END = 0,
    HEADER = 1,
    MAIN_STREAMS = 4,
    FILES = 5,
    PACK_INFO = 6,
    UNPACK_INFO = 7,
    SUBSTREAMS = 8,
    SIZE = 9,
    CRC = 10,
    FOLDER = 11,
    UNPACK_SIZES = 12,
    STREAM_COUNTS = 13,
    ATTRIBUTES = 21,
    ENCODED_HEADER = 23
};

struct folder {
    uint64_t streams;
    bool has_crc;
};

/* The header as it is gone through. */
struct archive_7z_header {
    struct bytes in;
    const char *path;
    uint64_t memory;
    struct folder *folders;
    uint64_t n_folders, n_out, streams;
    /* The coder and its properties of the first group of files: of an encoded header, the only one. */
    struct bytes coder, properties;
    uint64_t pack_at, pack_bytes, unpack_bytes;
};

static int damaged(const struct archive_7z_header *s, struct err *err) {
    err_set(err, ERR_INPUT, "%s: damaged 7z archive: its header is invalid", s->path);
    return -1;
}

static int too_large(const struct archive_7z_header *s, uint64_t want, const char *what, struct err *err) {
    return err_set(err, ERR_LIMIT, "%s: %s of this 7z archive needs %llu bytes of memory, %llu are allowed; raise --memory",
                   s->path, what, (unsigned long long)want, (unsigned long long)s->memory);
}

/* ---- bytes ---- */

static int take_bytes(struct archive_7z_header *s, uint64_t n, struct bytes *out, struct err *err) {
    if (n > s->in.n) return damaged(s, err);
    *out = bytes_of(s->in.p, (size_t)n);
    s->in = bytes_of(s->in.p + n, s->in.n - (size_t)n);
    return 0;
}

static int take_byte(struct archive_7z_header *s, unsigned *v, struct err *err) {
    struct bytes b;
    if (take_bytes(s, 1, &b, err)) return -1;
    *v = b.p[0];
    return 0;
}

/* As many ones as the first byte begins with are bytes of the number that follow, low one first; its other bits follow above. */
static int take_number(struct archive_7z_header *s, uint64_t *v, struct err *err) {
    unsigned first, mask = 0x80;
    struct bytes more;
    if (take_byte(s, &first, err)) return -1;
    unsigned n = 0;
    for (; n < 8 && first & mask; mask >>= 1) n++;
    if (take_bytes(s, n, &more, err)) return -1;
    *v = 0;
    for (unsigned i = 0; i < n; i++) *v |= (uint64_t)more.p[i] << 8 * i;
    if (n < 8) *v += (uint64_t)(first & (mask - 1)) << 8 * n;
    return 0;
}

/* A number of things, each of which takes at least a byte further on. */
static int take_count(struct archive_7z_header *s, uint64_t *v, struct err *err) {
    if (take_number(s, v, err)) return -1;
    return *v > s->in.n ? damaged(s, err) : 0;
}

static int skip_numbers(struct archive_7z_header *s, uint64_t n, struct err *err) {
    uint64_t v;
    for (; n; n--)
        if (take_number(s, &v, err)) return -1;
    return 0;
}

static int expect_id(struct archive_7z_header *s, unsigned id, struct err *err) {
    unsigned found;
    if (take_byte(s, &found, err)) return -1;
    return found == id ? 0 : damaged(s, err);
}

static bool bit(struct bytes bits, uint64_t i) {
    return bits.p[i / 8] & 0x80 >> i % 8;
}

/* Takes a list of which of n things have something: one byte for all, or a bit each. bits->p NULL: all. */
static int take_bits(struct archive_7z_header *s, uint64_t n, struct bytes *bits, struct err *err) {
    unsigned all;
    if (take_byte(s, &all, err)) return -1;
    *bits = (struct bytes){0};
    return all ? 0 : take_bytes(s, n / 8 + (n % 8 != 0), bits, err);
}

static int skip_crcs(struct archive_7z_header *s, uint64_t n, struct bytes *bits, struct err *err) {
    struct bytes crcs;
    uint64_t defined = n;
    if (n > 8 * (uint64_t)s->in.n || take_bits(s, n, bits, err)) return damaged(s, err);
    for (uint64_t i = 0; bits->p && i < n; i++) defined -= !bit(*bits, i);
    return defined > s->in.n / 4 ? damaged(s, err) : take_bytes(s, 4 * defined, &crcs, err);
}

/* ---- streams ---- */

static int pack_info(struct archive_7z_header *s, struct err *err) {
    uint64_t n, size;
    unsigned id;
    struct bytes bits;
    if (take_number(s, &s->pack_at, err) || take_count(s, &n, err) || expect_id(s, SIZE, err)) return -1;
    for (uint64_t i = 0; i < n; i++) {
        if (take_number(s, &size, err)) return -1;
        if (!i) s->pack_bytes = size;
    }
    if (take_byte(s, &id, err)) return -1;
    if (id == CRC && (skip_crcs(s, n, &bits, err) || take_byte(s, &id, err))) return -1;
    return id == END ? 0 : damaged(s, err);
}

static bool is_coder(struct bytes id, const char *bytes, size_t n) {
    return bytes_eq(id, bytes_of(bytes, n));
}

/* Returns in *memory what a coder needs, by its properties, beside a fixed, small state. */
static int coder_memory(const struct archive_7z_header *s, struct bytes id, struct bytes properties, uint64_t *memory,
                        struct err *err) {
    bool lzma = is_coder(id, "\3\1\1", 3), lzma2 = is_coder(id, "\x21", 1), ppmd = is_coder(id, "\3\4\1", 3);
    *memory = 0;
    if (id.n && id.p[0] == 6)
        return err_set(err, ERR_UNSUPPORTED, "%s: is an encrypted 7z archive; unpack it with its password", s->path);
    if (is_coder(id, "\3\3\1\x1b", 4))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: the BCJ2 filter of this 7z archive takes unlimited memory; unpack it, or pack it without the "
                       "filter",
                       s->path);
    if (lzma || ppmd) {
        if (properties.n < 5) return damaged(s, err);
        *memory = le32(properties.p + 1);
    } else if (lzma2) {
        if (properties.n < 1 || properties.p[0] > 40) return damaged(s, err);
        unsigned b = properties.p[0];
        *memory = b == 40 ? UINT32_MAX : (uint64_t)(2 | (b & 1)) << (b / 2 + 11);
    }
    return 0;
}

static int coder(struct archive_7z_header *s, uint64_t *in, uint64_t *out, uint64_t *memory, struct err *err) {
    unsigned flags;
    uint64_t n_in = 1, n_out = 1, n = 0, more;
    struct bytes id, properties;
    if (take_byte(s, &flags, err) || take_bytes(s, flags & 15, &id, err)) return -1;
    if (flags & 0x10 && (take_number(s, &n_in, err) || take_number(s, &n_out, err))) return -1;
    if (flags & 0x20 && take_number(s, &n, err)) return -1;
    if (flags & 0xc0 || n_in > STREAMS_MAX || n_out > STREAMS_MAX) return damaged(s, err);
    if (take_bytes(s, n, &properties, err) || coder_memory(s, id, properties, &more, err)) return -1;
    if (!s->coder.p) {
        s->coder = id;
        s->properties = properties;
    }
    *in += n_in;
    *out += n_out;
    *memory += more;
    return 0;
}

static int folder(struct archive_7z_header *s, uint64_t *n_out, struct err *err) {
    uint64_t coders, in = 0, out = 0, memory = 0;
    if (take_number(s, &coders, err)) return -1;
    if (!coders || coders > CODERS_MAX) return damaged(s, err);
    for (; coders; coders--)
        if (coder(s, &in, &out, &memory, err)) return -1;
    if (memory > s->memory) return too_large(s, memory, "the dictionary", err);
    if (!out || in < out - 1) return damaged(s, err);
    uint64_t packed = in - (out - 1);
    *n_out += out;
    return skip_numbers(s, 2 * (out - 1) + (packed == 1 ? 0 : packed), err);
}

static int unpack_info(struct archive_7z_header *s, struct err *err) {
    unsigned id;
    struct bytes bits;
    uint64_t n_out = 0;
    if (expect_id(s, FOLDER, err) || take_count(s, &s->n_folders, err) || expect_id(s, 0, err)) return -1;
    free(s->folders);
    s->folders = calloc((size_t)s->n_folders + 1, sizeof *s->folders);
    if (!s->folders) return err_nomem(err, s->n_folders * sizeof *s->folders, s->path);
    for (uint64_t i = 0; i < s->n_folders; i++)
        if (folder(s, &n_out, err)) return -1;
    if (expect_id(s, UNPACK_SIZES, err) || (n_out && take_number(s, &s->unpack_bytes, err))) return -1;
    if (skip_numbers(s, n_out ? n_out - 1 : 0, err) || take_byte(s, &id, err)) return -1;
    if (id == CRC) {
        if (skip_crcs(s, s->n_folders, &bits, err) || take_byte(s, &id, err)) return -1;
        for (uint64_t i = 0; i < s->n_folders; i++) s->folders[i].has_crc = !bits.p || bit(bits, i);
    }
    return id == END ? 0 : damaged(s, err);
}

/* The files in each group that is packed together. Without counts each has one. */
static int substreams(struct archive_7z_header *s, struct err *err) {
    unsigned id;
    uint64_t crcs = 0, sizes = 0;
    struct bytes bits;
    if (take_byte(s, &id, err)) return -1;
    bool counted = id == STREAM_COUNTS;
    for (uint64_t i = 0; i < s->n_folders; i++) {
        struct folder *f = &s->folders[i];
        f->streams = 1;
        if (counted && take_number(s, &f->streams, err)) return -1;
        if (f->streams && f->streams - 1 > s->in.n) return damaged(s, err); /* the size of each but one follows */
        s->streams += f->streams;
        if (s->streams > s->memory / ENTRY_BYTES) return too_large(s, s->streams * ENTRY_BYTES, "the directory", err);
        sizes += f->streams ? f->streams - 1 : 0;
        if (f->streams != 1 || !f->has_crc) crcs += f->streams;
    }
    if (counted && take_byte(s, &id, err)) return -1;
    if (id == SIZE && (skip_numbers(s, sizes, err) || take_byte(s, &id, err))) return -1;
    if (id == CRC && (skip_crcs(s, crcs, &bits, err) || take_byte(s, &id, err))) return -1;
    return id == END ? 0 : damaged(s, err);
}

static int streams_info(struct archive_7z_header *s, struct err *err) {
    unsigned id;
    if (take_byte(s, &id, err)) return -1;
    if (id == PACK_INFO && (pack_info(s, err) || take_byte(s, &id, err))) return -1;
    if (id == UNPACK_INFO && (unpack_info(s, err) || take_byte(s, &id, err))) return -1;
    if (id == SUBSTREAMS && (substreams(s, err) || take_byte(s, &id, err))) return -1;
    return id == END ? 0 : damaged(s, err);
}

/* ---- files ---- */

/* libarchive holds the target of a link, which is its content, in memory. The flag of outside data precedes the bits, as it
 * reads them; without bits there is no difference. */
static int attributes(struct archive_7z_header *s, uint64_t n_files, struct err *err) {
    unsigned all, external;
    struct bytes bits = {0}, v;
    if (take_byte(s, &all, err) || take_byte(s, &external, err)) return -1;
    if (!all && take_bytes(s, n_files / 8 + (n_files % 8 != 0), &bits, err)) return -1;
    for (uint64_t i = 0; i < n_files; i++) {
        if (bits.p && !bit(bits, i)) continue;
        if (take_bytes(s, 4, &v, err)) return -1;
        if ((le32(v.p) >> 16 & UNIX_MODE_TYPE) == UNIX_MODE_LINK)
            return err_set(err, ERR_UNSUPPORTED,
                           "%s: a 7z archive with symbolic links; unpack it, or pack it without "
                           "the links",
                           s->path);
    }
    return 0;
}

static int files_info(struct archive_7z_header *s, struct err *err) {
    uint64_t n, size;
    unsigned id;
    struct bytes skipped;
    if (take_number(s, &n, err)) return -1;
    if (n > s->memory / ENTRY_BYTES)
        return too_large(s, n > UINT64_MAX / ENTRY_BYTES ? n : n * ENTRY_BYTES, "the directory", err);
    for (;;) {
        if (take_byte(s, &id, err)) return -1;
        if (id == END) return 0;
        if (take_number(s, &size, err) || size > s->in.n) return damaged(s, err);
        if (id == ATTRIBUTES ? attributes(s, n, err) : take_bytes(s, size, &skipped, err)) return -1;
    }
}

static int header(struct archive_7z_header *s, struct err *err) {
    unsigned id;
    if (expect_id(s, HEADER, err) || take_byte(s, &id, err)) return -1;
    if (id == MAIN_STREAMS && (streams_info(s, err) || take_byte(s, &id, err))) return -1;
    if (id == FILES) return files_info(s, err);
    return id == END ? 0 : damaged(s, err);
}

/* ---- where the header is ---- */

static int read_piece(const struct archive_7z_header *s, int fd, uint64_t at, uint64_t n, uint64_t file_bytes, struct buf *out,
                      struct err *err) {
    if (at > file_bytes || n > file_bytes - at)
        return err_set(err, ERR_INPUT, "%s: truncated 7z archive: its header should end at byte %llu", s->path,
                       (unsigned long long)(at + n));
    if (n > s->memory / 4) return too_large(s, n > UINT64_MAX / 4 ? n : 4 * n, "the directory", err);
    buf_clear(out);
    if (buf_reserve(out, (size_t)n + 1, err) || fs_pread_full(fd, out->p, (size_t)n, at, s->path, err)) return -1;
    out->n = (size_t)n;
    return 0;
}

/* LZMA of 7z has no end mark: it ends when all bytes have come. */
static int unpack_lzma(const struct archive_7z_header *s, struct bytes packed, struct buf *out, struct err *err) {
    lzma_filter chain[2] = {{.id = is_coder(s->coder, "\x21", 1) ? LZMA_FILTER_LZMA2 : LZMA_FILTER_LZMA1},
                            {.id = LZMA_VLI_UNKNOWN}};
    lzma_stream z = LZMA_STREAM_INIT;
    lzma_ret rc = lzma_properties_decode(&chain[0], NULL, s->properties.p, s->properties.n);
    if (rc == LZMA_MEM_ERROR) return err_nomem(err, 0, s->path);
    if (rc != LZMA_OK) return damaged(s, err);
    rc = lzma_raw_decoder(&z, chain);
    free(chain[0].options);
    z.next_in = packed.p;
    z.avail_in = packed.n;
    z.next_out = out->p;
    z.avail_out = (size_t)s->unpack_bytes;
    while (rc == LZMA_OK && z.avail_out) rc = lzma_code(&z, LZMA_RUN);
    lzma_end(&z);
    out->n = (size_t)s->unpack_bytes - z.avail_out;
    if (rc == LZMA_MEM_ERROR) return err_nomem(err, s->unpack_bytes, s->path);
    return z.avail_out ? damaged(s, err) : 0;
}

static int unpack_header(const struct archive_7z_header *s, struct bytes packed, struct buf *out, struct err *err) {
    bool copy = is_coder(s->coder, "\0", 1);
    if (!copy && !is_coder(s->coder, "\x21", 1) && !is_coder(s->coder, "\3\1\1", 3))
        return err_set(err, ERR_UNSUPPORTED, "%s: the header of this 7z archive is packed by an unknown method", s->path);
    if (s->unpack_bytes > s->memory / 4)
        return too_large(s, s->unpack_bytes > UINT64_MAX / 4 ? s->unpack_bytes : 4 * s->unpack_bytes, "the directory", err);
    if (copy) return buf_put(out, packed.p, packed.n, err);
    return buf_reserve(out, (size_t)s->unpack_bytes + 1, err) ? -1 : unpack_lzma(s, packed, out, err);
}

static int scan_headers(struct archive_7z_header *s, int fd, uint64_t file_bytes, struct buf *raw, struct buf *plain,
                        struct err *err) {
    if (read_piece(s, fd, 0, START_BYTES, file_bytes, raw, err)) return -1;
    uint64_t at = le64(raw->p + 12), n = le64(raw->p + 20);
    if (!n) return 0;
    if (at > file_bytes - START_BYTES) at = file_bytes;
    if (read_piece(s, fd, START_BYTES + at, n, file_bytes, raw, err)) return -1;
    s->in = buf_bytes(raw);
    if (s->in.p[0] != ENCODED_HEADER) return header(s, err);
    if (expect_id(s, ENCODED_HEADER, err) || streams_info(s, err)) return -1;
    struct buf packed = {0};
    int rc = s->pack_at > file_bytes ? damaged(s, err) : 0;
    if (!rc) rc = read_piece(s, fd, START_BYTES + s->pack_at, s->pack_bytes, file_bytes, &packed, err);
    if (!rc) rc = unpack_header(s, buf_bytes(&packed), plain, err);
    buf_free(&packed);
    if (rc) return -1;
    s->in = buf_bytes(plain);
    s->streams = 0;
    return header(s, err);
}

int archive_7z_check(int fd, const char *path, size_t memory_bytes, struct err *err) {
    struct archive_7z_header s = {.path = path, .memory = memory_bytes ? memory_bytes : DEFAULT_MEMORY_BYTES};
    struct buf raw = {0}, plain = {0};
    struct stat st;
    int rc = fstat(fd, &st) ? err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path) : 0;
    if (!rc) rc = scan_headers(&s, fd, (uint64_t)st.st_size, &raw, &plain, err);
    free(s.folders);
    buf_free(&raw);
    buf_free(&plain);
    return rc;
}
