#include "hfile/block_writer.h"

#include "base/outfile.h"

#include <omp.h>
#include <stdlib.h>

enum { KEEP_SLACK_BYTES = 1 << 20 };

struct batch {
    struct block_job *jobs;
    unsigned n;
    uint64_t raw_bytes; /* of the jobs that are complete */
};

/* A codec context and whether some task has it. */
struct ctx_slot {
    struct codec_ctx ctx;
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

static int compress_payload(struct block_writer *w, struct block_job *j, size_t *n, struct err *err) {
    struct bytes payload = bytes_of(j->raw.p + BLOCK_HEADER_BYTES, j->raw.n - BLOCK_HEADER_BYTES);
    buf_clear(&j->disk);
    if (buf_reserve(&j->disk, BLOCK_HEADER_BYTES + w->o.codec->bound(payload.n), err)) return -1;
    struct ctx_slot *s = ctx_take(w);
    int rc = codec_compress(&s->ctx, payload, j->disk.p + BLOCK_HEADER_BYTES, n, err);
    ctx_give(s);
    j->disk.n = BLOCK_HEADER_BYTES + *n;
    return rc;
}

/* Payload to block, all but what depends on the offset before it: prevBlockOffset and the first chunk's checksum. */
static void job_compress(struct block_writer *w, struct block_job *j) {
    struct buf *b = codec_is_identity(w) ? &j->raw : &j->disk;
    size_t plain = j->raw.n - BLOCK_HEADER_BYTES, n = plain;
    if (!codec_is_identity(w) && compress_payload(w, j, &n, &j->err)) return;
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

/* A buffer that one huge value has blown up is not kept for the rest of the file. */
static void job_trim(const struct block_writer *w, struct block_job *j) {
    size_t keep = 4 * (size_t)w->o.block_bytes + w->o.other_bytes + KEEP_SLACK_BYTES;
    if (j->raw.cap > keep) buf_free(&j->raw);
    if (j->disk.cap > keep) buf_free(&j->disk);
    if (j->key.cap > keep) buf_free(&j->key);
}

static int job_write(struct block_writer *w, struct block_job *j, struct block_place *place, struct err *err) {
    if (j->err.code) return err_keep(err, &j->err), -1;
    struct buf *b = codec_is_identity(w) ? &j->raw : &j->disk;
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
    return 2 * (uint64_t)w->o.block_bytes * w->o.batch_jobs + KEEP_SLACK_BYTES;
}

struct block_job *block_writer_begin(struct block_writer *w, enum block_type type, struct err *err) {
    struct batch *b = &w->batch[w->filling];
    if (b->n) b->raw_bytes += b->jobs[b->n - 1].raw.n;
    if (b->raw_bytes > raw_limit(w)) {
        /* Huge values: no second batch beside this one. */
        if (block_writer_drain(w, err)) return NULL;
    } else if (b->n == w->o.batch_jobs) {
        if (turn(w, err)) return NULL;
    }
    b = &w->batch[w->filling];
    struct block_job *j = &b->jobs[b->n];
    buf_clear(&j->raw);
    buf_clear(&j->key);
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

static void job_free(struct block_job *j) {
    buf_free(&j->raw);
    buf_free(&j->disk);
    buf_free(&j->key);
}

void block_writer_close(struct block_writer *w) {
    if (!w) return;
#pragma omp taskwait
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; w->batch[i].jobs && k < w->o.batch_jobs; k++) job_free(&w->batch[i].jobs[k]);
        free(w->batch[i].jobs);
    }
    for (unsigned i = 0; w->ctx && i <= w->o.batch_jobs; i++) codec_ctx_release(&w->ctx[i].ctx);
    free(w->ctx);
    job_free(&w->single);
    free(w);
}

struct block_writer *block_writer_open(const struct block_writer_opts *o, struct err *err) {
    struct block_writer *w = calloc(1, sizeof *w);
    if (!w) return err_nomem(err, sizeof *w, "a block writer"), NULL;
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

size_t block_writer_memory(const struct block_writer_opts *o) {
    size_t raw = (size_t)o->block_bytes + o->block_bytes / 2 + 4096; /* buffers grow by half */
    if (raw < o->other_bytes + 4096u) raw = o->other_bytes + 4096u;
    size_t disk = o->codec == &codec_none ? 0 : o->codec->bound(raw) + 4096;
    unsigned at_once = (unsigned)omp_get_max_threads() < o->batch_jobs ? (unsigned)omp_get_max_threads() : o->batch_jobs;
    return 2 * (size_t)o->batch_jobs * (raw + disk + sizeof(struct block_job)) +
           (at_once + 1) * codec_ctx_memory(o->codec, o->level);
}
