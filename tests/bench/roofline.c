/* `roofline TEXT HFILE...`: what import, check and compaction cannot avoid, each part alone, on the same data, in one thread. A
 * line for each part: name, CPU seconds, bytes. tests/bench/peers.py adds up the parts of a task.
 *
 *   text, lines     reading TEXT, finding its lines       read, sums      reading the data blocks, checking their checksums
 *   unpack, decode  decompressing, taking encodings off   digest, copy    of each cell, once
 *   encode, pack    putting encodings on, compressing     write           compressed blocks, without a sync
 *
 * Nothing here parses, compares, sorts, or decides. The parts run over a range of blocks at a time, as the tools do, so that data
 * stays in the caches as it does for them. */
#include "base/buf.h"
#include "base/bytes.h"
#include "cell/keyvalue.h"
#include "codec/codec.h"
#include "hfile/encoding.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_ranges.h"
#include "hfile/hfile_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { RANGE_BYTES = 1 << 20, TEXT_BYTES = 1 << 20, BLOCKS_MOST = 4096, SPARE_BYTES = 64 };
enum { TEXT, LINES, READ, SUMS, UNPACK, DECODE, DIGEST, COPY, ENCODE, PACK, WRITE, PARTS };

static const char *const names[PARTS] = {"text",   "lines", "read",   "sums", "unpack", "decode",
                                         "digest", "copy",  "encode", "pack", "write"};

struct block_at {
    struct block_header header;
    struct bytes raw, stored; /* stored: compressed payload */
    struct buf packed, plain; /* plain: without encoding */
    struct bytes payload;     /* decompressed */
};

struct roofline {
    double seconds[PARTS], since;
    uint64_t bytes[PARTS];
    const struct hfile *h;
    struct codec_ctx ctx;
    struct block_at *blocks;
    size_t n;
    struct buf raw, copy, unpacked, again;
    struct tally tally;
    FILE *out;
    struct err err;
};

static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void begin(struct roofline *r) {
    r->since = cpu_now();
}

static void end(struct roofline *r, int part, uint64_t bytes) {
    r->seconds[part] += cpu_now() - r->since;
    r->bytes[part] += bytes;
}

/* ---- text ---- */

static int measure_text(struct roofline *r, const char *path) {
    FILE *in = fopen(path, "rb");
    uint8_t *p = malloc(TEXT_BYTES);
    uint64_t lines = 0;
    size_t n;
    if (!in || !p) return err_set(&r->err, ERR_INPUT, "%s: cannot open", path);
    setvbuf(in, NULL, _IONBF, 0);
    for (begin(r); (n = fread(p, 1, TEXT_BYTES, in)) > 0; begin(r)) {
        end(r, TEXT, n);
        begin(r);
        for (const uint8_t *at = p, *stop = p + n; (at = memchr(at, '\n', (size_t)(stop - at))); at++) lines++;
        end(r, LINES, n);
    }
    free(p);
    int bad = ferror(in);
    if (fclose(in) || bad) return err_set(&r->err, ERR_INPUT, "%s: cannot read", path);
    return lines ? 0 : err_set(&r->err, ERR_INPUT, "%s: has no lines", path);
}

/* ---- a range of blocks ---- */

static int list_blocks(struct roofline *r, struct bytes raw) {
    uint32_t head = r->h->src.header_bytes;
    r->n = 0;
    while (raw.n >= head && r->n < BLOCKS_MOST) {
        struct block_at *b = &r->blocks[r->n];
        const char *fault = block_header_parse(raw.p, head, &b->header);
        if (fault || b->header.disk_bytes > raw.n - head) return err_set(&r->err, ERR_INPUT, "%s: damaged", r->h->path);
        b->raw = bytes_of(raw.p, head + b->header.disk_bytes);
        b->stored = bytes_of(raw.p + head, b->header.summed_bytes - head);
        raw = bytes_of(raw.p + b->raw.n, raw.n - b->raw.n);
        r->n += block_chain(b->header.type) == BLOCK_DATA;
    }
    return 0;
}

static int check_sums(struct roofline *r) {
    uint32_t stored, computed;
    for (size_t i = 0; i < r->n; i++) {
        const struct block_at *b = &r->blocks[i];
        if (block_sums_check(&b->header, b->raw.p, &stored, &computed) >= 0)
            return err_set(&r->err, ERR_INPUT, "%s: damaged", r->h->path);
    }
    return 0;
}

static int unpack_blocks(struct roofline *r) {
    size_t all = SPARE_BYTES, at = 0;
    for (size_t i = 0; i < r->n; i++) all += r->blocks[i].header.plain_bytes;
    buf_clear(&r->unpacked);
    if (buf_reserve(&r->unpacked, all, &r->err)) return -1;
    for (size_t i = 0; i < r->n; i++) {
        struct block_at *b = &r->blocks[i];
        size_t n = b->header.plain_bytes;
        if (codec_decompress(&r->ctx, b->stored, r->unpacked.p + at, n, &r->err)) return -1;
        b->payload = bytes_of(r->unpacked.p + at, n);
        at += n;
    }
    return 0;
}

static const struct encoding *encoding_of(const struct block_at *b) {
    return b->header.type == BLOCK_ENCODED_DATA ? encoding_by_id(be16(b->payload.p)) : NULL;
}

static int decode_blocks(struct roofline *r) {
    for (size_t i = 0; i < r->n; i++) {
        struct block_at *b = &r->blocks[i];
        const struct encoding *e = encoding_of(b);
        if (!e) continue;
        struct bytes in = bytes_of(b->payload.p + 2, b->payload.n - 2);
        if (e->decode(in, &r->h->layout, r->h->src.max_block_bytes, &b->plain, &r->err)) return -1;
    }
    return 0;
}

static struct bytes cells_of(const struct block_at *b) {
    return encoding_of(b) ? buf_bytes(&b->plain) : b->payload;
}

/* Hashes cells. Where they end is read from their lengths, as every program that hashes them must. */
static int digest_cells(struct roofline *r) {
    const struct cell_layout *layout = &r->h->layout;
    size_t tail = 2u * layout->tags + layout->mvcc;
    for (size_t i = 0; i < r->n; i++)
        for (struct bytes in = cells_of(&r->blocks[i]); in.n;) {
            size_t n = in.n < 8 ? in.n : 8 + (size_t)be32(in.p) + be32(in.p + 4);
            if (n + tail > in.n) return err_set(&r->err, ERR_INPUT, "%s: cells with tags are not for here", r->h->path);
            tally_one(&r->tally, digest_kv(in.p, n));
            in = bytes_of(in.p + n + tail, in.n - n - tail);
        }
    return 0;
}

static int copy_cells(struct roofline *r) {
    for (size_t i = 0; i < r->n; i++)
        if (buf_copy(&r->copy, cells_of(&r->blocks[i]), &r->err)) return -1;
    return 0;
}

static int encode_blocks(struct roofline *r) {
    for (size_t i = 0; i < r->n; i++) {
        const struct encoding *e = encoding_of(&r->blocks[i]);
        buf_clear(&r->again);
        if (e && e->encode(cells_of(&r->blocks[i]), &r->h->layout, &r->again, &r->err)) return -1;
    }
    return 0;
}

static int pack_blocks(struct roofline *r) {
    if (!r->ctx.codec->bound) return 0;
    for (size_t i = 0; i < r->n; i++) {
        struct block_at *b = &r->blocks[i];
        buf_clear(&b->packed);
        if (buf_reserve(&b->packed, r->ctx.codec->bound(b->payload.n), &r->err)) return -1;
        if (codec_compress(&r->ctx, b->payload, b->packed.p, &b->packed.n, &r->err)) return -1;
    }
    return 0;
}

static int write_blocks(struct roofline *r) {
    for (size_t i = 0; i < r->n; i++)
        if (fwrite(r->blocks[i].raw.p, 1, r->blocks[i].raw.n, r->out) != r->blocks[i].raw.n)
            return err_set(&r->err, ERR_OUTPUT, "cannot write");
    return 0;
}

static uint64_t plain_bytes(const struct roofline *r) {
    uint64_t sum = 0;
    for (size_t i = 0; i < r->n; i++) sum += cells_of(&r->blocks[i]).n;
    return sum;
}

static int measure_range(struct roofline *r, struct hfile_range range) {
    static int (*const work[PARTS])(struct roofline *) = {
        [SUMS] = check_sums, [UNPACK] = unpack_blocks, [DECODE] = decode_blocks, [DIGEST] = digest_cells,
        [COPY] = copy_cells, [ENCODE] = encode_blocks, [PACK] = pack_blocks,     [WRITE] = write_blocks};
    size_t n = (size_t)(range.end - range.offset);
    buf_clear(&r->raw);
    if (buf_reserve(&r->raw, n, &r->err)) return -1;
    begin(r);
    if (hfile_read_raw(r->h, r->raw.p, n, range.offset, &r->err)) return -1;
    end(r, READ, n);
    if (list_blocks(r, bytes_of(r->raw.p, n))) return -1;
    for (int part = SUMS; part < PARTS; part++) {
        begin(r);
        if (work[part](r)) return -1;
        end(r, part, part == SUMS || part == WRITE ? n : plain_bytes(r));
    }
    return 0;
}

static int measure_file(struct roofline *r, const char *path) {
    struct hfile *h = hfile_open(path, 0, &r->err);
    struct hfile_range range;
    uint64_t cursor = 0;
    int more = -1;
    r->h = h;
    if (h) r->ctx = codec_ctx_make(h->src.codec, 0);
    while (h && (more = hfile_range_next(h, &cursor, RANGE_BYTES, &range, &r->err)) == 1 && !measure_range(r, range)) {
    }
    codec_ctx_release(&r->ctx);
    hfile_close(h);
    return more == 0 ? 0 : -1;
}

static void free_all(struct roofline *r) {
    for (size_t i = 0; r->blocks && i < BLOCKS_MOST; i++) {
        buf_free(&r->blocks[i].packed);
        buf_free(&r->blocks[i].plain);
    }
    free(r->blocks);
    struct buf *all[] = {&r->raw, &r->copy, &r->unpacked, &r->again};
    for (size_t i = 0; i < countof(all); i++) buf_free(all[i]);
    if (r->out) fclose(r->out);
}

int main(int argc, char **argv) {
    struct roofline r = {.blocks = calloc(BLOCKS_MOST, sizeof *r.blocks), .out = tmpfile()};
    if (argc < 3) {
        fprintf(stderr, "usage: roofline TEXT HFILE...\n");
        return 2;
    }
    int rc = r.blocks && r.out ? measure_text(&r, argv[1]) : err_set(&r.err, ERR_OUTPUT, "no memory, or no temporary file");
    for (int i = 2; i < argc && !rc; i++) rc = measure_file(&r, argv[i]);
    for (int part = 0; part < PARTS && !rc; part++)
        printf("%s %.6f %llu\n", names[part], r.seconds[part], (unsigned long long)r.bytes[part]);
    char digest[DIGEST_HEX];
    digest_print(r.tally.digest, digest);
    if (!rc) printf("cells %llu %s\n", (unsigned long long)r.tally.cells, digest);
    if (rc) fprintf(stderr, "roofline: %s\n", r.err.text);
    free_all(&r);
    return rc ? 1 : 0;
}
