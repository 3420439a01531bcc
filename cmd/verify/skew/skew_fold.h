/* One partition of one family, as a sorted stream, added up: rows, cells, bytes, versions, heaviest rows, positions of keys. */
#ifndef SKEW_SKEW_FOLD_H
#define SKEW_SKEW_FOLD_H

#include "base/buf.h"
#include "base/histogram.h"
#include "cell/cell.h"
#include "cmd/common/spread/cell_sample.h"
#include "cmd/common/spread/key_cuts.h"
#include "cmd/common/spread/top_rows.h"

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

/* What many partitions add up to. */
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
};

/* Fills a zeroed fold whose limits (sums.heaviest.most, key_cuts_limit), sampler, family and partition are set. */
int skew_fold_run(struct skew_fold *f, struct source *src, struct err *err);
void skew_sums_free(struct skew_sums *s);
int skew_sums_merge(struct skew_sums *to, const struct skew_sums *from, struct err *err);

#endif
