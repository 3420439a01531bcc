/* The parts of a compaction of datasets that share one partitioning, and what a partition of a family has to go through: its
 * files are chosen, its rows merged and written. */
#ifndef ENGINE_FUSE_MERGE_H
#define ENGINE_FUSE_MERGE_H

#include "engine/file_chain.h"
#include "engine/fuse_opts.h"

/* The whole compaction. */
struct fuse {
    const struct fuse_opts *o;
    struct build_result *out; /* NULL: nothing is written */
    struct memory_plan plan;
    size_t row_bytes; /* what version rules may hold of a row: what scans leave of a worker's share */
    struct store_opts store;
    struct err err;
    uint64_t done, total;
};

/* A slice: one partition of one family, merged by one worker. */
struct slice_run {
    struct fuse *f;
    struct store_slot slot;
    const struct family *family;
    struct load_input ***files; /* [input]: its files here */
    size_t *n_files;
    struct ledger ledger;
    struct rule_diff *diff; /* NULL: one set of rules only */
    bool *expired;          /* [input] */
    int64_t earliest_put, next_expiry;
    uint64_t old_seq, zeroed;   /* sequence ids up to the first become 0 */
    struct takeover_file *base; /* as many as n_files[0]; NULL: there is no base */
    uint32_t number;            /* of the next file */
    bool left;                  /* for a later night */
};

/* Rows that are merged anew: all of a slice, or what lies between files that are taken over. */
struct slice_stretch {
    struct row_span span;
    size_t first, end; /* files of the base */
};

/* Lists the files of input i that lie here; files whose cells are in the base already are marked as `earlier` instead. */
int fuse_pick_files(struct slice_run *s, uint32_t i, struct err *err);
/* What the manifest says of the k-th file of input i here. */
const struct manifest_file *fuse_entry(const struct slice_run *s, uint32_t i, size_t k);
/* Which inputs have expired as a whole, and the earliest Put: over all inputs, before anything is merged. */
int fuse_decide_files(struct slice_run *s, struct err *err);
/* Merges, applies the rules, and writes the rows as the next file (or files; none where no cell is left). */
int fuse_write_stretch(struct slice_run *s, const struct slice_stretch *t, struct err *err);

#endif
