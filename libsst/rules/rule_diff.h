/* Where HBase and OBKV-HBase show different cells of the same data: counted while it is compacted by the rules of OceanBase,
 * with the first few cells by name. Adds up over partitions in any order. */
#ifndef RULES_RULE_DIFF_H
#define RULES_RULE_DIFF_H

#include "rules/ledger.h"

enum { RULE_EXAMPLES = 20, RULE_EXAMPLE_BYTES = 404 };

enum rule_side { RULE_HBASE, RULE_OCEANBASE, RULE_SIDES };

/* One cell that only this side keeps. */
struct rule_example {
    uint64_t place; /* partition of the family: examples are in order of it */
    enum cause why; /* of the other side, to drop it */
    char text[RULE_EXAMPLE_BYTES];
};

struct rule_diff {
    struct tally only[RULE_SIDES][CAUSE_COUNT]; /* what this side keeps, by the reason of the other to drop it */
    struct rule_example examples[RULE_SIDES][RULE_EXAMPLES];
    uint32_t n_examples[RULE_SIDES];
};

/* place: see rule_example. The cell is described as row, family:qualifier, timestamp and type. */
void rule_diff_note(struct rule_diff *d, enum rule_side keeps, enum cause why, struct digest digest, uint64_t place,
                    const struct row_part *part, const struct cell *c);
void rule_diff_add(struct rule_diff *a, const struct rule_diff *b);
/* What only this side keeps, all reasons. */
struct tally rule_diff_sum(const struct rule_diff *d, enum rule_side keeps);

#endif
