/* The version rules of a compaction, cell by cell.
 *
 * What HBase holds per cell in three objects (query matcher, delete tracker, column tracker) is per column here, because
 * cells come in order and a column that is left never returns: a new qualifier resets the column delete, the version
 * count and the skip. Only the family markers live as long as the row.
 *
 * SEEK_NEXT_COL of HBase is `skip`: the rest of the column goes unseen, so that markers in it mask nothing. In the column
 * with the empty qualifier, where later family markers stand, only cells of the same timestamp and type go. */
#include "flow/rules.h"

#include "base/buf.h"
#include "flow/mvcc_tracker.h"
#include "flow/stamp_set.h"

#include <stdlib.h>

/* What a row may take under NEW_VERSION_BEHAVIOR, of every worker. */
enum { TRACKER_MAX_BYTES = 64 << 20 };

enum skip { SKIP_NOTHING, SKIP_SAME_KEY, SKIP_COLUMN };

struct rules {
    enum compaction_kind kind;
    struct mvcc_tracker *tracker; /* NEW_VERSION_BEHAVIOR: else NULL */
    enum keep_deleted keep_deleted;
    int64_t now_ms, oldest_ms, purge_ms, earliest_put_ms;
    uint64_t versions, min_versions;

    /* Of the row. */
    struct stamp_set family_versions;
    int64_t family_ts; /* newest DeleteFamily; valid when has_family */
    bool has_family;

    /* Of the column. */
    bool in_column;
    struct buf qualifier; /* a copy: the part it came from may be gone when the next cell is judged */
    enum skip skip;
    enum verdict skip_why;
    int64_t skip_ts, delete_ts, last_ts;
    uint8_t skip_type, delete_type, last_type; /* delete_type, last_type: 0 = none */
    uint64_t count;
};

const char *verdict_name(enum verdict v) {
    static const char *const names[VERDICT_COUNT] = {
        [VERDICT_KEEP] = "written",        [VERDICT_EXPIRED] = "expired", [VERDICT_SUPERSEDED] = "superseded",
        [VERDICT_DUPLICATE] = "duplicate", [VERDICT_DELETED] = "deleted", [VERDICT_PURGED] = "purged_markers",
    };
    return (unsigned)v < VERDICT_COUNT ? names[v] : "unknown";
}

/* Java's long arithmetic: it wraps, and HBase's results include that. */
static int64_t wrap_add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static int64_t wrap_sub(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

int64_t rules_oldest_ms(const struct family_rules *f, int64_t now_ms) {
    int64_t ttl_ms, oldest;
    if (f->ttl_s <= 0 || f->ttl_s == INT32_MAX || __builtin_mul_overflow(f->ttl_s, INT64_C(1000), &ttl_ms)) return INT64_MIN;
    return __builtin_sub_overflow(now_ms, ttl_ms, &oldest) ? INT64_MIN : oldest;
}

struct rules *rules_new(const struct rules_env *env, struct err *err) {
    const struct family_rules *f = &env->family;
    if (f->versions == 0) {
        err_set(err, ERR_USAGE, "version rules: VERSIONS is 0 or not known, it must be at least 1");
        return NULL;
    }
    struct rules *r = calloc(1, sizeof *r);
    if (!r) {
        err_nomem(err, sizeof *r, "version rules");
        return NULL;
    }
    r->kind = env->kind;
    r->keep_deleted = f->keep_deleted;
    r->now_ms = env->now_ms;
    r->oldest_ms = rules_oldest_ms(f, env->now_ms);
    r->purge_ms = f->purge_deletes_after_ms;
    r->earliest_put_ms = env->earliest_put_ms;
    r->versions = f->versions == UINT32_MAX ? UINT64_MAX : f->versions;
    r->min_versions = f->min_versions;
    if (!f->new_version_behavior || (r->tracker = mvcc_tracker_new(r->versions, TRACKER_MAX_BYTES, err))) return r;
    rules_free(r);
    return NULL;
}

void rules_free(struct rules *r) {
    if (!r) return;
    mvcc_tracker_free(r->tracker);
    stamp_set_free(&r->family_versions);
    buf_free(&r->qualifier);
    free(r);
}

void rules_begin_row(struct rules *r) {
    if (r->tracker) mvcc_tracker_begin_row(r->tracker);
    stamp_set_clear(&r->family_versions);
    r->has_family = false;
    r->in_column = false;
}

void rules_set_earliest_put(struct rules *r, int64_t earliest_put_ms) {
    r->earliest_put_ms = earliest_put_ms;
}

static bool expired(const struct rules *r, int64_t ts_ms) {
    return ts_ms < r->oldest_ms;
}

static int enter_column(struct rules *r, struct bytes qualifier, struct err *err) {
    if (buf_copy(&r->qualifier, qualifier, err)) return -1;
    r->in_column = true;
    r->skip = SKIP_NOTHING;
    r->delete_type = r->last_type = 0;
    r->count = 0;
    return 0;
}

/* The name a drop has in the ledger: time limits and duplicates are the same for all cells, everything else that
 * drops a marker purges it, and what a purged marker drags along is deleted. */
static enum verdict drop_name(enum verdict why, uint8_t type) {
    if (why == VERDICT_EXPIRED || why == VERDICT_DUPLICATE) return why;
    if (cell_is_delete(type)) return VERDICT_PURGED;
    return why == VERDICT_PURGED ? VERDICT_DELETED : why;
}

/* Drops c and what HBase would seek over. */
static enum verdict drop_and_skip(struct rules *r, const struct cell *c, enum verdict why) {
    r->skip = c->qualifier.n == 0 && c->type != CELL_DELETE_FAMILY ? SKIP_SAME_KEY : SKIP_COLUMN;
    r->skip_why = why;
    r->skip_ts = c->ts_ms;
    r->skip_type = c->type;
    return drop_name(why, c->type);
}

static bool skipped(const struct rules *r, const struct cell *c) {
    return r->skip == SKIP_COLUMN || (r->skip == SKIP_SAME_KEY && c->ts_ms == r->skip_ts && c->type == r->skip_type);
}

static int track_marker(struct rules *r, const struct cell *c, struct err *err) {
    if (r->has_family && c->ts_ms <= r->family_ts) return 0;
    switch (c->type) {
    case CELL_DELETE_FAMILY:
        r->has_family = true;
        r->family_ts = c->ts_ms;
        return 0;
    case CELL_DELETE_FAMILY_VERSION: return stamp_set_add(&r->family_versions, c->ts_ms, err);
    default:
        if (c->type < r->delete_type) return 0;
        r->delete_type = c->type;
        r->delete_ts = c->ts_ms;
        return 0;
    }
}

static enum verdict judge_version(struct rules *r, const struct cell *c) {
    if (r->last_type && r->last_ts == c->ts_ms && r->last_type == c->type) return VERDICT_DUPLICATE;
    if (!cell_is_delete(c->type)) r->count++;
    if (r->count > r->versions) return drop_and_skip(r, c, VERDICT_SUPERSEDED);
    if (r->count > r->min_versions && expired(r, c->ts_ms)) return drop_and_skip(r, c, VERDICT_EXPIRED);
    r->last_ts = c->ts_ms;
    r->last_type = c->type;
    return VERDICT_KEEP;
}

/* Does a marker that was seen before do all that this one would? */
static bool covered(const struct rules *r, const struct cell *c) {
    if (r->has_family && c->ts_ms <= r->family_ts) return true;
    if (cell_is_family_delete(c->type)) return false;
    return r->delete_type == CELL_DELETE_COLUMN && c->ts_ms <= r->delete_ts;
}

static int judge_minor_marker(struct rules *r, const struct cell *c, enum verdict *v, struct err *err) {
    bool tracks = r->keep_deleted == KEEP_DELETED_FALSE || (r->keep_deleted == KEEP_DELETED_TTL && expired(r, c->ts_ms));
    *v = VERDICT_KEEP;
    if (r->kind == COMPACTION_MINOR && covered(r, c)) {
        *v = VERDICT_PURGED;
        if (!cell_is_family_delete(c->type) && c->qualifier.n) *v = drop_and_skip(r, c, VERDICT_PURGED);
        return 0;
    }
    return tracks ? track_marker(r, c, err) : 0;
}

static int judge_marker(struct rules *r, const struct cell *c, enum verdict *v, struct err *err) {
    bool keep = r->keep_deleted == KEEP_DELETED_TRUE || (r->keep_deleted == KEEP_DELETED_TTL && !expired(r, c->ts_ms));
    if (!keep && track_marker(r, c, err)) return -1;
    if (r->purge_ms > 0 && wrap_sub(r->now_ms, c->ts_ms) <= r->purge_ms)
        *v = VERDICT_KEEP;
    else if (!keep)
        *v = VERDICT_PURGED;
    else
        *v = c->ts_ms < r->earliest_put_ms ? drop_and_skip(r, c, VERDICT_PURGED) : judge_version(r, c);
    return 0;
}

static enum verdict judge_put(struct rules *r, const struct cell *c) {
    if (r->has_family && c->ts_ms <= r->family_ts) return drop_and_skip(r, c, VERDICT_DELETED);
    if (stamp_set_has(&r->family_versions, c->ts_ms)) return VERDICT_DELETED;
    if (r->delete_type == CELL_DELETE_COLUMN) return drop_and_skip(r, c, VERDICT_DELETED);
    if (r->delete_type == CELL_DELETE && r->delete_ts == c->ts_ms) return VERDICT_DELETED;
    return judge_version(r, c);
}

/* ---- NEW_VERSION_BEHAVIOR ---- */

/* What the tracker lets through: TTL beyond MIN_VERSIONS, and no more than VERSIONS. */
static enum verdict count_survivor(struct rules *r, const struct cell *c) {
    bool old = expired(r, c->ts_ms);
    uint64_t count = mvcc_tracker_count(r->tracker);
    if (old && count > r->min_versions) return drop_and_skip(r, c, VERDICT_EXPIRED);
    if (count > r->versions) return drop_and_skip(r, c, VERDICT_SUPERSEDED);
    if ((old && count == r->min_versions) || count == r->versions)
        drop_and_skip(r, c, old ? VERDICT_EXPIRED : VERDICT_SUPERSEDED); /* the rest of the column, not this cell */
    return VERDICT_KEEP;
}

static int judge_marker_by_mvcc(struct rules *r, const struct cell *c, enum verdict *v, struct err *err) {
    bool keep = r->keep_deleted == KEEP_DELETED_TRUE || (r->keep_deleted == KEEP_DELETED_TTL && !expired(r, c->ts_ms));
    if (!keep && mvcc_tracker_mark(r->tracker, c, err)) return -1;
    if (r->purge_ms > 0 && wrap_sub(r->now_ms, c->ts_ms) <= r->purge_ms)
        *v = VERDICT_KEEP;
    else if (!keep)
        *v = VERDICT_PURGED;
    else
        *v = c->ts_ms < r->earliest_put_ms ? drop_and_skip(r, c, VERDICT_PURGED) : count_survivor(r, c);
    return 0;
}

/* A minor compaction drops nothing. In a major one no marker makes HBase leave a column: an older timestamp may have been
 * written later. */
static int judge_by_mvcc(struct rules *r, const struct cell *c, enum verdict *v, struct err *err) {
    enum mvcc_fate fate;
    int64_t ttl_ms;
    *v = VERDICT_KEEP;
    if (r->kind != COMPACTION_MAJOR) return 0;
    *v = VERDICT_EXPIRED;
    if (c->tags.n && cell_ttl_ms(c->tags, &ttl_ms) && wrap_add(c->ts_ms, ttl_ms) < r->now_ms) return 0;
    if (cell_is_delete(c->type)) return judge_marker_by_mvcc(r, c, v, err);
    if (mvcc_tracker_judge(r->tracker, c, &fate, err)) return -1;
    switch (fate) {
    case MVCC_VISIBLE: *v = count_survivor(r, c); break;
    case MVCC_DELETED: *v = VERDICT_DELETED; break;
    case MVCC_MASKED: *v = VERDICT_SUPERSEDED; break;
    case MVCC_TWIN: *v = VERDICT_DUPLICATE; break;
    }
    return 0;
}

int rules_judge(struct rules *r, const struct cell *c, enum verdict *v, struct err *err) {
    if (!r->in_column || !bytes_eq(c->qualifier, buf_bytes(&r->qualifier))) {
        if (enter_column(r, c->qualifier, err)) return -1;
    } else if (skipped(r, c)) {
        *v = drop_name(r->skip_why, c->type);
        return 0;
    }
    if (r->tracker) return judge_by_mvcc(r, c, v, err);
    int64_t ttl_ms;
    if (c->ts_ms == INT64_MIN || (r->min_versions == 0 && expired(r, c->ts_ms)))
        *v = drop_and_skip(r, c, VERDICT_EXPIRED);
    else if (c->tags.n && cell_ttl_ms(c->tags, &ttl_ms) && wrap_add(c->ts_ms, ttl_ms) < r->now_ms)
        *v = VERDICT_EXPIRED;
    else if (cell_is_delete(c->type))
        return r->kind == COMPACTION_MAJOR ? judge_marker(r, c, v, err) : judge_minor_marker(r, c, v, err);
    else
        *v = judge_put(r, c);
    return 0;
}
