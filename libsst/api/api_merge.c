/* Several scans as one, with HBase's version rules on request.
 *
 *   input 0 --source--\
 *   input 1 --source--- merge_open --> compact_open (rules) --> the caller
 *   input 2 --source--/
 *
 * Inputs are recipes (api.h): they are opened here with the number of their place, which decides between equal cells. Relies
 * on all inputs being of one column family, as a merge orders by row and column. */
#include "api/api.h"

#include "api/api_scan.h"
#include "base/clock.h"
#include "rules/compact.h"
#include "sort/sorted.h"

#include <stdlib.h>

enum { ROW_MARKER_BYTES = 64 << 20 };

struct api_merge {
    sst_merge_options o;
    size_t n;
    sst_scan *inputs[];
};

_Static_assert((int)SST_DROP_EXPIRED == VERDICT_EXPIRED && (int)SST_DROP_PURGED == VERDICT_PURGED &&
                   (int)SST_DROP_DUPLICATE == VERDICT_DUPLICATE && (int)SST_DROP_DELETED == VERDICT_DELETED,
               "reasons are the inner verdicts");

static int earliest_put_of_inputs(sst_scan *s, int64_t *ms, struct err *err) {
    *ms = INT64_MAX;
    for (size_t i = 0; i < s->merge->n; i++) {
        int64_t one;
        if (s->merge->inputs[i]->recipe->earliest_put(s->merge->inputs[i], &one, err)) return -1;
        if (one < *ms) *ms = one;
    }
    return 0;
}

static enum compaction_kind kind_of(int rules) {
    return rules == SST_RULES_MAJOR ? COMPACTION_MAJOR : rules == SST_RULES_MINOR ? COMPACTION_MINOR : COMPACTION_OCEANBASE;
}

/* Takes ownership of inner. */
static struct source *apply_rules(sst_scan *s, struct source *inner, struct err *err) {
    const sst_merge_options *o = &s->merge->o;
    struct compact_opts c = {.env = {.kind = kind_of(o->rules),
                                     .family = {.versions_given = true,
                                                .versions = o->versions ? o->versions : 1,
                                                .min_versions = o->min_versions,
                                                .ttl_s = o->ttl_seconds,
                                                .keep_deleted = (enum keep_deleted)o->keep_deleted,
                                                .new_version_behavior = o->new_version_behavior != 0,
                                                .purge_deletes_after_ms = o->purge_deletes_after_ms},
                                     .now_ms = o->now_ms,
                                     .row_bytes = o->row_marker_bytes ? o->row_marker_bytes : ROW_MARKER_BYTES},
                             .ledger = s->ledger};
    *s->ledger = (struct ledger){0};
    if (earliest_put_of_inputs(s, &c.env.earliest_put_ms, err)) {
        source_close(inner);
        return NULL;
    }
    return compact_open(inner, &c, err);
}

static struct source *open_inputs(sst_scan *s, struct bytes start, struct err *err) {
    struct api_merge *m = s->merge;
    struct source **sources = calloc(m->n + 1, sizeof *sources);
    if (!sources) {
        err_nomem(err, (m->n + 1) * sizeof *sources, "a merge");
        return NULL;
    }
    size_t n = 0;
    while (n < m->n && (sources[n] = m->inputs[n]->recipe->open(m->inputs[n], start, (uint32_t)n, err))) n++;
    struct source *merged = NULL;
    if (n == m->n)
        merged = merge_open(sources, n, m->o.ties == SST_TIES_BY_SOURCE ? TIE_BY_INPUT : TIE_BY_SEQUENCE, err);
    else
        while (n) source_close(sources[--n]);
    free(sources);
    return merged;
}

/* As an input of another merge its own inputs keep their numbers, so the other's `input` has no say: see sst_merge_open. */
static struct source *open_merge(sst_scan *s, struct bytes start, uint32_t input, struct err *err) {
    (void)input;
    struct source *merged = open_inputs(s, start, err);
    return merged && s->merge->o.rules ? apply_rules(s, merged, err) : merged;
}

static void release_merge(sst_scan *s) {
    for (size_t i = 0; s->merge && i < s->merge->n; i++) sst_scan_close(s->merge->inputs[i]);
    free(s->merge);
    free(s->ledger);
}

static const struct scan_recipe merge_recipe = {
    .open = open_merge, .earliest_put = earliest_put_of_inputs, .release = release_merge};

static int check_options(const sst_merge_options *o, struct err *err) {
    if (o->rules < SST_RULES_NONE || o->rules > SST_RULES_OCEANBASE)
        return err_set(err, ERR_USAGE, "sst_merge_options: rules %d is not one of enum sst_rules", o->rules);
    if (o->ties < SST_TIES_BY_SEQUENCE || o->ties > SST_TIES_BY_SOURCE)
        return err_set(err, ERR_USAGE, "sst_merge_options: ties %d is not one of enum sst_ties", o->ties);
    if (o->keep_deleted < 0 || o->keep_deleted > 2)
        return err_set(err, ERR_USAGE, "sst_merge_options: keep_deleted %d: 0, 1 or 2 are possible", o->keep_deleted);
    return 0;
}

/* One family, which becomes that of the merge. */
static int check_inputs(sst_scan *s, struct err *err) {
    for (size_t i = 0; i < s->merge->n; i++) {
        const sst_scan *in = s->merge->inputs[i];
        if (in->recipe == &merge_recipe || in->recipe->alone)
            return err_set(err, ERR_USAGE, "source %zu of a merge is %s", i,
                           in->recipe->alone ? in->recipe->alone : "a merge itself; merge all sources at once");
        if (in->started) return err_set(err, ERR_USAGE, "source %zu of a merge has been read already", i);
        if (!in->family.n) continue;
        if (s->family.n && !bytes_eq(buf_bytes(&s->family), buf_bytes(&in->family)))
            return err_set(err, ERR_USAGE, "source %zu of a merge is of family %.*s, one before of %.*s", i, (int)in->family.n,
                           (const char *)in->family.p, (int)s->family.n, (const char *)s->family.p);
        if (buf_copy(&s->family, buf_bytes(&in->family), err)) return -1;
    }
    return 0;
}

sst_scan *sst_merge_open(sst_scan *const *scans, size_t n, const sst_merge_options *options, sst_error *error) {
    struct err *err = api_begin(error);
    sst_scan *s = scan_new(&merge_recipe, NULL, err);
    if (s) s->merge = calloc(1, sizeof *s->merge + n * sizeof *scans);
    if (!s || !s->merge) {
        err_nomem(err, n * sizeof *scans, "a merge");
        for (size_t i = 0; i < n; i++) sst_scan_close(scans[i]);
        sst_scan_close(s);
        return NULL;
    }
    s->merge->n = n;
    for (size_t i = 0; i < n; i++) s->merge->inputs[i] = scans[i];
    s->ledger = calloc(1, sizeof *s->ledger);
    int rc = s->ledger ? 0 : err_nomem(err, sizeof *s->ledger, "a merge");
    if (!rc && n >= RANK_INPUTS_MAX) rc = err_set(err, ERR_LIMIT, "%zu sources are too many for one merge", n);
    if (!rc) rc = api_options(&s->merge->o, sizeof s->merge->o, options, "sst_merge_options", err);
    if (!rc) rc = check_options(&s->merge->o, err);
    if (!rc) rc = check_inputs(s, err);
    if (rc) {
        sst_scan_close(s);
        return NULL;
    }
    if (!s->merge->o.now_ms) s->merge->o.now_ms = clock_now_ms();
    return s;
}

uint64_t sst_scan_dropped(const sst_scan *scan, int reason) {
    bool known = reason >= SST_DROP_EXPIRED && reason <= SST_DROP_PURGED;
    return scan->ledger && known ? scan->ledger->dropped[reason].cells : 0;
}
