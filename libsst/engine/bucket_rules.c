/* Puts the version rules of a family over the sorted source of one of its partitions. Imports, repartitions and merges of
 * datasets know the facts about whole inputs from different places (input_facts.h, file info); from there on all do the same,
 * which is written here once. */
#include "engine/bucket_rules.h"

#include "engine/job.h"
#include "rules/changes.h"
#include "rules/compact.h"

#include <stdlib.h>

int bucket_rules_init(struct bucket_rules *b, uint32_t n_inputs, bool compare, struct err *err) {
    *b = (struct bucket_rules){.n_inputs = n_inputs, .earliest_put_ms = INT64_MAX, .next_drop_ms = INT64_MAX};
    b->expired = calloc(n_inputs + 1, sizeof *b->expired);
    if (compare) b->diff = calloc(1, sizeof *b->diff);
    if (b->expired && (b->diff || !compare)) return 0;
    bucket_rules_free(b);
    return err_nomem(err, n_inputs + sizeof *b->diff, "file facts");
}

void bucket_rules_free(struct bucket_rules *b) {
    free(b->expired);
    free(b->diff);
    b->expired = NULL;
    b->diff = NULL;
}

int bucket_rules_slice(struct bucket_rules *slice, const struct bucket_rules *of, struct err *err) {
    if (bucket_rules_init(slice, of->n_inputs, of->diff != NULL, err)) return -1;
    memcpy(slice->expired, of->expired, of->n_inputs * sizeof *of->expired);
    slice->earliest_put_ms = of->earliest_put_ms;
    slice->stores = of->stores;
    slice->n_stores = of->n_stores;
    slice->old_seq = of->old_seq;
    return 0;
}

void bucket_rules_join(struct bucket_rules *of, const struct bucket_rules *slice) {
    ledger_add(&of->ledger, &slice->ledger);
    if (of->diff) rule_diff_add(of->diff, slice->diff);
    of->zeroed += slice->zeroed;
    of->repeats += slice->repeats;
}

/* Returns which inputs have expired; NULL: none has, and then most rows need no check of single cells. */
static const bool *expired_inputs(const struct bucket_rules *b) {
    for (uint32_t i = 0; i < b->n_inputs; i++)
        if (b->expired[i]) return b->expired;
    return NULL;
}

/* Rules that keep markers, or the order of writing, say themselves what a marker of an earlier input hides. */
static const struct rule_turns *turns_of(const struct bucket_rules_env *env) {
    const struct family_rules *r = &env->family->rules;
    bool whole = env->kind == COMPACTION_OCEANBASE ||
                 (env->kind == COMPACTION_MAJOR && r->keep_deleted == KEEP_DELETED_FALSE && !r->purge_deletes_after_ms);
    return whole && !r->new_version_behavior ? env->job->turns : NULL;
}

struct source *bucket_rules_open(struct bucket_rules *b, const struct bucket_rules_env *env, struct source *src,
                                 struct err *err) {
    const struct compact_opts c = {.env = {.kind = env->kind,
                                           .family = env->family->rules,
                                           .now_ms = env->job->now_ms,
                                           .earliest_put_ms = b->earliest_put_ms,
                                           .row_bytes = env->row_bytes,
                                           .stop = env->job->stop},
                                   .turns = turns_of(env),
                                   .expired_inputs = expired_inputs(b),
                                   .n_inputs = b->n_inputs,
                                   .stores = b->stores,
                                   .n_stores = b->n_stores,
                                   .old_seq = b->old_seq,
                                   .zeroed = &b->zeroed,
                                   .repeats = env->family->rules.new_version_behavior ? &b->repeats : NULL,
                                   .ledger = &b->ledger,
                                   .diff = b->diff,
                                   .hbase_rules = family_hbase_rules(env->family),
                                   .place = env->place,
                                   .next_drop_ms = &b->next_drop_ms};
    if (env->kind != COMPACTION_CHANGES) return compact_open(src, &c, err);
    const struct family_rules *shown = &env->family->rules;
    return changes_open(src, shown->versions_given ? shown->versions : UINT32_MAX, &b->ledger, err);
}

/* ---- the sum of all buckets ---- */

void rules_total_init(struct rules_total *t, const struct job *job, const char *phase) {
    *t = (struct rules_total){.job = job, .phase = phase};
    pthread_mutex_init(&t->lock, NULL);
}

void rules_total_free(struct rules_total *t) {
    pthread_mutex_destroy(&t->lock);
}

/* Reports progress, under the lock. */
static void report_progress(const struct rules_total *t) {
    const struct progress *p = &t->job->progress;
    double share = t->of_cells && t->cells < t->of_cells ? (double)t->cells / (double)t->of_cells : 0;
    uint64_t by_cells = (uint64_t)(share * (double)t->of_bytes);
    if (p->report) p->report(p->arg, t->phase, by_cells > t->bytes ? by_cells : t->bytes, t->of_bytes);
}

void rules_total_begin(struct rules_total *t) {
    pthread_mutex_lock(&t->lock);
    report_progress(t);
    pthread_mutex_unlock(&t->lock);
}

void rules_total_add(struct rules_total *t, const struct bucket_rules *b, uint64_t bytes) {
    pthread_mutex_lock(&t->lock);
    ledger_add(&t->ledger, &b->ledger);
    if (b->diff) rule_diff_add(&t->diff, b->diff);
    t->zeroed += b->zeroed;
    t->repeats += b->repeats;
    t->bytes += bytes;
    for (int v = VERDICT_KEEP + 1; v < VERDICT_COUNT; v++) t->cells += b->ledger.dropped[v].cells;
    report_progress(t);
    pthread_mutex_unlock(&t->lock);
}

void rules_total_pass(void *total, uint64_t cells) {
    struct rules_total *t = total;
    pthread_mutex_lock(&t->lock);
    t->cells += cells;
    if (t->of_cells) report_progress(t);
    pthread_mutex_unlock(&t->lock);
}
