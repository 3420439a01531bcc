/* Samples of chunks: with GZ and Zstandard, packing takes from half as long to eleven times as long as reading, and it is the
 * values that decide. So one thread packs a block of each family out of some of its chunks (the second, the fourth, the eighth
 * and so on), and compares the time with what reading the chunk took. Both are times of its processor, whatever else runs.
 *
 * Rows are in the order of the input here, not in that of the files. That changes little: keys are a small part of what packs. */
#include "engine/packing_sample.h"

#include "base/clock.h"
#include "cell/keyvalue.h"
#include "codec/codec.h"
#include "hfile/encoding.h"

#include <stdlib.h>

enum { FAMILIES = 8, BLOCK_BYTES = 64 << 10, MEMORY_SHARE = 32 };

struct packing_sample {
    struct codec_ctx ctx;
    const struct encoding *encoding;
    struct {
        struct buf block;
        uint64_t bytes; /* of the chunk; the block has the first of them */
    } family[FAMILIES]; /* further ones share these */
    struct buf encoded, packed;
    uint64_t chunk, next; /* next: the number of the next sample */
    bool on, failed;
    double began;
    double read_s, pack_s; /* of all samples */
};

/* Each family has this codec. */
static bool is_of_all(const struct output_opts *o) {
    for (uint32_t i = 0; i < o->n_by_family; i++)
        if (o->by_family[i].hfile.codec != o->hfile.codec || o->by_family[i].hfile.encoding != o->hfile.encoding) return false;
    return true;
}

struct packing_sample *packing_sample_new(const struct output_opts *o, size_t memory_bytes) {
    const struct codec *codec = codec_by_ordinal(o->hfile.codec);
    bool depends = o->hfile.codec == HFILE_GZ || o->hfile.codec == HFILE_ZSTD;
    if (!codec || !depends || o->as_runs || !is_of_all(o)) return NULL;
    size_t needs = codec_ctx_memory(codec, o->hfile.codec_level) + (FAMILIES + 2) * BLOCK_BYTES + codec->bound(2 * BLOCK_BYTES);
    struct packing_sample *s = needs <= memory_bytes / MEMORY_SHARE ? calloc(1, sizeof *s) : NULL;
    if (!s) return NULL;
    s->ctx = codec_ctx_make(codec, o->hfile.codec_level);
    s->encoding = encoding_by_id(o->hfile.encoding);
    s->next = 2; /* the first one also warms caches */
    return s;
}

/* The time that packing all of the family's bytes would take. */
static double pack_s(struct packing_sample *s, struct bytes block, uint64_t bytes) {
    struct err none = {0};
    const bool encodes = s->encoding && s->encoding->encode;
    size_t n = 0;
    s->packed.n = s->encoded.n = 0;
    if (!block.n) return 0;
    if (encodes && s->encoding->encode(block, &(struct cell_layout){0}, &s->encoded, &none)) s->failed = true;
    const struct bytes payload = encodes ? buf_bytes(&s->encoded) : block;
    if (!s->failed && buf_reserve(&s->packed, s->ctx.codec->bound(payload.n), &none)) s->failed = true;
    if (!s->failed && codec_compress(&s->ctx, payload, s->packed.p, &n, &none))
        s->failed = true; /* caches are warm from now on */
    const double began = clock_processor(true);
    if (!s->failed && codec_compress(&s->ctx, payload, s->packed.p, &n, &none)) s->failed = true;
    return (clock_processor(true) - began) * (double)bytes / (double)block.n;
}

static void begin_chunk(struct packing_sample *s) {
    for (unsigned i = 0; i < FAMILIES; i++) s->family[i].block.n = s->family[i].bytes = 0;
    s->on = true;
    s->next *= 2;
    s->began = clock_processor(true);
}

static bool end_chunk(struct packing_sample *s) {
    double read = clock_processor(true) - s->began, pack = 0;
    s->on = false;
    for (unsigned i = 0; i < FAMILIES; i++) pack += pack_s(s, buf_bytes(&s->family[i].block), s->family[i].bytes);
    if (s->failed || pack <= 0 || read <= 0) return false;
    s->read_s += read;
    s->pack_s += pack;
    return true;
}

bool packing_sample_chunk(struct packing_sample *s, double *packing) {
    bool is_new = s->on && end_chunk(s);
    if (is_new) *packing = s->pack_s / s->read_s;
    if (++s->chunk >= s->next && !s->failed) begin_chunk(s);
    return is_new;
}

void packing_sample_put(struct packing_sample *s, uint32_t family, const struct row_part *part) {
    struct buf *block = &s->family[family % FAMILIES].block;
    struct err none = {0};
    if (!s->on) return;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        const size_t n = kv_size(part, c, false);
        s->family[family % FAMILIES].bytes += n;
        if (s->failed || block->n + n > BLOCK_BYTES) continue;
        if (buf_reserve(block, BLOCK_BYTES, &none)) {
            s->failed = true;
            return;
        }
        kv_put(block->p + block->n, part, c, false);
        block->n += n;
    }
}

void packing_sample_drop(struct packing_sample *s) {
    s->on = false;
}

void packing_sample_free(struct packing_sample *s) {
    if (!s) return;
    for (unsigned i = 0; i < FAMILIES; i++) buf_free(&s->family[i].block);
    buf_free(&s->encoded);
    buf_free(&s->packed);
    codec_ctx_release(&s->ctx);
    free(s);
}
