/* Ledgers: sums by verdict and cause, and the equations that prove that no cell was lost or made up. Digests are added modulo
 * 2^128, so equal sums mean equal cells whatever order and thread they came from. */
#include "rules/ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ledger_add(struct ledger *a, const struct ledger *b) {
    a->records_read += b->records_read;
    a->records_accepted += b->records_accepted;
    a->records_rejected += b->records_rejected;
    a->records_skipped += b->records_skipped;
    tally_add(&a->in, b->in);
    tally_add(&a->made, b->made);
    tally_add(&a->rejected, b->rejected);
    tally_add(&a->not_selected, b->not_selected);
    for (int v = 0; v < VERDICT_COUNT; v++) tally_add(&a->dropped[v], b->dropped[v]);
    for (int r = 0; r < CAUSE_COUNT; r++) tally_add(&a->by[r], b->by[r]);
    a->lost.places += b->lost.places;
    a->lost.cells += b->lost.cells;
    a->lost.uncounted += b->lost.uncounted;
    a->unread.cells += b->unread.cells;
    a->unread.files += b->unread.files;
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
    tally_add(&out, l->not_selected);
    for (int v = 0; v < VERDICT_COUNT; v++) tally_add(&out, l->dropped[v]);
    struct tally in = l->in;
    tally_add(&in, l->made);
    if (out.cells != in.cells)
        return err_set(err, ERR_INTERNAL, "cell ledger does not balance: %llu cells in, %llu accounted for",
                       (unsigned long long)in.cells, (unsigned long long)out.cells);
    if (digest_eq(out.digest, in.digest)) return l->unparted ? 0 : check_parts(l, err);
    char a[DIGEST_HEX], b[DIGEST_HEX];
    digest_print(in.digest, a);
    digest_print(out.digest, b);
    return err_set(err, ERR_INTERNAL, "cell ledger does not balance: %llu cells on both sides, digest in %s, accounted for %s",
                   (unsigned long long)in.cells, a, b);
}

/* ---- where two sets of rules differ ---- */

/* Printable text as it is, all else as \xNN, "…" when it does not fit. */
static size_t put_escaped(char *out, size_t room, struct bytes b) {
    size_t n = 0;
    for (size_t i = 0; i < b.n; i++) {
        bool plain = b.p[i] > ' ' && b.p[i] < 0x7f && b.p[i] != '\\';
        if (n + 8 > room) return n + (size_t)snprintf(out + n, room - n, "...");
        n += (size_t)snprintf(out + n, room - n, plain ? "%c" : "\\x%02X", b.p[i]);
    }
    out[n] = 0;
    return n;
}

/* The row may take half of the text, the family a quarter of what is left then. */
static void describe_cell(char out[RULE_EXAMPLE_BYTES], const struct row_part *part, const struct cell *c) {
    size_t n = put_escaped(out, RULE_EXAMPLE_BYTES / 2, part->row);
    out[n++] = '\t';
    n += put_escaped(out + n, 64, part->family);
    out[n++] = ':';
    n += put_escaped(out + n, 80, c->qualifier);
    snprintf(out + n, RULE_EXAMPLE_BYTES - n, "\t%" PRId64 "\t%s", c->ts_ms, cell_type_name(c->type));
}

void rule_diff_note(struct rule_diff *d, enum rule_side keeps, enum cause why, struct digest digest, uint64_t place,
                    const struct row_part *part, const struct cell *c) {
    tally_one(&d->only[keeps][why], digest);
    if (d->n_examples[keeps] == RULE_EXAMPLES) return;
    struct rule_example *e = &d->examples[keeps][d->n_examples[keeps]++];
    e->place = place;
    e->why = why;
    describe_cell(e->text, part, c);
}

/* Merges the examples of both, which are in order; the first RULE_EXAMPLES of them stay, whatever the order of adding. */
static void merge_examples(struct rule_diff *a, const struct rule_diff *b, enum rule_side side) {
    struct rule_example *at = a->examples[side];
    for (uint32_t k = 0; k < b->n_examples[side]; k++) {
        const struct rule_example *e = &b->examples[side][k];
        uint32_t i = a->n_examples[side];
        while (i && at[i - 1].place > e->place) i--;
        if (i == RULE_EXAMPLES) return;
        if (a->n_examples[side] < RULE_EXAMPLES) a->n_examples[side]++;
        memmove(at + i + 1, at + i, (a->n_examples[side] - i - 1) * sizeof *at);
        at[i] = *e;
    }
}

void rule_diff_add(struct rule_diff *a, const struct rule_diff *b) {
    for (enum rule_side s = 0; s < RULE_SIDES; s++) {
        for (int r = 0; r < CAUSE_COUNT; r++) tally_add(&a->only[s][r], b->only[s][r]);
        merge_examples(a, b, s);
    }
}

struct tally rule_diff_sum(const struct rule_diff *d, enum rule_side keeps) {
    struct tally sum = {0};
    for (int r = 0; r < CAUSE_COUNT; r++) tally_add(&sum, d->only[keeps][r]);
    return sum;
}

/* ---- names ---- */

const char *verdict_name(enum verdict v) {
    static const char *const names[VERDICT_COUNT] = {
        [VERDICT_KEEP] = "written",        [VERDICT_EXPIRED] = "expired", [VERDICT_SUPERSEDED] = "superseded",
        [VERDICT_DUPLICATE] = "duplicate", [VERDICT_DELETED] = "deleted", [VERDICT_PURGED] = "purged_markers",
    };
    return (unsigned)v < VERDICT_COUNT ? names[v] : "unknown";
}

static const struct {
    enum verdict verdict;
    const char *name;
} causes[CAUSE_COUNT] = {
    [CAUSE_KEPT] = {VERDICT_KEEP, NULL},
    [CAUSE_TABLE_TTL] = {VERDICT_EXPIRED, "table_ttl"},
    [CAUSE_CELL_TTL] = {VERDICT_EXPIRED, "cell_ttl"},
    [CAUSE_VERSIONS] = {VERDICT_SUPERSEDED, NULL},
    [CAUSE_DUPLICATE] = {VERDICT_DUPLICATE, NULL},
    [CAUSE_BY_DELETE] = {VERDICT_DELETED, "Delete"},
    [CAUSE_BY_DELETE_COLUMN] = {VERDICT_DELETED, "DeleteColumn"},
    [CAUSE_BY_DELETE_FAMILY] = {VERDICT_DELETED, "DeleteFamily"},
    [CAUSE_BY_DELETE_FAMILY_VERSION] = {VERDICT_DELETED, "DeleteFamilyVersion"},
    [CAUSE_PURGED_DELETE] = {VERDICT_PURGED, "Delete"},
    [CAUSE_PURGED_DELETE_COLUMN] = {VERDICT_PURGED, "DeleteColumn"},
    [CAUSE_PURGED_DELETE_FAMILY] = {VERDICT_PURGED, "DeleteFamily"},
    [CAUSE_PURGED_DELETE_FAMILY_VERSION] = {VERDICT_PURGED, "DeleteFamilyVersion"},
};

enum verdict cause_verdict(enum cause r) {
    return causes[r].verdict;
}

const char *cause_name(enum cause r) {
    return causes[r].name;
}
