#include "engine/store_input.h"

#include "engine/facts.h"

#include <stdlib.h>

struct store_decisions {
    struct store_decision_opts o;
    size_t families;
    struct region_facts *facts; /* [family][store] */
    struct bytes **starts;      /* [store] */
    bool **expired;             /* [store]: by file */
    int64_t **earliest;         /* [family * n + store]: by region */
    uint64_t **old_seq;         /* the same */
};

static struct store_input_file file_at(const struct store_input *in, size_t by_age) {
    return in->file(in->arg, by_age);
}

/* What is decided for one region. */
struct decided {
    int64_t *earliest_put_ms;
    uint64_t *old_seq;
};

/* The files [from, to) by age are one store, oldest first: which go whole, and what those that stay say. */
static int decide_store(const struct store_decisions *d, const struct store_input *in, size_t from, size_t to,
                        const struct rules_env *env, bool *expired, struct decided out, struct err *err) {
    bool followed = in->group < d->o.newest;
    size_t n = to - from + followed;
    struct file_facts *f = calloc(n, sizeof *f);
    bool *dropped = calloc(n, sizeof *dropped);
    int rc = f && dropped ? 0 : err_nomem(err, n * sizeof *f, "file facts");
    for (size_t i = from; !rc && i < to; i++) f[i - from] = file_at(in, i).facts;
    if (!rc && followed) /* whatever is newer */
        f[n - 1] = (struct file_facts){.has_cells = true, .ts_max_ms = INT64_MAX, .earliest_put_ms = INT64_MAX};
    if (!rc) rc = facts_decide(f, n, env, dropped, out.earliest_put_ms, err);
    for (size_t i = from; !rc && i < to; i++) {
        const struct file_facts one = file_at(in, i).facts;
        uint64_t seq = one.has_cells && !dropped[i - from] ? file_facts_old_seq(&one, d->o.now_ms, d->o.keep_seq_ms) : 0;
        if (seq > *out.old_seq) *out.old_seq = seq;
    }
    if (!rc) memcpy(expired + from, dropped, (to - from) * sizeof *dropped);
    free(f);
    free(dropped);
    return rc;
}

/* One family of one input. */
static int decide_family(const struct store_decisions *d, size_t k, size_t family, struct err *err) {
    int64_t *earliest = d->earliest[family * d->o.n + k];
    uint64_t *old_seq = d->old_seq[family * d->o.n + k];
    const struct store_input *in = &d->o.stores[k];
    const struct family *f = &d->o.table->families[family];
    const struct rules_env env = {.kind = d->o.kind, .family = *family_hbase_rules(f), .now_ms = d->o.now_ms};
    for (size_t r = 0; r < in->n_regions; r++) earliest[r] = INT64_MAX;
    for (size_t i = 0, end; i < in->n_files; i = end) {
        const struct store_input_file file = file_at(in, i);
        for (end = i + 1; end < in->n_files; end++) {
            const struct store_input_file next = file_at(in, end);
            if (next.region != file.region || strcmp(next.family, file.family) != 0) break;
        }
        if (strcmp(file.family, f->name)) continue;
        const struct decided out = {&earliest[file.region], &old_seq[file.region]};
        if (decide_store(d, in, i, end, &env, d->expired[k], out, err)) return -1;
    }
    return 0;
}

static int make_room(struct store_decisions *d, struct err *err) {
    size_t n = d->o.n;
    d->facts = calloc(d->families * n + 1, sizeof *d->facts);
    d->starts = calloc(n + 1, sizeof *d->starts);
    d->expired = calloc(n + 1, sizeof *d->expired);
    d->earliest = calloc(d->families * n + 1, sizeof *d->earliest);
    d->old_seq = calloc(d->families * n + 1, sizeof *d->old_seq);
    bool ok = d->facts && d->starts && d->expired && d->earliest && d->old_seq;
    for (size_t k = 0; ok && k < n; k++) {
        const struct store_input *s = &d->o.stores[k];
        d->starts[k] = calloc(s->n_regions + 1, sizeof **d->starts);
        d->expired[k] = calloc(s->n_files + 1, sizeof **d->expired);
        ok = d->starts[k] && d->expired[k];
        for (size_t r = 0; ok && r < s->n_regions; r++) d->starts[k][r] = s->region(s->arg, r).start;
        for (size_t f = 0; ok && f < d->families; f++)
            ok = (d->earliest[f * n + k] = calloc(s->n_regions + 1, sizeof **d->earliest)) != NULL &&
                 (d->old_seq[f * n + k] = calloc(s->n_regions + 1, sizeof **d->old_seq)) != NULL;
    }
    return ok ? 0 : err_nomem(err, d->families * n * sizeof *d->facts, "file facts");
}

static int decide(struct store_decisions *d, struct err *err) {
    for (size_t f = 0; f < d->families; f++)
        for (size_t k = 0; k < d->o.n; k++) {
            const struct store_input *in = &d->o.stores[k];
            if (decide_family(d, k, f, err)) return -1;
            d->facts[f * d->o.n + k] = (struct region_facts){.input = in->group,
                                                             .expired = d->expired[k],
                                                             .n_files = (uint32_t)in->n_files,
                                                             .starts = d->starts[k],
                                                             .earliest_put_ms = d->earliest[f * d->o.n + k],
                                                             .old_seq = d->old_seq[f * d->o.n + k],
                                                             .n_regions = in->n_regions};
        }
    return 0;
}

struct store_decisions *store_decisions_new(const struct store_decision_opts *o, struct err *err) {
    struct store_decisions *d = calloc(1, sizeof *d);
    if (!d) return err_nomem(err, sizeof *d, "file facts"), NULL;
    d->o = *o;
    d->families = o->table->n_families;
    if (make_room(d, err) == 0 && decide(d, err) == 0) return d;
    store_decisions_free(d);
    return NULL;
}

const struct region_facts *store_decisions_of(const struct store_decisions *d, uint32_t family) {
    return d->facts + family * d->o.n;
}

void store_decisions_free(struct store_decisions *d) {
    if (!d) return;
    for (size_t k = 0; k < d->o.n; k++) {
        if (d->starts) free(d->starts[k]);
        if (d->expired) free(d->expired[k]);
    }
    for (size_t i = 0; d->earliest && i < d->families * d->o.n; i++) free(d->earliest[i]);
    for (size_t i = 0; d->old_seq && i < d->families * d->o.n; i++) free(d->old_seq[i]);
    free(d->facts);
    free(d->starts);
    free(d->expired);
    free(d->earliest);
    free(d->old_seq);
    free(d);
}
