/* How rows, cells and bytes are spread over the partitions of a dataset, or of inputs placed as an import would place them.
 * Figures are exact (rows are counted once, whatever their order) but for what key_cuts.h and cell_sample.h say, and the same
 * for any number of threads. */
#ifndef SKEW_SKEW_H
#define SKEW_SKEW_H

#include "dataset/manifest.h"
#include "rules/ledger.h"
#include "engine/job.h"
#include "engine/load_input.h"
#include "cmd/verify/skew/skew_fold.h"

struct skew_result {
    uint32_t families, partitions;
    struct skew_part *parts; /* [family][partition] */
    struct skew_sums sums;
    struct cell_sample sample;
    bool quick;           /* no cell was read: rows, versions, deletes, rows' sizes and the sample are not known */
    bool stored;          /* file_bytes and files are known */
    struct ledger ledger; /* of inputs: what was read, and what would be rejected */
    struct digest digest; /* of a dataset read in full */
};

struct skew_opts {
    const struct job *job;
    const struct table *table; /* of the result; inputs may add families to it, which then stand by name */
    uint32_t heaviest;         /* how many rows */
};

/* m as dataset_open left it. */
int skew_dataset(const struct skew_opts *o, const char *dir, const struct manifest *m, bool quick, struct skew_result *out,
                 struct err *err);

struct skew_inputs {
    struct load_input *inputs;
    uint32_t n_inputs;
    struct read_opts read;
    const struct placement *placement;
    struct reject_log *rejects;
};
int skew_inputs(const struct skew_opts *o, const struct skew_inputs *in, struct skew_result *out, struct err *err);

/* *out is to be freed whatever was returned. */
void skew_result_free(struct skew_result *r);

/* Partition p of all families. */
struct skew_part skew_partition(const struct skew_result *r, uint32_t p);

#endif
