/* The version rules of a compaction, cell by cell.
 *
 * What HBase holds per cell in three objects (query matcher, delete tracker, column tracker) is per column here, because
 * cells come in order and a column that is left never returns: a new qualifier resets the column delete, the version
 * count and the skip. Only the family markers live as long as the row.
 *
 * SEEK_NEXT_COL of HBase is `skip`: the rest of the column goes unseen, so that markers in it mask nothing. In the column
 * with the empty qualifier, where later family markers are, only cells of the same timestamp and type go. */
#include "rules/ledger.h"
#include "rules/mvcc_tracker.h"
#include "rules/rules.h"

#include "base/buf.h"
#include "hfile/hfile_keys.h"
#include "rules/timestamp_set.h"

#include <stdlib.h>

enum skip { SKIP_NOTHING, SKIP_SAME_KEY, SKIP_COLUMN };

/* One row under VERSIONS 1:
 *
 *     row x, VERSIONS 1, in order        what is remembered            what becomes of the cell
 *     (empty)  DeleteFamily   @20        of the row: family_ts = 20    purged
 *     q        Put            @30        of q: count = 1               kept
 *     q        DeleteColumn   @25        of q: delete_ts = 25          purged
 *     q        Put            @22        of q: skip                    deleted, by DeleteColumn
 *     q        Put            @10                                      deleted unseen
 *     r        Put            @15        a new column; of r: skip      deleted, by DeleteFamily */
struct rules {
    enum compaction_kind kind;
    struct mvcc_tracker *tracker; /* NEW_VERSION_BEHAVIOR: else NULL */
    enum keep_deleted keep_deleted;
    int64_t now_ms, oldest_ms, purge_ms, earliest_put_ms;
    uint64_t versions, min_versions;

    /* State of the row. */
    struct timestamp_set family_versions;
    int64_t family_ts; /* newest DeleteFamily; valid when has_family */
    bool has_family;

    /* State of the column. */
    bool in_column;
    struct buf qualifier; /* a copy: the part it came from may be gone when the next cell is judged */
    enum skip skip;
    enum cause skip_why;
    int64_t skip_ts, delete_ts, last_ts;
    uint8_t skip_type, delete_type, last_type; /* delete_type, last_type: 0 = none */
    uint64_t count;
};

/* Hidden by a marker of this type. */
static enum cause by_marker(uint8_t type) {
    switch (type) {
    case CELL_DELETE_COLUMN: return CAUSE_BY_DELETE_COLUMN;
    case CELL_DELETE_FAMILY: return CAUSE_BY_DELETE_FAMILY;
    case CELL_DELETE_FAMILY_VERSION: return CAUSE_BY_DELETE_FAMILY_VERSION;
    default: return CAUSE_BY_DELETE;
    }
}
static enum cause purged(uint8_t type) {
    return by_marker(type) + (CAUSE_PURGED_DELETE - CAUSE_BY_DELETE);
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
    r->family_versions.max_bytes = env->row_bytes;
    if (compaction_is_oceanbase(r->kind)) {
        r->keep_deleted = KEEP_DELETED_FALSE;
        r->purge_ms = 0;
        r->min_versions = 0;
    }
    if (!f->new_version_behavior || (r->tracker = mvcc_tracker_new(r->versions, env->row_bytes, env->stop, err))) return r;
    rules_free(r);
    return NULL;
}

void rules_free(struct rules *r) {
    if (!r) return;
    mvcc_tracker_free(r->tracker);
    timestamp_set_free(&r->family_versions);
    buf_free(&r->qualifier);
    free(r);
}

void rules_begin_row(struct rules *r) {
    if (r->tracker) mvcc_tracker_begin_row(r->tracker);
    timestamp_set_clear(&r->family_versions);
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

/* The reason a drop has in the ledger: time limits and duplicates are the same for all cells, everything else that
 * drops a marker purges it, and what a purged marker drags along it has deleted. */
static enum cause drop_cause(enum cause why, uint8_t type) {
    if (why == CAUSE_TABLE_TTL || why == CAUSE_CELL_TTL || why == CAUSE_DUPLICATE) return why;
    if (cell_is_delete(type)) return purged(type);
    return cause_verdict(why) == VERDICT_PURGED ? why - (CAUSE_PURGED_DELETE - CAUSE_BY_DELETE) : why;
}

/* Drops c and what HBase would seek over. */
static enum cause drop_and_skip(struct rules *r, const struct cell *c, enum cause why) {
    r->skip = c->qualifier.n == 0 && c->type != CELL_DELETE_FAMILY ? SKIP_SAME_KEY : SKIP_COLUMN;
    r->skip_why = why;
    r->skip_ts = c->ts_ms;
    r->skip_type = c->type;
    return drop_cause(why, c->type);
}

static bool skipped(const struct rules *r, const struct cell *c) {
    return r->skip == SKIP_COLUMN || (r->skip == SKIP_SAME_KEY && c->ts_ms == r->skip_ts && c->type == r->skip_type);
}

/* The cell's own TTL is over, by HBase's arithmetic. */
static bool outlived(const struct rules *r, const struct cell *c) {
    int64_t ttl_ms;
    return c->tags.n && cell_ttl_ms(c->tags, &ttl_ms) && wrap_add(c->ts_ms, ttl_ms) < r->now_ms;
}

static int track_marker(struct rules *r, const struct cell *c, struct err *err) {
    if (r->has_family && c->ts_ms <= r->family_ts) return 0;
    switch (c->type) {
    case CELL_DELETE_FAMILY:
        r->has_family = true;
        r->family_ts = c->ts_ms;
        return 0;
    case CELL_DELETE_FAMILY_VERSION: return timestamp_set_add(&r->family_versions, c->ts_ms, err);
    default:
        if (c->type < r->delete_type) return 0;
        r->delete_type = c->type;
        r->delete_ts = c->ts_ms;
        return 0;
    }
}

static bool is_twin(const struct rules *r, const struct cell *c) {
    return r->last_type && r->last_ts == c->ts_ms && r->last_type == c->type;
}

static void note_last(struct rules *r, const struct cell *c) {
    r->last_ts = c->ts_ms;
    r->last_type = c->type;
}

static enum cause judge_version(struct rules *r, const struct cell *c) {
    if (is_twin(r, c)) return CAUSE_DUPLICATE;
    if (!cell_is_delete(c->type)) r->count++;
    if (r->count > r->versions) return drop_and_skip(r, c, CAUSE_VERSIONS);
    if (r->count > r->min_versions && expired(r, c->ts_ms)) return drop_and_skip(r, c, CAUSE_TABLE_TTL);
    note_last(r, c);
    return CAUSE_KEPT;
}

/* Returns whether a marker that was seen before does all that this one would. */
static bool covered(const struct rules *r, const struct cell *c) {
    if (r->has_family && c->ts_ms <= r->family_ts) return true;
    if (cell_is_family_delete(c->type)) return false;
    return r->delete_type == CELL_DELETE_COLUMN && c->ts_ms <= r->delete_ts;
}

static int judge_minor_marker(struct rules *r, const struct cell *c, enum cause *why, struct err *err) {
    bool tracks = r->keep_deleted == KEEP_DELETED_FALSE || (r->keep_deleted == KEEP_DELETED_TTL && expired(r, c->ts_ms));
    *why = CAUSE_KEPT;
    if (r->kind != COMPACTION_MINOR_BEFORE && covered(r, c)) {
        *why = purged(c->type);
        if (!cell_is_family_delete(c->type) && c->qualifier.n) drop_and_skip(r, c, *why);
        return 0;
    }
    return tracks ? track_marker(r, c, err) : 0;
}

static int judge_marker(struct rules *r, const struct cell *c, enum cause *why, struct err *err) {
    bool keep = r->keep_deleted == KEEP_DELETED_TRUE || (r->keep_deleted == KEEP_DELETED_TTL && !expired(r, c->ts_ms));
    if (!keep && track_marker(r, c, err)) return -1;
    if (r->purge_ms > 0 && wrap_sub(r->now_ms, c->ts_ms) <= r->purge_ms)
        *why = CAUSE_KEPT;
    else if (!keep)
        *why = purged(c->type);
    else
        *why = c->ts_ms < r->earliest_put_ms ? drop_and_skip(r, c, purged(c->type)) : judge_version(r, c);
    return 0;
}

/* CAUSE_KEPT: no marker hides it. */
static enum cause judge_mask(struct rules *r, const struct cell *c) {
    if (r->has_family && c->ts_ms <= r->family_ts) return drop_and_skip(r, c, CAUSE_BY_DELETE_FAMILY);
    if (timestamp_set_has(&r->family_versions, c->ts_ms)) return CAUSE_BY_DELETE_FAMILY_VERSION;
    if (r->delete_type == CELL_DELETE_COLUMN) return drop_and_skip(r, c, CAUSE_BY_DELETE_COLUMN);
    if (r->delete_type == CELL_DELETE && r->delete_ts == c->ts_ms) return CAUSE_BY_DELETE;
    return CAUSE_KEPT;
}

static enum cause judge_put(struct rules *r, const struct cell *c) {
    enum cause hidden = judge_mask(r, c);
    return hidden != CAUSE_KEPT ? hidden : judge_version(r, c);
}

/* ---- NEW_VERSION_BEHAVIOR ---- */

/* Judges a cell that the tracker lets through: TTL beyond MIN_VERSIONS, and no more than VERSIONS. */
static enum cause count_survivor(struct rules *r, const struct cell *c) {
    bool old = expired(r, c->ts_ms);
    uint64_t count = mvcc_tracker_count(r->tracker);
    if (old && count > r->min_versions) return drop_and_skip(r, c, CAUSE_TABLE_TTL);
    if (count > r->versions) return drop_and_skip(r, c, CAUSE_VERSIONS);
    if ((old && count == r->min_versions) || count == r->versions)
        drop_and_skip(r, c, old ? CAUSE_TABLE_TTL : CAUSE_VERSIONS); /* the rest of the column, not this cell */
    return CAUSE_KEPT;
}

static int judge_marker_by_mvcc(struct rules *r, const struct cell *c, enum cause *why, struct err *err) {
    bool keep = r->keep_deleted == KEEP_DELETED_TRUE || (r->keep_deleted == KEEP_DELETED_TTL && !expired(r, c->ts_ms));
    if (!keep && mvcc_tracker_mark(r->tracker, c, err)) return -1;
    if (r->purge_ms > 0 && wrap_sub(r->now_ms, c->ts_ms) <= r->purge_ms)
        *why = CAUSE_KEPT;
    else if (!keep)
        *why = purged(c->type);
    else
        *why = c->ts_ms < r->earliest_put_ms ? drop_and_skip(r, c, purged(c->type)) : count_survivor(r, c);
    return 0;
}

/* CAUSE_KEPT: a version that nothing written later hides. */
static int judge_mask_by_mvcc(struct rules *r, const struct cell *c, enum cause *why, struct err *err) {
    enum mvcc_verdict verdict;
    uint8_t marker;
    if (mvcc_tracker_judge(r->tracker, c, &verdict, &marker, err)) return -1;
    switch (verdict) {
    case MVCC_VISIBLE: *why = CAUSE_KEPT; break;
    case MVCC_DELETED: *why = by_marker(marker); break;
    case MVCC_MASKED: *why = CAUSE_VERSIONS; break;
    case MVCC_TWIN: *why = CAUSE_DUPLICATE; break;
    }
    return 0;
}

/* A minor compaction drops nothing. In a major one no marker makes HBase leave a column: an older timestamp may have been
 * written later. */
static int judge_by_mvcc(struct rules *r, const struct cell *c, enum cause *why, struct err *err) {
    *why = CAUSE_KEPT;
    if (r->kind != COMPACTION_MAJOR) return 0;
    *why = CAUSE_CELL_TTL;
    if (outlived(r, c)) return 0;
    if (cell_is_delete(c->type)) return judge_marker_by_mvcc(r, c, why, err);
    if (judge_mask_by_mvcc(r, c, why, err)) return -1;
    if (*why == CAUSE_KEPT) *why = count_survivor(r, c);
    return 0;
}

/* ---- OceanBase ---- */

/* Deletes are HBase's: they were done when the data was written. K, Q and T are the key there, so that the newest of equal
 * cells replaces the others for good, also when its own TTL is over; that one is no version (the read path skips it before it
 * counts), and it is reckoned without wrapping. */
static int judge_oceanbase(struct rules *r, const struct cell *c, enum cause *why, struct err *err) {
    int64_t ttl_ms;
    *why = CAUSE_DUPLICATE;
    if (is_twin(r, c)) return 0;
    if (c->tags.n && cell_ttl_ms(c->tags, &ttl_ms) && wrap_sub(r->now_ms, c->ts_ms) > ttl_ms) {
        note_last(r, c);
        *why = CAUSE_CELL_TTL;
        return 0;
    }
    if (!r->tracker)
        *why = judge_mask(r, c);
    else if (judge_mask_by_mvcc(r, c, why, err))
        return -1;
    if (*why != CAUSE_KEPT) return 0;
    note_last(r, c);
    if (++r->count > r->versions) *why = drop_and_skip(r, c, CAUSE_VERSIONS);
    return 0;
}

/* Keeps a marker of a delta: it hides what the target holds, whatever became of the puts before it. */
static int keep_marker(struct rules *r, const struct cell *c, enum cause *why, struct err *err) {
    *why = !r->tracker && covered(r, c) ? purged(c->type) : CAUSE_KEPT;
    return r->tracker ? mvcc_tracker_mark(r->tracker, c, err) : track_marker(r, c, err);
}

static int drop_marker(struct rules *r, const struct cell *c, enum cause *why, struct err *err) {
    *why = purged(c->type);
    return r->tracker ? mvcc_tracker_mark(r->tracker, c, err) : track_marker(r, c, err);
}

/* ---- all of them ---- */

static bool is_past(const struct rules *r, const struct cell *c) {
    return c->ts_ms == INT64_MIN || (r->min_versions == 0 && expired(r, c->ts_ms));
}

static int judge_seen(struct rules *r, const struct cell *c, enum cause *why, struct err *err) {
    if (r->tracker && !compaction_is_oceanbase(r->kind)) return judge_by_mvcc(r, c, why, err);
    bool marker = cell_is_delete(c->type);
    if (is_past(r, c)) {
        *why = drop_and_skip(r, c, CAUSE_TABLE_TTL);
        return 0;
    }
    if (compaction_is_oceanbase(r->kind) && !marker) return judge_oceanbase(r, c, why, err);
    if (outlived(r, c)) {
        *why = CAUSE_CELL_TTL;
        return 0;
    }
    if (!marker) {
        *why = judge_put(r, c);
        return 0;
    }
    if (r->kind == COMPACTION_OCEANBASE) return drop_marker(r, c, why, err);
    if (r->kind == COMPACTION_OCEANBASE_DELTA) return keep_marker(r, c, why, err);
    return r->kind == COMPACTION_MAJOR ? judge_marker(r, c, why, err) : judge_minor_marker(r, c, why, err);
}

/* A marker in a column that was left because of VERSIONS or another marker: what it hides may be in the base. */
static bool stays_in_delta(const struct rules *r) {
    return compaction_is_delta(r->kind) && cause_verdict(r->skip_why) != VERDICT_EXPIRED;
}

/* Names of neighbouring columns mostly differ in their last byte. */
static inline bool same_column(struct bytes a, struct bytes b) {
    return a.n == b.n && (!a.n || (a.p[a.n - 1] == b.p[b.n - 1] && memcmp(a.p, b.p, a.n) == 0));
}

int rules_judge(struct rules *r, const struct cell *c, enum cause *why, struct err *err) {
    if (!r->in_column || !same_column(c->qualifier, buf_bytes(&r->qualifier))) {
        if (enter_column(r, c->qualifier, err)) return -1;
    } else if (skipped(r, c) && !(cell_is_delete(c->type) && stays_in_delta(r))) {
        *why = drop_cause(r->skip_why, c->type);
        return 0;
    }
    return judge_seen(r, c, why, err);
}

bool rules_leave_row(const struct rules *r, const struct cell *cells, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const struct cell *c = &cells[i];
        if (c->type != CELL_PUT || c->tags.n || c->ts_ms == INT64_MIN || expired(r, c->ts_ms)) return false;
        if (i && same_column(c->qualifier, cells[i - 1].qualifier)) return false;
    }
    return true;
}

int rules_judge_of(struct rules *r, const struct row_part *part, const struct cell *c, enum cause *why, struct err *err) {
    char row[KEY_TEXT_BYTES];
    if (!rules_judge(r, c, why, err)) return 0;
    if (err->code == ERR_STOPPED) return -1;
    return err_prefix(err, "row %s", key_text_hex(part->row, row));
}
