#include "engine/facts.h"

#include <stdlib.h>

#define SIGN_BIT (UINT64_C(1) << 63)

/* Both only rise from 0, which says that there is nothing: pages that are never touched cost no memory. */
struct fact {
    uint64_t newest, oldest_put; /* ts_max with its sign bit turned; INT64_MAX less the earliest Put */
};

struct input_facts {
    uint32_t buckets, inputs;
    const bool *stores;
    struct fact *facts; /* [bucket][input] */
};

static bool rules_need(const struct family_rules *r) {
    return r->ttl_s > 0 || r->keep_deleted != KEEP_DELETED_FALSE;
}

static bool needed(const struct table *t) {
    if (rules_need(&t->default_rules)) return true;
    for (uint32_t i = 0; i < t->n_families; i++)
        if (rules_need(&t->families[i].rules)) return true;
    return false;
}

struct input_facts *input_facts_new(const struct table *t, uint32_t buckets, uint32_t inputs, const bool *stores,
                                    struct err *err) {
    if (!needed(t)) return NULL;
    size_t n = (size_t)buckets * inputs;
    struct input_facts *f = malloc(sizeof *f);
    struct fact *facts = f ? calloc(n ? n : 1, sizeof *facts) : NULL;
    if (!facts) {
        free(f);
        err_nomem(err, n * sizeof *facts, "what compaction must know of each input and partition");
        return NULL;
    }
    *f = (struct input_facts){buckets, inputs, stores, facts};
    return f;
}

size_t input_facts_bytes(const struct table *t, uint32_t buckets, uint32_t inputs) {
    return needed(t) ? (size_t)buckets * inputs * sizeof(struct fact) : 0;
}

void input_facts_free(struct input_facts *f) {
    if (!f) return;
    free(f->facts);
    free(f);
}

static void atomic_raise(uint64_t *at, uint64_t v) {
    uint64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (v > old && !__atomic_compare_exchange_n(at, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

void input_facts_note(struct input_facts *f, uint32_t bucket, const struct row_part *part) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        if (f->stores && f->stores[rank_input(c->rank)]) continue;
        struct fact *fact = &f->facts[(size_t)bucket * f->inputs + rank_input(c->rank)];
        atomic_raise(&fact->newest, (uint64_t)c->ts_ms ^ SIGN_BIT);
        if (c->type == CELL_PUT) atomic_raise(&fact->oldest_put, (uint64_t)INT64_MAX - (uint64_t)c->ts_ms);
    }
}

int facts_decide(struct file_facts *files, size_t n, const struct rules_env *env, bool *expired, int64_t *earliest_put_ms,
                 struct err *err) {
    size_t *who = calloc(n + 1, sizeof *who), k = 0; /* who[k] = input of files[k] */
    bool *dropped = calloc(n + 1, sizeof *dropped);
    int rc = who && dropped ? 0 : err_nomem(err, n * sizeof *who, "file facts");
    for (size_t i = 0; !rc && i < n; i++) {
        if (!files[i].has_cells) continue;
        files[k] = files[i];
        who[k++] = i;
    }
    if (!rc) {
        file_facts_expire(files, k, &env->family, env->now_ms, dropped);
        *earliest_put_ms = file_facts_earliest_put(files, k, dropped);
        if (env->family.new_version_behavior) file_facts_leave_out(files, k, &env->family, env->now_ms, dropped);
        for (size_t i = 0; i < k; i++) expired[who[i]] = dropped[i];
    }
    free(who);
    free(dropped);
    return rc;
}

int64_t input_facts_decide(const struct input_facts *f, uint32_t bucket, const struct rules_env *env, bool *expired,
                           struct err *err) {
    struct file_facts *files = calloc((size_t)f->inputs + 1, sizeof *files);
    int64_t earliest = INT64_MIN;
    if (!files) return err_nomem(err, f->inputs * sizeof *files, "file facts"), earliest;
    for (uint32_t i = 0; i < f->inputs; i++) {
        const struct fact *fact = &f->facts[(size_t)bucket * f->inputs + i];
        if (f->stores && f->stores[i])
            files[i] = (struct file_facts){.has_cells = true, .ts_max_ms = INT64_MAX, .earliest_put_ms = INT64_MAX};
        if (!fact->newest) continue;
        files[i] = (struct file_facts){.has_cells = true,
                                       .ts_max_ms = (int64_t)(fact->newest ^ SIGN_BIT),
                                       .earliest_put_ms = (int64_t)((uint64_t)INT64_MAX - fact->oldest_put),
                                       .max_seq = -1,
                                       .bulk_ms = INT64_MAX};
    }
    facts_decide(files, f->inputs, env, expired, &earliest, err);
    free(files);
    return earliest;
}
