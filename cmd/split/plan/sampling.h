/* Estimates the whole from what each block of a sample gave to one partition (or to the rows under one prefix), and how far off
 * that may be.
 *
 * Blocks are taken one out of each stretch of the inputs, so neighbours in the sample are neighbours in the inputs: half the sum
 * of the squared differences of neighbours is the variance (the successive difference estimator of systematic samples). It is
 * small where a sorted input fills a partition block after block, and that of independent draws where it is shuffled. */
#ifndef PLAN_SAMPLING_H
#define PLAN_SAMPLING_H

#include "cmd/split/plan/row_weight.h"
#include "engine/format.h"
#include "engine/input_reader.h"

struct block_amount {
    double rows, bytes;
};

struct block_spread {             /* zero-initialise */
    struct block_amount *amounts; /* [blocks + 1], zero but for those touched */
    uint32_t *touched, n_touched;
};

struct sampled_sums {
    double rows_var, bytes_var, rows_sq, bytes_sq; /* variances, and plain sums of squares */
};

/* Returns what a spread takes. */
size_t block_spread_memory(uint64_t blocks);
int block_spread_init(struct block_spread *s, uint64_t blocks, struct err *err);
void block_spread_add(struct block_spread *s, const struct weighed_row *row);
/* Returns the sums of all rows added, and empties s. */
struct sampled_sums block_spread_take(struct block_spread *s);
/* to, which is empty, becomes as from; both of as many blocks. */
void block_spread_copy(struct block_spread *to, const struct block_spread *from);
void block_spread_free(struct block_spread *s);

/* The part of the inputs that a plan reads, and what follows from it for the whole.
 *
 *   all     everything: figures are exact
 *   rows    whole rows by the hash of their keys, all of each: everything has to be read and parsed
 *   blocks  blocks of the files (engine/read_opts.h): the rest is not read. A row may be met in several blocks, and others of
 *           the same key may be in blocks that are not read: the number of rows is known between two bounds */

enum sample_by { SAMPLE_AUTO, SAMPLE_BLOCKS, SAMPLE_ROWS, SAMPLE_ALL };

#define SAMPLE_SIZE_DEFAULT UINT64_MAX

struct sampling {
    enum sample_by by;   /* not SAMPLE_AUTO */
    double share;        /* chance of a row, or of a block; 1 = all */
    uint64_t hash_limit; /* rows: those with a greater hash are not in the sample */
    struct block_choice blocks;
    uint64_t n_blocks;     /* blocks: how many were read; filled in by who reads */
    struct reason refusal; /* blocks were looked for and cannot be read by themselves: why; else empty */
};

/* About how many blocks may have to be kept apart: what memory is needed for. */
uint64_t sampling_blocks_most(enum sample_by wanted, uint64_t bytes);
/* wanted: as asked for; bytes: of input to read; UINT64_MAX = as suits, 0 = all. Looks up the inputs' sizes. */
int sampling_choose(enum sample_by wanted, uint64_t bytes, const struct input_reader_opts *load, struct sampling *out,
                    struct err *err);
/* The chance of a row to be met does not grow above its piece of the file. Fills row->terms. */
void sampling_weigh(const struct sampling *s, struct weighed_row *row);
const char *sample_by_name(enum sample_by by); /* "blocks", "rows", "all" */

#endif
