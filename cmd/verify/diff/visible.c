/* Sources around a source: what a client's Scan would see of a family (deleted and expired cells gone, versions limited, times
 * selected), and cells without delete markers and what these hide. The version rules decide; these sources only leave out. */
#include "cmd/verify/diff/visible.h"

#include "base/buf.h"
#include "rules/compact.h"
#include "rules/rules.h"

#include <stdlib.h>

struct visible {
    struct source base;
    struct source *inner;
    struct visible_opts o;
    struct rules *rules; /* NULL: a raw scan */
    bool row_started;

    /* State of the column. */
    struct buf qualifier;
    bool in_column, any, full; /* full: the versions are there, the rest goes unseen */
    uint64_t count;
    int64_t last_ms;
    uint8_t last_type;

    struct cell shown[PART_MAX_CELLS];
};

/* Markers beside the time range still hide cells in it, unless deleted cells are kept. */
static bool in_time(const struct visible *v, const struct cell *c) {
    bool within = c->ts_ms >= v->o.from_ms && (c->ts_ms < v->o.to_ms || v->o.to_ms == INT64_MAX);
    return within || (!v->o.raw && cell_is_delete(c->type) && v->o.family.keep_deleted == KEEP_DELETED_FALSE);
}

static int enter_column(struct visible *v, struct bytes qualifier, struct err *err) {
    if (v->in_column && bytes_eq(buf_bytes(&v->qualifier), qualifier)) return 0;
    v->in_column = true;
    v->any = v->full = false;
    v->count = 0;
    return buf_copy(&v->qualifier, qualifier, err);
}

static bool is_expired(const struct visible *v, const struct cell *c) {
    int64_t ttl_ms, end;
    if (!c->tags.n || !cell_ttl_ms(c->tags, &ttl_ms)) return false;
    return !__builtin_add_overflow(c->ts_ms, ttl_ms, &end) && end < v->o.now_ms;
}

/* One cell a key; of Puts only as many as the scan asks for, and nothing after these. */
static bool counts(struct visible *v, const struct cell *c) {
    if (v->full || (v->any && v->last_ms == c->ts_ms && v->last_type == c->type)) return false;
    v->any = true;
    v->last_ms = c->ts_ms;
    v->last_type = c->type;
    if (!cell_is_delete(c->type)) v->count++;
    v->full = v->count > v->o.versions;
    return !v->full;
}

static int judge_cell(struct visible *v, const struct row_part *part, const struct cell *c, bool *show, struct err *err) {
    enum cause why = CAUSE_KEPT;
    *show = false;
    if (!in_time(v, c) || (v->o.raw && is_expired(v, c))) return 0;
    if (v->rules && rules_judge_of(v->rules, part, c, &why, err)) return -1;
    if (why != CAUSE_KEPT || (v->rules && cell_is_delete(c->type))) return 0;
    if (enter_column(v, c->qualifier, err)) return -1;
    *show = counts(v, c);
    return 0;
}

static int filter_part(struct visible *v, const struct row_part *part, uint32_t *shown, struct err *err) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        bool show;
        if (judge_cell(v, part, &part->cells[i], &show, err)) return -1;
        if (show) v->shown[n++] = part->cells[i];
    }
    *shown = n;
    return 0;
}

static int visible_next(struct source *base, struct row_part *part, struct err *err) {
    struct visible *v = (struct visible *)base;
    for (;;) {
        struct row_part in;
        uint32_t n;
        int more = source_next(v->inner, &in, err);
        if (more != 1) return more;
        if (in.first) {
            if (v->rules) rules_begin_row(v->rules);
            v->in_column = false;
        }
        if (filter_part(v, &in, &n, err)) return -1;
        if (filtered_part(&in, v->shown, n, &v->row_started, part)) return 1;
    }
}

static void visible_close(struct source *base) {
    struct visible *v = (struct visible *)base;
    source_close(v->inner);
    rules_free(v->rules);
    buf_free(&v->qualifier);
    free(v);
}

static const struct source_ops visible_ops = {visible_next, visible_close};

struct source *visible_open(struct source *inner, const struct visible_opts *o, struct err *err) {
    /* A scan hides as a major compaction does that keeps nothing for later. */
    struct rules_env env = {.kind = COMPACTION_MAJOR,
                            .family = o->family,
                            .now_ms = o->now_ms,
                            .earliest_put_ms = INT64_MAX,
                            .row_bytes = o->row_bytes,
                            .stop = o->stop};
    env.family.keep_deleted = KEEP_DELETED_FALSE;
    env.family.purge_deletes_after_ms = 0;
    struct visible *v = malloc(sizeof *v);
    if (!v) {
        source_close(inner);
        err_nomem(err, sizeof *v, "a scan");
        return NULL;
    }
    memset(v, 0, offsetof(struct visible, shown));
    v->base.ops = &visible_ops;
    v->inner = inner;
    v->o = *o;
    if (o->raw || (v->rules = rules_new(&env, err))) return &v->base;
    visible_close(&v->base);
    return NULL;
}

struct undeleted {
    struct source base;
    struct source *inner;
    struct rules *rules;
    bool row_started;
    struct cell kept[PART_MAX_CELLS];
};

static int leave_out_deleted(struct undeleted *u, const struct row_part *part, uint32_t *kept, struct err *err) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        enum cause why;
        if (rules_judge_of(u->rules, part, c, &why, err)) return -1;
        if (!cell_is_delete(c->type) && cause_verdict(why) != VERDICT_DELETED) u->kept[n++] = *c;
    }
    *kept = n;
    return 0;
}

static int undeleted_next(struct source *base, struct row_part *part, struct err *err) {
    struct undeleted *u = (struct undeleted *)base;
    for (;;) {
        struct row_part in;
        uint32_t n;
        int more = source_next(u->inner, &in, err);
        if (more != 1) return more;
        if (in.first) rules_begin_row(u->rules);
        if (leave_out_deleted(u, &in, &n, err)) return -1;
        if (filtered_part(&in, u->kept, n, &u->row_started, part)) return 1;
    }
}

static void undeleted_close(struct source *base) {
    struct undeleted *u = (struct undeleted *)base;
    source_close(u->inner);
    rules_free(u->rules);
    free(u);
}

static const struct source_ops undeleted_ops = {undeleted_next, undeleted_close};

struct source *undeleted_open(struct source *inner, const struct visible_opts *o, struct err *err) {
    /* No clock: nothing expires, and no marker is kept for a while. */
    const struct rules_env env = {
        .kind = COMPACTION_MAJOR,
        .family = {.versions_given = true, .versions = UINT32_MAX, .new_version_behavior = o->family.new_version_behavior},
        .earliest_put_ms = INT64_MAX,
        .row_bytes = o->row_bytes,
        .stop = o->stop};
    struct undeleted *u = malloc(sizeof *u);
    if (!u) {
        source_close(inner);
        err_nomem(err, sizeof *u, "delete markers");
        return NULL;
    }
    memset(u, 0, offsetof(struct undeleted, kept));
    u->base.ops = &undeleted_ops;
    u->inner = inner;
    u->rules = rules_new(&env, err);
    if (u->rules) return &u->base;
    undeleted_close(&u->base);
    return NULL;
}
