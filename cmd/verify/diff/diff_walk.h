/* What a diff finds: the walk of pass 2 over two sorted sides, cells out of order, and side A as a compaction would leave it. */
#ifndef DIFF_DIFF_WALK_H
#define DIFF_DIFF_WALK_H

#include "cmd/verify/diff/diff.h"

/* ---- the walk: two sorted sources of one family, side by side. Cells of one key (duplicates) are compared as sets first, what
 * is left over is paired. ---- */

struct diff_walk;
/* result: its counts grow. cells: that both sides have, about, for progress. */
struct diff_walk *diff_walk_new(const struct diff_opts *o, struct diff_result *result, uint64_t cells, struct err *err);
void diff_walk_free(struct diff_walk *w);
size_t diff_walk_memory(void);
/* Sources may be NULL: empty. seen[side] adds up. */
int diff_walk_run(struct diff_walk *w, struct bytes family, struct source *a, struct source *b, struct tally seen[DIFF_SIDES],
                  struct err *err);
/* Counts and reports a finding. */
int diff_report(const struct diff_opts *o, struct diff_result *r, const struct diff_finding *f, struct err *err);

/* ---- cells that come after larger ones in their file, as they are found while a diff reads: all count, the first ones by side,
 * file and key are kept. ---- */

struct disorder_list;
struct disorder_list *disorder_list_new(uint64_t most, struct err *err);
void disorder_list_free(struct disorder_list *l);
/* From any thread. Keys are serialised: of the cell before, and of the one that should have come before it. */
int disorder_list_add(struct disorder_list *l, unsigned side, const char *path, struct bytes before, struct bytes key,
                      struct err *err);
/* DIFF_MISORDERED for each that was kept; the others are only counted. */
int disorder_list_report(struct disorder_list *l, const struct diff_opts *o, struct diff_result *r, struct err *err);

/* ---- side A as a compaction would leave it: what whole files decide, and the version rules over its sorted rows. ---- */

struct diff_compacted;
/* NULL with ERR_NONE: o->compaction is NULL. Notes which logical input each input of side A is of. */
struct diff_compacted *diff_compacted_new(const struct diff_opts *o, uint32_t families, struct err *err);
void diff_compacted_free(struct diff_compacted *c);
size_t diff_compacted_memory(const struct diff_opts *o, uint32_t families);
/* Partitions that are decided about one by one, one more for rows that none holds; 1: there is no need. c may be NULL. */
uint32_t diff_compacted_partitions(const struct diff_compacted *c);
uint32_t diff_compacted_partition(const struct diff_compacted *c, struct bytes row);
/* While A is read, by many threads. */
void diff_compacted_note(struct diff_compacted *c, uint32_t family, uint32_t partition, const struct row_part *part);
/* All has been read. */
int diff_compacted_decide(struct diff_compacted *c, struct err *err);
/* The rules on top of src, which it then owns. ledger: of what is dropped. */
struct source *diff_compacted_open(struct diff_compacted *c, uint32_t family, uint32_t partition, size_t row_bytes,
                                   struct source *src, struct ledger *ledger, struct err *err);

#endif
