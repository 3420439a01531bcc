/* Cells come with falling timestamps and so, mostly, with falling sequence ids: arrays are kept in falling order, where such
 * a cell is appended.
 *
 * A scope is a span of sequence ids that ends with a marker for all versions (DeleteFamily, DeleteColumn) or, the last one,
 * with infinity. It knows the exact versions deleted in it, and for each such moment (and for its end) which puts were
 * visible then. Those of the family are kept for the row and copied for every column, which adds its own. */

#include "base/buf.h"
#include "rules/mvcc_tracker.h"

#include <stdlib.h>

#define FOREVER ((uint64_t)INT64_MAX)

struct mvcc_moment { /* just before `seq`: the puts that count as versions then, ascending */
    uint64_t seq;
    uint64_t *puts;
    size_t n, cap;
};

struct version_delete {
    int64_t ts_ms;
    uint64_t seq;
};

struct scope {
    uint64_t seq;                   /* of the marker that ends it */
    int64_t ts_ms;                  /* what that marker hides; INT64_MIN: nothing */
    uint8_t type;                   /* of that marker */
    struct version_delete *deletes; /* n_inherited of the family, then of the column: each part by falling timestamp */
    size_t n_deletes, n_inherited, cap_deletes;
    struct mvcc_moment *moments; /* falling; the first is FOREVER; none before they are needed */
    size_t n_moments, cap_moments;
};

static const struct scope endless = {.seq = FOREVER, .ts_ms = INT64_MIN};

struct scopes { /* falling by seq */
    struct scope *all;
    size_t n, cap;
};

struct mvcc_tracker {
    uint64_t versions;
    uint64_t survivors;
    size_t bytes, max_bytes;
    struct scopes family, column;
    const struct stop *stop;
    int64_t looked_ms;
    size_t passed; /* since the last look: the bytes held at each cell, which is what it may have passed over */
    /* The cell before: of which column, and which put it was. */
    bool any;
    struct buf qualifier;
    int64_t last_ts_ms;
    uint64_t last_seq;
    uint8_t last_type;
};

/* ---- growing arrays ---- */

/* Room for one more element of `size` bytes, counted before it is taken. array: the address of the pointer to the first n. */
static int make_room(struct mvcc_tracker *t, void *array, size_t n, size_t *cap, size_t size, struct err *err) {
    if (n < *cap) return 0;
    size_t more = *cap ? *cap : 4;
    if (t->bytes + more * size > t->max_bytes)
        return err_set(err, ERR_LIMIT,
                       "NEW_VERSION_BEHAVIOR: its delete markers and versions take more than the %zu KB that a row may have: %s",
                       t->max_bytes >> 10, "give more --memory, or fewer --threads");
    if (grow_to(array, *cap + more, size, "delete markers", err)) return -1;
    t->bytes += more * size;
    *cap += more;
    return 0;
}

static void scope_free(struct mvcc_tracker *t, struct scope *s) {
    for (size_t i = 0; i < s->n_moments; i++) {
        t->bytes -= s->moments[i].cap * sizeof *s->moments[i].puts;
        free(s->moments[i].puts);
    }
    t->bytes -= s->cap_moments * sizeof *s->moments + s->cap_deletes * sizeof *s->deletes;
    free(s->moments);
    free(s->deletes);
}

static void scopes_clear(struct mvcc_tracker *t, struct scopes *s) {
    for (size_t i = 0; i < s->n; i++) scope_free(t, &s->all[i]);
    s->n = 0;
}

/* Returns how many elements of a falling array have a sequence id >= the given one: the last of them is the nearest. first: that
 * of the first element, and so many bytes further that of the next. */
static size_t count_from(const uint64_t *first, size_t bytes, size_t n, uint64_t seq) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (*(const uint64_t *)((const char *)first + mid * bytes) >= seq)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static size_t moments_from(const struct scope *s, uint64_t seq) {
    return s->n_moments ? count_from(&s->moments->seq, sizeof *s->moments, s->n_moments, seq) : 0;
}

static size_t scopes_from(const struct scopes *s, uint64_t seq) {
    return s->n ? count_from(&s->all->seq, sizeof *s->all, s->n, seq) : 0;
}

static int add_put(struct mvcc_tracker *t, struct mvcc_moment *m, uint64_t seq, struct err *err) {
    size_t i = m->n;
    while (i && m->puts[i - 1] > seq) i--;
    if (i && m->puts[i - 1] == seq) return 0;
    if (make_room(t, &m->puts, m->n, &m->cap, sizeof *m->puts, err)) return -1;
    uint64_t *p = m->puts;
    memmove(p + i + 1, p + i, (m->n - i) * sizeof *p);
    p[i] = seq;
    m->n++;
    return 0;
}

/* The moment before `seq`: visible is then what the next moment has seen with smaller ids. */
static int insert_moment(struct mvcc_tracker *t, struct scope *s, uint64_t seq, struct err *err) {
    size_t at = moments_from(s, seq);
    if (at && s->moments[at - 1].seq == seq) {
        struct mvcc_moment *m = &s->moments[at - 1];
        while (m->n && m->puts[m->n - 1] >= seq) m->n--;
        return 0;
    }
    if (make_room(t, &s->moments, s->n_moments, &s->cap_moments, sizeof *s->moments, err)) return -1;
    struct mvcc_moment *p = s->moments;
    memmove(p + at + 1, p + at, (s->n_moments - at) * sizeof *p);
    p[at] = (struct mvcc_moment){.seq = seq};
    s->n_moments++;
    for (size_t i = 0; at && i < p[at - 1].n && p[at - 1].puts[i] < seq; i++)
        if (add_put(t, &p[at], p[at - 1].puts[i], err)) return -1;
    return 0;
}

/* A scope begins without moments, as most of those that a column inherits end: each column of the row has all of them. */
static int need_moments(struct mvcc_tracker *t, struct scope *s, struct err *err) {
    return s->n_moments ? 0 : insert_moment(t, s, FOREVER, err);
}

static int add_moment(struct mvcc_tracker *t, struct scope *s, uint64_t seq, struct err *err) {
    return need_moments(t, s, err) || insert_moment(t, s, seq, err) ? -1 : 0;
}

/* end: seq, ts_ms and type count. *out stays valid until the next scope is added. */
static int add_scope(struct mvcc_tracker *t, struct scopes *s, const struct scope *end, struct scope **out, struct err *err) {
    uint64_t seq = end->seq;
    size_t at = scopes_from(s, seq);
    struct scope fresh = {.seq = seq, .ts_ms = end->ts_ms, .type = end->type};
    if (at && s->all[at - 1].seq == seq) {
        scope_free(t, &s->all[--at]);
    } else {
        if (make_room(t, &s->all, s->n, &s->cap, sizeof *s->all, err)) return -1;
        memmove(s->all + at + 1, s->all + at, (s->n - at) * sizeof *s->all);
        s->n++;
    }
    s->all[at] = fresh;
    if (out) *out = &s->all[at];
    return 0;
}

static int add_delete(struct mvcc_tracker *t, struct scope *s, int64_t ts_ms, uint64_t seq, struct err *err) {
    if (make_room(t, &s->deletes, s->n_deletes, &s->cap_deletes, sizeof *s->deletes, err)) return -1;
    s->deletes[s->n_deletes++] = (struct version_delete){ts_ms, seq};
    return add_moment(t, s, seq, err);
}

/* The family's scopes have seen no puts. They come in falling order, so each goes to the end. */
static int copy_scope(struct mvcc_tracker *t, const struct scope *from, struct scopes *to, struct err *err) {
    if (make_room(t, &to->all, to->n, &to->cap, sizeof *to->all, err)) return -1;
    struct scope *s = &to->all[to->n++];
    *s = (struct scope){.seq = from->seq, .ts_ms = from->ts_ms, .type = from->type};
    while (s->cap_deletes < from->n_deletes)
        if (make_room(t, &s->deletes, s->cap_deletes, &s->cap_deletes, sizeof *s->deletes, err)) return -1;
    while (s->cap_moments < from->n_moments)
        if (make_room(t, &s->moments, s->cap_moments, &s->cap_moments, sizeof *s->moments, err)) return -1;
    while (s->n_deletes < from->n_deletes) {
        s->deletes[s->n_deletes] = from->deletes[s->n_deletes];
        s->n_deletes++;
    }
    while (s->n_moments < from->n_moments) {
        s->moments[s->n_moments] = (struct mvcc_moment){.seq = from->moments[s->n_moments].seq};
        s->n_moments++;
    }
    s->n_inherited = s->n_deletes;
    return 0;
}

/* ---- life ---- */

struct mvcc_tracker *mvcc_tracker_new(uint64_t versions, size_t max_bytes, const struct stop *stop, struct err *err) {
    struct mvcc_tracker *t = calloc(1, sizeof *t);
    if (!t) {
        err_nomem(err, sizeof *t, "version rules");
        return NULL;
    }
    t->versions = versions;
    t->max_bytes = max_bytes;
    t->stop = stop;
    return t;
}

void mvcc_tracker_free(struct mvcc_tracker *t) {
    if (!t) return;
    scopes_clear(t, &t->family);
    scopes_clear(t, &t->column);
    free(t->family.all);
    free(t->column.all);
    buf_free(&t->qualifier);
    free(t);
}

void mvcc_tracker_begin_row(struct mvcc_tracker *t) {
    scopes_clear(t, &t->family);
    scopes_clear(t, &t->column);
    t->any = false;
    t->survivors = 0;
    t->last_type = 0;
    t->last_ts_ms = INT64_MIN;
}

/* ---- cells ---- */

static int need_family(struct mvcc_tracker *t, struct err *err) {
    return t->family.n ? 0 : add_scope(t, &t->family, &endless, NULL, err);
}

static int enter_column(struct mvcc_tracker *t, struct err *err) {
    t->survivors = 0;
    scopes_clear(t, &t->column);
    if (need_family(t, err)) return -1;
    for (size_t i = 0; i < t->family.n; i++)
        if (copy_scope(t, &t->family.all[i], &t->column, err)) return -1;
    return 0;
}

/* HBase takes the column with the empty qualifier, always the first of a row, for the one it is in already, so that the
 * family's markers are not copied for it; only a column marker as the very first cell makes it look. */
static bool is_new_column(const struct mvcc_tracker *t, const struct cell *c) {
    if (t->any) return !bytes_eq(c->qualifier, buf_bytes(&t->qualifier));
    return c->qualifier.n || c->type == CELL_DELETE_COLUMN || c->type == CELL_DELETE;
}

/* A part of a row with thousands of markers takes seconds. */
static int look_for_stop(struct mvcc_tracker *t, struct err *err) {
    enum { BYTES_BETWEEN_LOOKS = 1 << 20 };
    if ((t->passed += t->bytes) < BYTES_BETWEEN_LOOKS) return 0;
    t->passed = 0;
    return stop_check_seldom(t->stop, &t->looked_ms, err);
}

/* *twin: sequence id of the put before, when it has the same key; else FOREVER. */
static int enter_cell(struct mvcc_tracker *t, const struct cell *c, uint64_t *twin, struct err *err) {
    *twin = FOREVER;
    if (look_for_stop(t, err)) return -1;
    if (is_new_column(t, c)) {
        if (enter_column(t, err)) return -1;
    } else if (!cell_is_delete(t->last_type) && t->last_type == c->type && t->last_ts_ms == c->ts_ms) {
        *twin = t->last_seq;
        return 0;
    }
    t->any = true;
    t->last_ts_ms = c->ts_ms;
    t->last_seq = c->seq;
    t->last_type = c->type;
    return buf_copy(&t->qualifier, c->qualifier, err);
}

uint64_t mvcc_tracker_count(struct mvcc_tracker *t) {
    return ++t->survivors;
}

static int delete_version(struct mvcc_tracker *t, struct scopes *scopes, const struct cell *c, struct err *err) {
    size_t n = scopes_from(scopes, c->seq);
    struct scope *s = n ? &scopes->all[n - 1] : NULL;
    /* Without a scope HBase fails: see docs/compaction-rules.md. */
    if (!s && add_scope(t, scopes, &endless, &s, err)) return -1;
    return add_delete(t, s, c->ts_ms, c->seq, err);
}

int mvcc_tracker_mark(struct mvcc_tracker *t, const struct cell *c, struct err *err) {
    uint64_t twin;
    const struct scope end = {.seq = c->seq, .ts_ms = c->ts_ms, .type = c->type};
    if (enter_cell(t, c, &twin, err) || need_family(t, err)) return -1;
    switch (c->type) {
    case CELL_DELETE_FAMILY: return add_scope(t, &t->family, &end, NULL, err);
    case CELL_DELETE_FAMILY_VERSION: return delete_version(t, &t->family, c, err);
    case CELL_DELETE_COLUMN: return add_scope(t, &t->column, &end, NULL, err);
    default: return delete_version(t, &t->column, c, err);
    }
}

/* The earliest of deletes[from, to), by falling timestamp, that hit exactly this version after it was written. */
static uint64_t earliest_delete(const struct scope *s, size_t from, size_t to, const struct cell *c) {
    uint64_t first = FOREVER;
    size_t lo = from, hi = to;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (s->deletes[mid].ts_ms > c->ts_ms)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < to && s->deletes[lo].ts_ms == c->ts_ms; lo++)
        if (s->deletes[lo].seq >= c->seq && s->deletes[lo].seq < first) first = s->deletes[lo].seq;
    return first;
}

/* Returns the sequence id at which a marker of the family, or one of the column, deletes the cell. */
static uint64_t deleted_at(const struct scope *s, const struct cell *c, uint8_t *marker) {
    uint64_t a = earliest_delete(s, 0, s->n_inherited, c), b = earliest_delete(s, s->n_inherited, s->n_deletes, c);
    *marker = a < b ? CELL_DELETE_FAMILY_VERSION : CELL_DELETE;
    return a < b ? a : b;
}

/* Counts c in all moments from its own to `until`. 1 it fits, 0 newer versions fill one of them, -1 error. */
static int count_version(struct mvcc_tracker *t, struct scope *s, const struct cell *c, uint64_t until, struct err *err) {
    if (t->versions == UINT64_MAX) return 1;
    if (need_moments(t, s, err)) return -1;
    for (size_t i = moments_from(s, c->seq); i-- && s->moments[i].seq <= until;) {
        if (s->moments[i].n >= t->versions) return 0;
        if (add_put(t, &s->moments[i], c->seq, err)) return -1;
    }
    return 1;
}

int mvcc_tracker_judge(struct mvcc_tracker *t, const struct cell *c, enum mvcc_verdict *verdict, uint8_t *marker,
                       struct err *err) {
    uint64_t twin;
    if (enter_cell(t, c, &twin, err)) return -1;
    for (size_t i = scopes_from(&t->column, c->seq); i--;) {
        struct scope *s = &t->column.all[i];
        uint64_t gone = deleted_at(s, c, marker);
        int fits = count_version(t, s, c, twin < gone ? twin : gone, err);
        if (fits < 0) return -1;
        *verdict = fits ? MVCC_DELETED : MVCC_MASKED;
        if (!fits || gone < FOREVER) return 0;
        *marker = s->type;
        if (c->ts_ms <= s->ts_ms) return 0;
    }
    *verdict = twin < FOREVER ? MVCC_TWIN : MVCC_VISIBLE;
    return 0;
}
