/* RANGE bounds by the weight of the rows: partitions of as equal bytes as rows allow, found in one pass over sorted rows. */
#ifndef PLAN_RANGE_CUTS_H
#define PLAN_RANGE_CUTS_H

#include "cmd/split/plan/choice.h"

struct range_cuts {
    struct plan_choice choice;  /* n: what was asked for until range_cuts_end, then what came out */
    uint64_t left;              /* bytes not yet in a finished partition */
    uint32_t made;              /* partitions that are finished */
    struct block_spread blocks; /* of the open one */
};

/* total_bytes: of all rows that will come; blocks: of the sample, 0 = not by blocks. c is to be freed whatever is returned. */
int range_cuts_init(struct range_cuts *c, uint32_t n, uint64_t total_bytes, uint64_t blocks, struct err *err);
/* last: the row before (p == NULL: none). */
int range_cuts_add(struct range_cuts *c, struct bytes last, const struct weighed_row *row, struct err *err);
/* Fewer partitions than asked for come out where there are too few rows, or no bounds between them that OceanBase takes. */
void range_cuts_end(struct range_cuts *c);
void range_cuts_free(struct range_cuts *c);

#endif
