#include "rules/ledger.h"

void ledger_add(struct ledger *a, const struct ledger *b) {
    a->records_read += b->records_read;
    a->records_accepted += b->records_accepted;
    a->records_rejected += b->records_rejected;
    a->records_skipped += b->records_skipped;
    tally_add(&a->in, b->in);
    tally_add(&a->rejected, b->rejected);
    for (int v = 0; v < VERDICT_COUNT; v++) tally_add(&a->dropped[v], b->dropped[v]);
    for (int r = 0; r < CAUSE_COUNT; r++) tally_add(&a->by[r], b->by[r]);
    a->lost.places += b->lost.places;
    a->lost.cells += b->lost.cells;
    a->lost.uncounted += b->lost.uncounted;
    a->unparted += b->unparted;
}

void ledger_drop(struct ledger *l, enum cause why, struct digest d) {
    tally_one(&l->dropped[cause_verdict(why)], d);
    tally_one(&l->by[why], d);
}

/* Each verdict is the sum of its parts. */
static int check_parts(const struct ledger *l, struct err *err) {
    for (int v = VERDICT_KEEP + 1; v < VERDICT_COUNT; v++) {
        struct tally sum = {0};
        for (int r = 0; r < CAUSE_COUNT; r++)
            if ((int)cause_verdict((enum cause)r) == v) tally_add(&sum, l->by[r]);
        if (sum.cells != l->dropped[v].cells || !digest_eq(sum.digest, l->dropped[v].digest))
            return err_set(err, ERR_INTERNAL, "cell ledger does not balance: %llu cells %s, their reasons account for %llu%s",
                           (unsigned long long)l->dropped[v].cells, verdict_name((enum verdict)v), (unsigned long long)sum.cells,
                           sum.cells == l->dropped[v].cells ? " of another digest" : "");
    }
    return 0;
}

int ledger_check(const struct ledger *l, struct err *err) {
    uint64_t records = l->records_accepted + l->records_rejected + l->records_skipped;
    if (records != l->records_read)
        return err_set(err, ERR_INTERNAL, "record ledger does not balance: %llu read, %llu accepted + rejected + skipped",
                       (unsigned long long)l->records_read, (unsigned long long)records);
    struct tally out = l->rejected;
    for (int v = 0; v < VERDICT_COUNT; v++) tally_add(&out, l->dropped[v]);
    if (out.cells != l->in.cells)
        return err_set(err, ERR_INTERNAL, "cell ledger does not balance: %llu cells in, %llu accounted for",
                       (unsigned long long)l->in.cells, (unsigned long long)out.cells);
    if (digest_eq(out.digest, l->in.digest)) return l->unparted ? 0 : check_parts(l, err);
    char a[DIGEST_HEX], b[DIGEST_HEX];
    digest_print(l->in.digest, a);
    digest_print(out.digest, b);
    return err_set(err, ERR_INTERNAL, "cell ledger does not balance: %llu cells on both sides, digest in %s, accounted for %s",
                   (unsigned long long)l->in.cells, a, b);
}
