/* Chooses the part of the inputs that a plan reads, and estimates how far off its figures may be then.
 *
 *   files   |----|----|----|----|----|----|----|----|    cut into blocks; of each stretch of as many neighbours one is read
 *   sample   x         x              x    x             its neighbours x, x are neighbours in the inputs too:
 *   error   half the sum of (x_i - x_i+1)^2: small where rows come sorted, that of independent draws where they are shuffled
 *
 * Where blocks cannot be read alone, whole rows are taken by the hash of their keys. Relies on engine/read_opts.h. */
#include "cmd/split/plan/sampling.h"

#include "formats/formats.h"

#include <stdio.h>
#include <stdlib.h>

#define ALL_UP_TO (UINT64_C(1) << 30) /* bytes of input that are read within seconds: everything, where no size is given */
#define ROWS_BYTES (UINT64_C(1) << 30)
#define BLOCKS_BYTES (UINT64_C(256) << 20)

static int text_refuses(struct reason *why, const char *text) {
    snprintf(why->text, sizeof why->text, "%s", text);
    return 0;
}

enum { BLOCK_BYTES_MOST = 32 * 1024, BLOCK_BYTES_LEAST = 2048, BLOCKS_LEAST = 256, SURE = 8 };

const char *sample_by_name(enum sample_by by) {
    return by == SAMPLE_BLOCKS ? "blocks" : by == SAMPLE_ROWS ? "rows" : "all";
}

static int check_inputs(const struct input_reader_opts *load, uint64_t *total, struct err *err) {
    *total = 0;
    for (uint32_t i = 0; i < load->n_inputs; i++) {
        if (input_stat(&load->inputs[i], err)) return -1;
        *total += load->inputs[i].file_bytes;
    }
    return 0;
}

/* ---- blocks ---- */

static void cut_into_blocks(struct sampling *s, uint64_t total, uint64_t bytes) {
    uint64_t size = bytes / BLOCKS_LEAST, of = total / bytes + (total % bytes > 0);
    size = size > BLOCK_BYTES_MOST ? BLOCK_BYTES_MOST : size < BLOCK_BYTES_LEAST ? BLOCK_BYTES_LEAST : size;
    s->by = SAMPLE_BLOCKS;
    s->blocks = (struct block_choice){.of = of > UINT32_MAX ? UINT32_MAX : (uint32_t)of, .block_bytes = (uint32_t)size};
    s->share = 1.0 / s->blocks.of;
}

/* Asks whether blocks of the inputs can be read by themselves. 1 = all inputs may be read so, 0 = s->refusal, -1. */
static int ask_inputs(struct sampling *s, const struct input_reader_opts *load, struct err *err) {
    struct read_opts o = load->read;
    struct reason why = {0};
    o.blocks = s->blocks;
    if (o.on_damage != DAMAGE_FAILS) {
        snprintf(s->refusal.text, sizeof why.text, "--on-damage reads everything");
        return 0;
    }
    for (uint32_t i = 0; i < load->n_inputs; i++) {
        const struct input *in = &load->inputs[i];
        int rc = 1;
        if (in->files && in->files->packed)
            rc = text_refuses(&why, "it is an archive");
        else if (!in->files)
            rc = format_by_blocks(in->path, in->format_name, &o, &why, err);
        if (rc == 0) snprintf(s->refusal.text, sizeof s->refusal.text, "%.100s: %.130s", in->path, why.text);
        if (rc != 1) return rc;
        o.blocks.first += block_choice_count(&o.blocks, in->file_bytes);
    }
    return 1;
}

uint64_t sampling_blocks_most(enum sample_by wanted, uint64_t bytes) {
    if (wanted == SAMPLE_ROWS || !bytes) return 0;
    if (bytes == SAMPLE_SIZE_DEFAULT) bytes = BLOCKS_BYTES;
    return bytes / BLOCK_BYTES_MOST + 2 * BLOCKS_LEAST;
}

/* ---- what is taken ---- */

static void take_rows(struct sampling *s, uint64_t total, uint64_t bytes) {
    s->by = SAMPLE_ROWS;
    s->blocks = (struct block_choice){0};
    s->hash_limit = (uint64_t)((double)bytes / (double)total * 0x1p64);
    s->share = (double)s->hash_limit / 0x1p64;
}

int sampling_choose(enum sample_by wanted, uint64_t bytes, const struct input_reader_opts *load, struct sampling *out,
                    struct err *err) {
    uint64_t total;
    const bool suits = bytes == SAMPLE_SIZE_DEFAULT;
    *out = (struct sampling){.by = SAMPLE_ALL, .share = 1, .hash_limit = UINT64_MAX};
    if (check_inputs(load, &total, err)) return -1;
    if (!bytes || (suits && wanted == SAMPLE_AUTO && total <= ALL_UP_TO)) return 0;
    uint64_t by_blocks = suits ? BLOCKS_BYTES : bytes, by_rows = suits ? ROWS_BYTES : bytes;
    if (wanted != SAMPLE_ROWS && total > by_blocks) {
        cut_into_blocks(out, total, by_blocks);
        int rc = ask_inputs(out, load, err);
        if (rc) return rc < 0 ? -1 : 0;
        *out = (struct sampling){.by = SAMPLE_ALL, .share = 1, .hash_limit = UINT64_MAX, .refusal = out->refusal};
    }
    if (total > by_rows) take_rows(out, total, by_rows);
    return 0;
}

/* ---- what follows ---- */

/* A row that is in c blocks is met in k of them. With share f, k / f is c in the mean, and so are k (k - 1) / 2 / f^2 the pairs
 * of its blocks. One row is c - pairs + triples - …: partial sums of it are above and below in turn (Bonferroni's
 * inequalities). With which a block begins may have begun in the block before: of such it is not known whether they count.
 * Rows met in many blocks are certain to be met: each is one. */
static struct row_terms terms_of_blocks(double k, double edges, double f) {
    double pairs = k * (k - 1) / 2, triples = pairs * (k - 2) / 3;
    struct row_terms t = {.rows_low = (k - edges) / f - pairs / (f * f), .rows_var = pairs / (f * f) + triples / (f * f * f * f)};
    if (k >= SURE) return (struct row_terms){1, 1, 1, 0, 0};
    t.rows_high = t.rows_low + edges / f + triples / (f * f * f);
    t.rows_most = k / f;
    return t;
}

void sampling_weigh(const struct sampling *s, struct weighed_row *row) {
    double edges = 0;
    for (uint32_t i = 0; i < row->n_pieces; i++) edges += row->pieces[i].edge;
    if (s->by == SAMPLE_BLOCKS)
        row->terms = terms_of_blocks(row->n_pieces, edges, s->share);
    else
        row->terms = (struct row_terms){1 / s->share, 1 / s->share, 1 / s->share, 1, (double)row->bytes * (double)row->bytes};
}

size_t block_spread_memory(uint64_t blocks) {
    return (blocks + 1) * (sizeof(struct block_amount) + sizeof(uint32_t));
}

int block_spread_init(struct block_spread *s, uint64_t blocks, struct err *err) {
    s->amounts = calloc(blocks + 1, sizeof *s->amounts);
    s->touched = calloc(blocks + 1, sizeof *s->touched);
    return s->amounts && s->touched ? 0 : err_nomem(err, block_spread_memory(blocks), "the blocks of a sample");
}

void block_spread_add(struct block_spread *s, const struct weighed_row *row) {
    for (uint32_t i = 0; i < row->n_pieces; i++) {
        struct block_amount *a = &s->amounts[row->pieces[i].block];
        if (a->rows == 0) s->touched[s->n_touched++] = (uint32_t)row->pieces[i].block;
        a->rows++;
        a->bytes += (double)row->pieces[i].bytes;
    }
}

struct sampled_sums block_spread_take(struct block_spread *s) {
    struct sampled_sums sums = {0};
    for (uint32_t i = 0; i < s->n_touched; i++) {
        const struct block_amount *a = &s->amounts[s->touched[i]], *next = a + 1;
        sums.rows_sq += a->rows * a->rows;
        sums.bytes_sq += a->bytes * a->bytes;
        sums.rows_var -= a->rows * next->rows;
        sums.bytes_var -= a->bytes * next->bytes;
    }
    sums.rows_var += sums.rows_sq;
    sums.bytes_var += sums.bytes_sq;
    for (uint32_t i = 0; i < s->n_touched; i++) s->amounts[s->touched[i]] = (struct block_amount){0};
    s->n_touched = 0;
    return sums;
}

void block_spread_copy(struct block_spread *to, const struct block_spread *from) {
    for (uint32_t i = 0; i < from->n_touched; i++) {
        to->touched[i] = from->touched[i];
        to->amounts[from->touched[i]] = from->amounts[from->touched[i]];
    }
    to->n_touched = from->n_touched;
}

void block_spread_free(struct block_spread *s) {
    free(s->amounts);
    free(s->touched);
    *s = (struct block_spread){0};
}
