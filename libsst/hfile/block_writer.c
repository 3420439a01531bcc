/* Turns payloads into blocks. Two batches of jobs: while one is filled, the other is encoded and compressed by tasks, each in
 * buffers of its own, and then written in order. Only two things of a block depend on where it lands, the offset of the one
 * before it and so the first checksum; these are filled in when it is written, so that all else runs side by side.
 *
 *     filling   [ ][ ][ ][ ]    --turn-->   tasks compress   --in order-->   file */
#include "hfile/block_writer.h"

#include "base/bytes.h"
#include "base/outfile.h"
#include "hfile/pack_member.h"

#include <omp.h>
#include <stdlib.h>

enum { ENCODED_SLACK_BYTES = 512, HEAD_SLACK_BYTES = 4096 };

struct batch {
    struct block_job *jobs;
    unsigned n;
    uint64_t raw_bytes; /* of the jobs that are complete */
};

/* Buffers of one task, and whether some task has them. */
struct ctx_slot {
    struct codec_ctx ctx;
    struct buf encoded; /* the payload on its way to the codec */
    bool busy;
};

struct block_writer {
    struct block_writer_opts o;
    struct batch batch[2];
    unsigned filling;        /* the other one is empty or being compressed */
    struct block_job single; /* for block_writer_put */
    struct ctx_slot *ctx;    /* batch_jobs + 1: never all taken when one is asked for */
    int64_t prev_offset[BLOCK_TYPES];
};

static bool codec_is_identity(const struct block_writer *w) {
    return w->o.codec == &codec_none;
}

/* Returns the buffer in which the block is put together. */
static struct buf *block_of(const struct block_writer *w, struct block_job *j) {
    return codec_is_identity(w) && j->type != BLOCK_ENCODED_DATA ? &j->raw : &j->disk;
}

/* The lowest free one: with one thread always the same, so that its tables stay in cache. */
static struct ctx_slot *ctx_take(struct block_writer *w) {
    for (unsigned i = 0;; i = (i + 1) % (w->o.batch_jobs + 1)) {
        bool is_free = false;
        if (__atomic_compare_exchange_n(&w->ctx[i].busy, &is_free, true, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return &w->ctx[i];
    }
}

static void ctx_give(struct ctx_slot *s) {
    __atomic_store_n(&s->busy, false, __ATOMIC_RELEASE);
}

/* ---- what buffers hold: what block_writer_memory counts, and what is not kept when one huge value has blown it up ---- */

/* Bytes of the payloads of a batch. A block ends after the cell that fills it; a batch of larger blocks is shortened. */
static size_t raw_bytes(const struct block_writer_opts *o) {
    size_t data = 2 * (size_t)o->block_bytes, other = o->other_bytes;
    return (data > other ? data : other) + HEAD_SLACK_BYTES;
}

static size_t encoded_of(const struct block_writer_opts *o, size_t raw) {
    return o->encoding ? raw + raw / 4 : 0; /* a row index can take so much */
}

static size_t disk_of(const struct block_writer_opts *o, size_t raw) {
    size_t encoded = encoded_of(o, raw);
    return o->codec == &codec_none ? encoded : o->codec->bound(encoded ? encoded : raw) + HEAD_SLACK_BYTES;
}

static size_t encoded_bytes(const struct block_writer_opts *o) {
    return encoded_of(o, raw_bytes(o));
}

static size_t disk_bytes(const struct block_writer_opts *o) {
    return disk_of(o, raw_bytes(o));
}

/* ---- payloads ---- */

int block_job_refer(struct block_job *j, struct bytes from, struct err *err) {
    if (j->n_pieces == BLOCK_PIECES) return buf_put(&j->raw, from.p, from.n, err);
    if (buf_reserve(&j->raw, from.n, err)) return -1;
    j->pieces[j->n_pieces++] = (struct block_piece){j->raw.n, from};
    j->raw.n += from.n;
    return 0;
}

static void copy_pieces(struct block_job *j) {
    for (unsigned i = 0; i < j->n_pieces; i++) memcpy(j->raw.p + j->pieces[i].at, j->pieces[i].from.p, j->pieces[i].from.n);
    j->n_pieces = 0;
}

void block_writer_release_pieces(struct block_writer *w) {
    struct batch *b = &w->batch[w->filling];
    for (unsigned i = 0; i < b->n; i++) copy_pieces(&b->jobs[i]);
}

/* Returns the payload of a block. One piece is read where it is; several are copied together. */
static struct bytes payload_of(struct block_job *j) {
    size_t n = j->raw.n - BLOCK_HEADER_BYTES;
    if (j->n_pieces == 1 && j->pieces[0].from.n == n) return j->pieces[0].from;
    copy_pieces(j);
    return bytes_of(j->raw.p + BLOCK_HEADER_BYTES, n);
}

/* Appends the encoding's id and the encoded cells to `out`, which holds `before` bytes already. */
static int encode_payload(const struct block_writer *w, struct bytes cells, struct buf *out, size_t before, struct err *err) {
    buf_clear(out);
    if (buf_reserve(out, before + cells.n + ENCODED_SLACK_BYTES, err)) return -1;
    put_be16(out->p + before, (uint16_t)w->o.encoding->id);
    out->n = before + 2;
    return w->o.encoding->encode(cells, &w->o.layout, out, err);
}

/* Leaves header room and compressed payload in `disk`; *plain = bytes that went into the codec. */
static int compress_payload(struct block_writer *w, struct ctx_slot *s, struct block_job *j, size_t *plain, struct err *err) {
    struct bytes payload = payload_of(j);
    if (j->type == BLOCK_ENCODED_DATA) {
        if (encode_payload(w, payload, &s->encoded, 0, err)) return -1;
        payload = buf_bytes(&s->encoded);
    }
    size_t n = 0;
    *plain = payload.n;
    buf_clear(&j->disk);
    if (buf_reserve(&j->disk, BLOCK_HEADER_BYTES + w->o.codec->bound(payload.n), err)) return -1;
    int rc = codec_compress(&s->ctx, payload, j->disk.p + BLOCK_HEADER_BYTES, &n, err);
    j->disk.n = BLOCK_HEADER_BYTES + n;
    return rc;
}

/* Header room and payload as stored into block_of(j); *plain = bytes of the payload before it was compressed. */
static int pack_payload(struct block_writer *w, struct block_job *j, size_t *plain, struct err *err) {
    if (!codec_is_identity(w)) {
        struct ctx_slot *s = ctx_take(w);
        int rc = compress_payload(w, s, j, plain, err);
        if (s->encoded.cap > encoded_bytes(&w->o)) buf_free(&s->encoded);
        ctx_give(s);
        return rc;
    }
    if (j->type == BLOCK_ENCODED_DATA) {
        if (encode_payload(w, payload_of(j), &j->disk, BLOCK_HEADER_BYTES, err)) return -1;
    } else {
        copy_pieces(j);
    }
    *plain = block_of(w, j)->n - BLOCK_HEADER_BYTES;
    return 0;
}

/* Payload to block, all but what depends on the offset before it: prevBlockOffset and the first chunk's checksum. */
static void job_compress(struct block_writer *w, struct block_job *j) {
    struct buf *b = block_of(w, j);
    size_t plain = 0;
    if (pack_payload(w, j, &plain, &j->err)) return;
    size_t n = b->n - BLOCK_HEADER_BYTES;
    uint64_t summed = BLOCK_HEADER_BYTES + (uint64_t)n;
    uint64_t sums = BLOCK_SUM_BYTES * block_sum_count(summed, w->o.bytes_per_sum);
    if (plain > INT32_MAX || summed + sums > INT32_MAX) {
        err_set(&j->err, ERR_LIMIT, "a block of %zu bytes is more than HFile can hold (2 GiB)", plain);
        return;
    }
    j->header = (struct block_header){.type = j->type,
                                      .disk_bytes = (uint32_t)(n + sums),
                                      .plain_bytes = (uint32_t)plain,
                                      .sum = w->o.sum,
                                      .bytes_per_sum = w->o.bytes_per_sum,
                                      .summed_bytes = (uint32_t)summed};
    if (buf_reserve(b, (size_t)sums, &j->err)) return;
    block_sums_put(&j->header, b->p, 1, b->p + summed);
    b->n = (size_t)(summed + sums);
}

static void job_trim(const struct block_writer *w, struct block_job *j) {
    if (j->raw.cap > raw_bytes(&w->o)) buf_free(&j->raw);
    if (j->disk.cap > disk_bytes(&w->o)) buf_free(&j->disk);
    if (j->key.cap > HEAD_SLACK_BYTES) buf_free(&j->key);
}

static int job_write(struct block_writer *w, struct block_job *j, struct block_place *place, struct err *err) {
    if (j->err.code) {
        err_keep(err, &j->err);
        return -1;
    }
    struct buf *b = block_of(w, j);
    struct block_header *h = &j->header;
    uint64_t offset = outfile_size(w->o.out);
    h->prev_offset = w->prev_offset[block_chain(j->type)];
    w->prev_offset[block_chain(j->type)] = (int64_t)offset;
    block_header_put(b->p, h);
    uint32_t first = h->summed_bytes < h->bytes_per_sum ? h->summed_bytes : h->bytes_per_sum;
    struct block_header head = *h;
    head.summed_bytes = first;
    block_sums_put(&head, b->p, 0, b->p + h->summed_bytes);
    if (outfile_write(w->o.out, b->p, b->n, err)) return -1;
    *place = (struct block_place){j->type, offset, (uint32_t)b->n, h->plain_bytes, buf_bytes(&j->key), j->owner};
    return 0;
}

static void job_free(struct block_job *j) {
    buf_free(&j->raw);
    buf_free(&j->disk);
    buf_free(&j->key);
    *j = (struct block_job){0};
}

static void batch_start(struct block_writer *w, struct batch *b) {
    for (unsigned i = 0; i < b->n; i++) {
        struct block_job *j = &b->jobs[i];
#pragma omp task default(none) firstprivate(w, j)
        job_compress(w, j);
    }
}

/* Waits for a started batch and writes it. The first failure in block order wins. */
static int batch_write(struct block_writer *w, struct batch *b, struct err *err) {
    int rc = 0;
#pragma omp taskwait
    for (unsigned i = 0; i < b->n; i++) {
        struct block_place place;
        if (!rc) rc = job_write(w, &b->jobs[i], &place, err);
        if (!rc) rc = w->o.written(w->o.arg, &place, err);
        job_trim(w, &b->jobs[i]);
    }
    b->n = 0;
    b->raw_bytes = 0;
    return rc;
}

/* The filled batch starts compressing, the one before it is written. */
static int turn(struct block_writer *w, struct err *err) {
    if (batch_write(w, &w->batch[!w->filling], err)) return -1;
    batch_start(w, &w->batch[w->filling]);
    w->filling = !w->filling;
    return 0;
}

static uint64_t raw_limit(const struct block_writer *w) {
    return 2 * (uint64_t)w->o.block_bytes * w->o.batch_jobs;
}

struct block_job *block_writer_begin(struct block_writer *w, enum block_type type, struct err *err) {
    struct batch *b = &w->batch[w->filling];
    if (b->n) b->raw_bytes += b->jobs[b->n - 1].raw.n;
    if (b->raw_bytes > raw_limit(w)) {
        /* Huge values: no second batch beside this one. */
        if (block_writer_drain(w, err)) return NULL;
    } else if (b->n == w->o.batch_jobs || b->raw_bytes > raw_limit(w) / 4 * 3) {
        if (turn(w, err)) return NULL;
    }
    b = &w->batch[w->filling];
    struct block_job *j = &b->jobs[b->n];
    buf_clear(&j->raw);
    buf_clear(&j->key);
    j->n_pieces = 0;
    j->type = type;
    j->owner = NULL;
    j->err.code = ERR_NONE;
    if (buf_reserve(&j->raw, BLOCK_HEADER_BYTES, err)) return NULL;
    j->raw.n = BLOCK_HEADER_BYTES;
    b->n++;
    return j;
}

int block_writer_drain(struct block_writer *w, struct err *err) {
    if (turn(w, err)) return -1;
    return batch_write(w, &w->batch[!w->filling], err);
}

static void give_back(struct block_writer *w) {
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < w->o.batch_jobs; k++) job_free(&w->batch[i].jobs[k]);
    for (unsigned i = 0; i <= w->o.batch_jobs; i++) {
        codec_ctx_release(&w->ctx[i].ctx);
        buf_free(&w->ctx[i].encoded);
    }
}

int block_writer_pause(struct block_writer *w, struct block_job **filling, struct err *err) {
    struct batch *b = &w->batch[w->filling];
    struct block_job last = {0};
    if (*filling) {
        last = **filling;
        **filling = (struct block_job){0};
        b->n--;
    }
    int rc = block_writer_drain(w, err);
    give_back(w);
    if (!*filling) return rc;
    b = &w->batch[w->filling];
    b->jobs[0] = last;
    b->n = 1;
    *filling = &b->jobs[0];
    return rc;
}

int block_writer_put(struct block_writer *w, enum block_type type, struct bytes payload, struct block_place *place,
                     struct err *err) {
    struct block_job *j = &w->single;
    buf_clear(&j->raw);
    j->type = type;
    if (buf_reserve(&j->raw, BLOCK_HEADER_BYTES + payload.n, err)) return -1;
    j->raw.n = BLOCK_HEADER_BYTES;
    if (buf_put(&j->raw, payload.p, payload.n, err)) return -1;
    job_compress(w, j);
    return job_write(w, j, place, err);
}

int block_writer_copy(struct block_writer *w, const struct block_header *h, struct bytes block, struct bytes key,
                      struct err *err) {
    struct block_job *j = &w->single;
    struct block_place place;
    j->type = h->type;
    j->header = *h;
    j->owner = NULL;
    if (buf_copy(block_of(w, j), block, err) || buf_copy(&j->key, key, err)) return -1;
    return job_write(w, j, &place, err) || w->o.written(w->o.arg, &place, err) ? -1 : 0;
}

int block_writer_reopen(struct block_writer *w, struct block_source *src, struct err *err) {
    *src = (struct block_source){
        .path = outfile_path(w->o.out), .codec = w->o.codec, .header_bytes = BLOCK_HEADER_BYTES, .max_block_bytes = INT32_MAX};
    struct pack_member place = {.bytes = outfile_size(w->o.out)};
    int fd = outfile_reopen(w->o.out, &place.offset, err);
    return fd < 0 ? -1 : pack_member_of_fd(fd, &place, src->path, &src->bytes, err);
}

void block_writer_close(struct block_writer *w) {
    if (!w) return;
#pragma omp taskwait
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; w->batch[i].jobs && k < w->o.batch_jobs; k++) job_free(&w->batch[i].jobs[k]);
        free(w->batch[i].jobs);
    }
    for (unsigned i = 0; w->ctx && i <= w->o.batch_jobs; i++) {
        codec_ctx_release(&w->ctx[i].ctx);
        buf_free(&w->ctx[i].encoded);
    }
    free(w->ctx);
    job_free(&w->single);
    free(w);
}

struct block_writer *block_writer_open(const struct block_writer_opts *o, struct err *err) {
    struct block_writer *w = calloc(1, sizeof *w);
    if (!w) {
        err_nomem(err, sizeof *w, "a block writer");
        return NULL;
    }
    w->o = *o;
    for (unsigned i = 0; i < BLOCK_TYPES; i++) w->prev_offset[i] = -1;
    for (unsigned i = 0; i < 2; i++)
        if (!(w->batch[i].jobs = calloc(o->batch_jobs, sizeof *w->batch[i].jobs))) goto fail;
    if (!(w->ctx = calloc(o->batch_jobs + 1, sizeof *w->ctx))) goto fail;
    for (unsigned i = 0; i <= o->batch_jobs; i++) w->ctx[i].ctx = codec_ctx_make(o->codec, o->level);
    return w;
fail:
    err_nomem(err, o->batch_jobs * sizeof(struct block_job), "a block writer");
    block_writer_close(w);
    return NULL;
}

/* Returns the most bytes of a block while it is filled: buffers grow by half. */
static size_t begun_bytes(const struct block_writer_opts *o) {
    return (size_t)o->block_bytes + o->block_bytes / 2 + HEAD_SLACK_BYTES;
}

size_t block_writer_paused_memory(const struct block_writer_opts *o) {
    return 2 * (size_t)o->batch_jobs * sizeof(struct block_job) + begun_bytes(o);
}

size_t block_writer_long_memory(const struct block_writer_opts *o, size_t n) {
    return n + encoded_of(o, n) + disk_of(o, n);
}

size_t block_writer_memory(const struct block_writer_opts *o) {
    unsigned at_once = (unsigned)omp_get_max_threads() < o->batch_jobs ? (unsigned)omp_get_max_threads() : o->batch_jobs;
    return 2 * (size_t)o->batch_jobs * (raw_bytes(o) + disk_bytes(o) + sizeof(struct block_job)) +
           (at_once + 1) * (codec_ctx_memory(o->codec, o->level) + encoded_bytes(o));
}
