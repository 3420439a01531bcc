/* One partition of one family, as a sorted stream, added up: rows, cells, bytes, versions, heaviest rows, positions of keys. */
#ifndef SKEW_SKEW_H
#define SKEW_SKEW_H

#include "base/buf.h"
#include "base/histogram.h"
#include "cell/cell.h"
#include "cmd/common/spread/heat_map.h"
#include "cmd/common/spread/key_prefixes.h"
#include "cmd/common/spread/spread.h"
#include "dataset/manifest.h"
#include "engine/job.h"
#include "engine/input.h"
#include "rules/ledger.h"

#include <pthread.h>

/* A partition, of one family or of several added up. */
struct skew_part {
    uint64_t rows, cells, deletes; /* deletes: of the cells, markers */
    uint64_t columns;              /* that have a Put; versions per cell are puts / columns */
    uint64_t versions_most;
    uint64_t kv_bytes;   /* KeyValue bytes, with tags */
    uint64_t file_bytes; /* as stored; 0 where nothing is stored yet */
    uint32_t files;
};
void skew_part_add(struct skew_part *to, const struct skew_part *p);

/* Sums over many partitions. */
struct skew_sums {
    struct histogram versions; /* of columns */
    struct histogram row_cells, row_bytes;
    struct top_rows heaviest;
    struct key_cuts cuts;
};

struct skew_fold {
    struct skew_part part;
    struct skew_sums sums;
    struct cell_sampler *sampler;
    uint32_t family, partition;
    struct buf row, qualifier; /* what is being added up */
    uint64_t row_cells, row_bytes, puts;
    bool other_has_row; /* it counts there */
};

/* A family of a partition, while all families of the partition are read side by side. */
struct skew_lane {
    struct skew_fold fold; /* zero but for its limits (sums.heaviest.most, key_cuts_limit), sampler, family and partition */
    struct source *src;
    struct row_part part; /* the next one, while more is 1 */
    int more;
};

/* Fills the folds. *rows: row keys of the partition, each counted once, however many families have it. */
int skew_lanes_run(struct skew_lane *lanes, uint32_t n, uint64_t *rows, struct err *err);
void skew_sums_free(struct skew_sums *s);
int skew_sums_merge(struct skew_sums *to, const struct skew_sums *from, struct err *err);

/* Measures how rows, cells and bytes are spread over the partitions of a dataset, or of inputs placed as an import would place
 * them. Figures are exact (rows are counted once, whatever their order) except for what struct key_cuts and struct cell_sample
 * estimate, and the same for any number of threads. */

struct skew_result {
    uint32_t families, partitions;
    struct skew_part *parts; /* [family][partition] */
    uint64_t *rows;          /* [partition]: row keys, each once for all families */
    struct skew_sums sums;
    struct cell_sample sample;
    bool quick;           /* no cell was read: rows, versions, deletes, rows' sizes and the sample are not known */
    bool stored;          /* file_bytes and files are known */
    struct ledger ledger; /* of inputs: what was read, and what would be rejected */
    struct digest digest; /* of a dataset read in full */
};

struct skew_opts {
    const struct job *job;
    const struct table *table; /* of the result; inputs may add families to it, which are then ordered by name */
    uint32_t heaviest;         /* how many rows */
};

/* m as dataset_open left it. */
int skew_dataset(const struct skew_opts *o, const char *dir, const struct manifest *m, bool quick, struct skew_result *out,
                 struct err *err);

struct skew_inputs {
    struct input *inputs;
    uint32_t n_inputs;
    struct read_opts read;
    const struct placement *placement;
    struct reject_log *rejects;
};
int skew_inputs(const struct skew_opts *o, const struct skew_inputs *in, struct skew_result *out, struct err *err);

/* *out must be freed whatever was returned. */
void skew_result_free(struct skew_result *r);

/* Partition p of all families. Its rows are counted once, cells and bytes are sums. */
struct skew_part skew_partition(const struct skew_result *r, uint32_t p);

/* Shared by runs over a dataset and over inputs: a result that many tasks add to. */

struct skew_tasks {
    const struct skew_opts *o;
    struct skew_result *out;
    struct cell_sampler *samplers; /* [thread] */
    unsigned threads;
    uint32_t cuts; /* most of one partition */
    uint64_t done, total;
    pthread_mutex_t lock; /* over out, done and what callers add to them */
};

/* buckets: families * partitions. To be closed whatever is returned. */
int skew_tasks_open(struct skew_tasks *t, uint32_t families, uint32_t partitions, struct err *err);
/* One family of a partition. */
struct skew_stream {
    uint32_t family;
    struct source *src;
};
/* Adds up the partition, all of its families, on an OpenMP thread; sources stay the caller's. weight: progress. */
int skew_tasks_fold(struct skew_tasks *t, uint32_t partition, const struct skew_stream *families, uint32_t n, uint64_t weight,
                    struct err *err);
/* fn(arg, i) for i = 0 … n - 1 as OpenMP tasks, begun in this order. The first error, or a stop request, ends it. */
int skew_tasks_each(struct skew_tasks *t, size_t n, int (*fn)(void *arg, size_t i, struct err *err), void *arg, struct err *err);
/* All is in: the sample is whole, positions are in order. */
int skew_tasks_finish(struct skew_tasks *t, struct err *err);
void skew_tasks_close(struct skew_tasks *t);
/* Most that all this takes. */
size_t skew_tasks_memory(unsigned threads, uint32_t families, uint32_t partitions, uint32_t heaviest);

#endif
