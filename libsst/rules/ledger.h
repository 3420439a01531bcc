/* Counts a run, as cells and digests that add up over threads in any order: two ledgers that must balance, and the cells that
 * HBase and OBKV-HBase show differently. */
#ifndef RULES_LEDGER_H
#define RULES_LEDGER_H

#include "base/err.h"
#include "cell/keyvalue.h"
#include "rules/rules.h"

/* The two ledgers of a run. Records: read = accepted + rejected + skipped. Cells: in + made = written + rejected + not selected +
 * everything that a version rule dropped, by count and by digest. Each dropped cell counts once. Ledgers add up over threads. */

/* Skipped on request because it is damaged: listed, and no part of the equations. */
struct lost_count {
    uint64_t places, cells;
    uint64_t uncounted; /* files, or chunks of them, that lack an unknown number of cells */
};

/* Cells and files that an index has shown not to be selected, so that they were not read: listed, and no part of the
 * equations. */
struct unread_count {
    uint64_t cells;
    uint64_t files; /* with an unknown number of further ones */
};

struct ledger {
    uint64_t records_read, records_accepted, records_rejected, records_skipped;
    struct tally in, rejected;
    struct tally made;                   /* delete markers that no input has (rules/changes.h) */
    struct tally not_selected;           /* read, but not what was asked for */
    struct tally dropped[VERDICT_COUNT]; /* [VERDICT_KEEP] = written */
    struct tally by[CAUSE_COUNT];        /* the parts of what was dropped: [CAUSE_KEPT] stays empty */
    struct lost_count lost;
    struct unread_count unread;
    uint64_t unparted; /* ledgers in this sum without counts of parts: manifests of earlier versions */
};

void ledger_add(struct ledger *a, const struct ledger *b);
/* Records a cell that a version rule drops. */
void ledger_drop(struct ledger *l, enum cause why, struct digest d);
/* 0, or -1 with ERR_INTERNAL that names the larger side and the difference. */
int ledger_check(const struct ledger *l, struct err *err);
static inline const struct tally *ledger_written(const struct ledger *l) {
    return &l->dropped[VERDICT_KEEP];
}

/* Counts of cells that HBase and OBKV-HBase show differently of the same data: counted while it is compacted by the rules of
 * OceanBase, with the first few cells by name. Adds up over partitions in any order. */

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
/* Returns what only this side keeps, all reasons. */
struct tally rule_diff_sum(const struct rule_diff *d, enum rule_side keeps);

const char *verdict_name(enum verdict v); /* "written", "expired", "superseded", "duplicate", "deleted", "purged_markers" */
enum verdict cause_verdict(enum cause r);
/* Below its verdict: "table_ttl", "cell_ttl", "Delete", "DeleteColumn", "DeleteFamily", "DeleteFamilyVersion"; NULL where the
 * verdict has no parts. */
const char *cause_name(enum cause r);

#endif
