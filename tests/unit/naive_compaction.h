/* A major compaction of one row, the slow way: an independent statement of docs/compaction-rules.md to hold rules.c against.
 * Nothing is carried from cell to cell but what became of each; every question is answered by looking back over the
 * whole row. Quadratic, for rows of a few dozen cells. */
#ifndef NAIVE_COMPACTION_H
#define NAIVE_COMPACTION_H

#include "rules/rules.h"

enum { NAIVE_CELLS_MAX = 64 };

struct naive_row {
    const struct rules_env *env;
    const struct cell *c; /* in cell order */
    size_t n;
    enum verdict out[NAIVE_CELLS_MAX];
    bool decided[NAIVE_CELLS_MAX];
    bool masks[NAIVE_CELLS_MAX];    /* a marker that was seen and hides Puts */
    bool version[NAIVE_CELLS_MAX];  /* a Put that was counted as a version */
    bool included[NAIVE_CELLS_MAX]; /* kept by the version check */
};

static bool naive_expired(const struct naive_row *r, size_t k) {
    int64_t ttl_s = r->env->family.ttl_s;
    return r->c[k].ts_ms == INT64_MIN || (ttl_s && r->c[k].ts_ms < r->env->now_ms - ttl_s * 1000);
}

static bool naive_own_ttl_over(const struct naive_row *r, size_t k) {
    int64_t ttl;
    if (!cell_ttl_ms(r->c[k].tags, &ttl)) return false;
    uint64_t end = (uint64_t)r->c[k].ts_ms + (uint64_t)ttl;
    return (int64_t)end < r->env->now_ms;
}

static bool naive_same_column(const struct naive_row *r, size_t i, size_t k) {
    return bytes_cmp(r->c[i].qualifier, r->c[k].qualifier) == 0;
}

static bool naive_same_key(const struct naive_row *r, size_t i, size_t k) {
    return naive_same_column(r, i, k) && r->c[i].ts_ms == r->c[k].ts_ms && r->c[i].type == r->c[k].type;
}

static void naive_set(struct naive_row *r, size_t k, enum verdict v) {
    bool marker = cell_is_delete(r->c[k].type);
    if (marker && (v == VERDICT_SUPERSEDED || v == VERDICT_DELETED)) v = VERDICT_PURGED;
    if (!marker && v == VERDICT_PURGED) v = VERDICT_DELETED;
    r->out[k] = v;
    r->decided[k] = true;
}

/* Drops k and everything HBase leaves out by seeking to the next column. */
static void naive_seek(struct naive_row *r, size_t k, enum verdict v) {
    bool whole_column = r->c[k].qualifier.n > 0 || r->c[k].type == CELL_DELETE_FAMILY;
    for (size_t i = k; i < r->n; i++)
        if (naive_same_column(r, i, k) && (whole_column || naive_same_key(r, i, k))) naive_set(r, i, v);
}

static bool naive_masked_by(const struct naive_row *r, size_t k, uint8_t type) {
    for (size_t i = 0; i < k; i++) {
        if (!r->masks[i] || r->c[i].type != type) continue;
        bool reach = type == CELL_DELETE_FAMILY || type == CELL_DELETE_COLUMN ? r->c[i].ts_ms >= r->c[k].ts_ms
                                                                              : r->c[i].ts_ms == r->c[k].ts_ms;
        if (reach && (cell_is_family_delete(type) || naive_same_column(r, i, k))) return true;
    }
    return false;
}

static void naive_versions(struct naive_row *r, size_t k) {
    uint64_t older = 0;
    for (size_t i = 0; i < k; i++) {
        if (r->included[i] && naive_same_key(r, i, k)) {
            naive_set(r, k, VERDICT_DUPLICATE);
            return;
        }
        older += r->version[i] && naive_same_column(r, i, k);
    }
    r->version[k] = !cell_is_delete(r->c[k].type);
    uint64_t number = older + r->version[k];
    if (number > r->env->family.versions) {
        naive_seek(r, k, VERDICT_SUPERSEDED);
    } else if (naive_expired(r, k) && number > r->env->family.min_versions) {
        naive_seek(r, k, VERDICT_EXPIRED);
    } else {
        r->included[k] = true;
        naive_set(r, k, VERDICT_KEEP);
    }
}

static void naive_marker(struct naive_row *r, size_t k) {
    enum keep_deleted kept = r->env->family.keep_deleted;
    bool live = kept == KEEP_DELETED_TRUE || (kept == KEEP_DELETED_TTL && !naive_expired(r, k));
    int64_t delay = r->env->family.purge_deletes_after_ms;
    r->masks[k] = !live;
    if (delay && r->c[k].ts_ms >= r->env->now_ms - delay) {
        naive_set(r, k, VERDICT_KEEP);
    } else if (!live) {
        naive_set(r, k, VERDICT_PURGED);
    } else if (r->c[k].ts_ms < r->env->earliest_put_ms) {
        naive_seek(r, k, VERDICT_PURGED);
    } else {
        naive_versions(r, k);
    }
}

static void naive_put(struct naive_row *r, size_t k) {
    if (naive_masked_by(r, k, CELL_DELETE_FAMILY)) {
        naive_seek(r, k, VERDICT_DELETED);
    } else if (naive_masked_by(r, k, CELL_DELETE_FAMILY_VERSION)) {
        naive_set(r, k, VERDICT_DELETED);
    } else if (naive_masked_by(r, k, CELL_DELETE_COLUMN)) {
        naive_seek(r, k, VERDICT_DELETED);
    } else if (naive_masked_by(r, k, CELL_DELETE)) {
        naive_set(r, k, VERDICT_DELETED);
    } else {
        naive_versions(r, k);
    }
}

static void naive_compact(struct naive_row *r) {
    for (size_t k = 0; k < r->n; k++) {
        if (r->decided[k]) continue;
        if (naive_expired(r, k) && (r->env->family.min_versions == 0 || r->c[k].ts_ms == INT64_MIN))
            naive_seek(r, k, VERDICT_EXPIRED);
        else if (naive_own_ttl_over(r, k))
            naive_set(r, k, VERDICT_EXPIRED);
        else if (cell_is_delete(r->c[k].type))
            naive_marker(r, k);
        else
            naive_put(r, k);
    }
}

#endif
