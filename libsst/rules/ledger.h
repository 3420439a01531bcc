/* The two ledgers of a run. Records: read = accepted + rejected + skipped. Cells: in = written + rejected + everything
 * that a version rule dropped, by count and by digest. Each dropped cell counts once. Ledgers add up over threads. */
#ifndef RULES_LEDGER_H
#define RULES_LEDGER_H

#include "base/err.h"
#include "cell/keyvalue.h"
#include "rules/rules.h"

/* Skipped on request because it is damaged: listed, and no part of the equations. */
struct lost_count {
    uint64_t places, cells;
    uint64_t uncounted; /* files, or chunks of them, that lack an unknown number of cells */
};

struct ledger {
    uint64_t records_read, records_accepted, records_rejected, records_skipped;
    struct tally in, rejected;
    struct tally dropped[VERDICT_COUNT]; /* [VERDICT_KEEP] = written */
    struct tally by[CAUSE_COUNT];        /* the parts of what was dropped: [CAUSE_KEPT] stays empty */
    struct lost_count lost;
    uint64_t unparted; /* ledgers in this sum that tell no parts: manifests of earlier versions */
};

void ledger_add(struct ledger *a, const struct ledger *b);
/* Books a cell that a version rule drops. */
void ledger_drop(struct ledger *l, enum cause why, struct digest d);
/* 0, or -1 with ERR_INTERNAL telling which side is larger and by how much. */
int ledger_check(const struct ledger *l, struct err *err);
static inline const struct tally *ledger_written(const struct ledger *l) {
    return &l->dropped[VERDICT_KEEP];
}

#endif
