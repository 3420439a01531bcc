/* Finds the place where reading resumes after a damaged block: by the index if it can be read, else where the block's own
 * header says it ends if a block begins there, else at the next data block that is whole. For one pass through a file: offsets
 * never fall. */
#ifndef HFILE_SALVAGE_H
#define HFILE_SALVAGE_H

#include "base/bytes.h"
#include "base/err.h"
#include "hfile/hfile_state.h"

struct salvage;

/* span_bytes: of the stretch that will be asked about; searching is not allowed to cost much more than reading that. */
struct salvage *salvage_open(const struct hfile *h, uint64_t span_bytes, struct err *err);
void salvage_close(struct salvage *v); /* NULL is fine */

struct salvage_gap {
    uint64_t next;            /* where the next block begins, or the limit */
    bool no_cells;            /* what is between is no data block */
    bool size_wrong;          /* the block's header and the index differ in its size */
    struct bytes first, last; /* keys: what may be missing is between; p == NULL: not known. Until the next call */
};
/* at: where a block is damaged or cannot begin. limit: nothing after it is read. */
int salvage_find(struct salvage *v, uint64_t at, uint64_t limit, struct salvage_gap *out, struct err *err);

#endif
