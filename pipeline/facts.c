#include "pipeline/facts.h"

#include <stdlib.h>

struct fact {
    int64_t ts_max, earliest_put; /* INT64_MIN: no cells; INT64_MAX: no Put */
};

struct input_facts {
    uint32_t buckets, inputs;
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

struct input_facts *input_facts_new(const struct table *t, uint32_t buckets, uint32_t inputs, struct err *err) {
    if (!needed(t)) return NULL;
    size_t n = (size_t)buckets * inputs;
    struct input_facts *f = malloc(sizeof *f);
    struct fact *facts = f ? malloc((n ? n : 1) * sizeof *facts) : NULL;
    if (!facts) {
        free(f);
        err_nomem(err, n * sizeof *facts, "what compaction must know of each input and partition");
        return NULL;
    }
    for (size_t i = 0; i < n; i++) facts[i] = (struct fact){INT64_MIN, INT64_MAX};
    *f = (struct input_facts){buckets, inputs, facts};
    return f;
}

void input_facts_free(struct input_facts *f) {
    if (!f) return;
    free(f->facts);
    free(f);
}

static void atomic_lower(int64_t *at, int64_t v) {
    int64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (v < old && !__atomic_compare_exchange_n(at, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void atomic_raise(int64_t *at, int64_t v) {
    int64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (v > old && !__atomic_compare_exchange_n(at, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

void input_facts_note(struct input_facts *f, uint32_t bucket, const struct row_part *part) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        struct fact *fact = &f->facts[(size_t)bucket * f->inputs + rank_input(c->rank)];
        atomic_raise(&fact->ts_max, c->ts_ms);
        if (c->type == CELL_PUT) atomic_lower(&fact->earliest_put, c->ts_ms);
    }
}

int64_t input_facts_decide(const struct input_facts *f, uint32_t bucket, const struct family_rules *family, int64_t now_ms,
                           bool *expired, struct err *err) {
    struct file_facts *files = calloc(f->inputs ? f->inputs : 1, sizeof *files);
    if (!files) {
        err_nomem(err, f->inputs * sizeof *files, "file facts");
        return INT64_MIN;
    }
    for (uint32_t i = 0; i < f->inputs; i++) {
        const struct fact *fact = &f->facts[(size_t)bucket * f->inputs + i];
        files[i] = (struct file_facts){.has_cells = fact->ts_max != INT64_MIN,
                                       .ts_max_ms = fact->ts_max,
                                       .earliest_put_ms = fact->earliest_put,
                                       .max_seq = -1,
                                       .bulk_ms = INT64_MAX};
    }
    /* An input without cells in this bucket is no file of this store: it may not count as the newest one. */
    size_t n = 0;
    uint32_t *who = calloc(f->inputs ? f->inputs : 1, sizeof *who);
    bool *dropped = calloc(f->inputs ? f->inputs : 1, sizeof *dropped);
    int64_t earliest = INT64_MIN;
    if (who && dropped) {
        for (uint32_t i = 0; i < f->inputs; i++)
            if (files[i].has_cells) {
                files[n] = files[i];
                who[n++] = i;
            }
        file_facts_expire(files, n, family, now_ms, dropped);
        for (size_t i = 0; i < n; i++) expired[who[i]] = dropped[i];
        earliest = file_facts_earliest_put(files, n, dropped);
    } else {
        err_nomem(err, f->inputs * sizeof *who, "file facts");
    }
    free(who);
    free(dropped);
    free(files);
    return earliest;
}
