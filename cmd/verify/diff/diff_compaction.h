/* Side A of a diff as a compaction would leave it. */
#ifndef CMD_VERIFY_DIFF_DIFF_COMPACTION_H
#define CMD_VERIFY_DIFF_DIFF_COMPACTION_H

#include "base/bytes.h"
#include "base/err.h"
#include "cell/cell.h"
#include "cmd/verify/diff/diff.h"
#include "rules/ledger.h"

struct diff_compacted;
/* Makes the state of a compacted side; NULL with ERR_NONE: o->compaction is NULL. Notes which logical input each input of side A
 * is of. */
struct diff_compacted *diff_compacted_new(const struct diff_opts *o, uint32_t families, struct err *err);
void diff_compacted_free(struct diff_compacted *c);
size_t diff_compacted_memory(const struct diff_opts *o, uint32_t families);
/* Partitions that are decided about one by one, one more for rows that none holds; 1: there is no need. c may be NULL. */
uint32_t diff_compacted_partitions(const struct diff_compacted *c);
uint32_t diff_compacted_partition(const struct diff_compacted *c, struct bytes row);
/* Notes a part while A is read, by many threads. */
void diff_compacted_note(struct diff_compacted *c, uint32_t family, uint32_t partition, const struct row_part *part);
/* All has been read. */
int diff_compacted_decide(struct diff_compacted *c, struct err *err);
/* The rules on top of src, which it then owns. ledger: of what is dropped. */
struct source *diff_compacted_open(struct diff_compacted *c, uint32_t family, uint32_t partition, size_t row_bytes,
                                   struct source *src, struct ledger *ledger, struct err *err);

#endif
