/* The rows of one partition in which an export and a target differ: the partition is cut into ranges of its primary key with the
 * sums of their rows (key_ranges.c), and the database is asked for the sums of ever smaller ranges.
 *
 *   sums of all differ -> sums of 16 parts: those that differ again in 16 parts -> … -> a range of few rows: row beside row */
#include "cmd/verify/target/compare.h"

#include "cmd/oceanbase/check_sql.h"
#include "cmd/oceanbase/statements.h"
#include "cmd/verify/target/find_rows.h"
#include "cmd/verify/target/key_ranges.h"

#include <libdeflate.h>
#include <md5.h>
#include <stdlib.h>
#include <string.h>

enum { FAN_OUT = 16 };

struct descent {
    struct connection *c;
    const struct descend_opts *o;
    struct key_ranges ranges;
    bool *differs; /* by range */
    struct buf where;
    /* merging: the local side */
    struct load_rows *local;
    const struct kqvt_row *row; /* NULL: none is at hand */
    uint64_t at, end;           /* rows taken so far; where the ranges at hand end */
    /* the column of the last row that both sides have, and how many of its rows a client sees */
    struct buf column;
    size_t column_k;
    uint64_t versions;
};

/* ---- ranges that differ ---- */

static int build_ranges(struct descent *d, struct err *err) {
    struct load_rows *rows = load_rows_open(&d->o->rows, err);
    const struct kqvt_row *row;
    int got = rows ? 1 : -1;
    while (got > 0 && (got = load_rows_next(rows, &row, err)) > 0)
        if (stop_check(d->o->compare->stop, err) || key_ranges_add(&d->ranges, row, &d->o->place.opts, err)) got = -1;
    load_rows_close(rows);
    struct cell_sums all = key_ranges_sums(&d->ranges, 0, d->ranges.n);
    if (got < 0 || load_rows_check(&d->o->rows, &all, err)) return -1;
    d->differs = calloc(d->ranges.n ? d->ranges.n : 1, sizeof *d->differs);
    return d->differs ? 0 : err_nomem(err, d->ranges.n, "ranges of keys");
}

static int mark(struct descent *d, size_t first, size_t end, struct err *err);

/* first … end - 1 are known to differ. */
static int mark_parts(struct descent *d, size_t first, size_t end, struct err *err) {
    if (end - first <= 1) {
        d->differs[first] = true;
        return 0;
    }
    size_t step = (end - first + FAN_OUT - 1) / FAN_OUT;
    for (size_t i = first; i < end; i += step)
        if (mark(d, i, i + step < end ? i + step : end, err)) return -1;
    return 0;
}

static int mark(struct descent *d, size_t first, size_t end, struct err *err) {
    struct cell_sums there, here = key_ranges_sums(&d->ranges, first, end);
    if (stop_check(d->o->compare->stop, err) || key_ranges_where(&d->ranges, first, end, &d->where, err)) return -1;
    if (sums_query(d->c, &d->o->place, (char *)d->where.p, &there, err)) return -1;
    return cell_sums_eq(&here, &there) ? 0 : mark_parts(d, first, end, err);
}

/* ---- rows of a stretch of ranges, both sides in the order of the key ---- */

bool target_row_expired(const struct family *f, int64_t now_ms, const struct kqvt_row *row) {
    __int128 ts = -(__int128)row->t, now = now_ms;
    return (f->rules.ttl_s > 0 && ts + (__int128)f->rules.ttl_s * 1000 < now) || (row->has_ttl && ts + row->ttl_ms < now);
}

static bool is_expired(const struct descent *d, const struct kqvt_row *row) {
    return target_row_expired(&d->o->rows.m->table.families[d->o->rows.family], d->o->compare->now_ms, row);
}

static struct compare_side local_side(const struct kqvt_row *row) {
    return (struct compare_side){value_head_of(row->v, row->v.n), row->has_ttl, row->ttl_ms};
}

struct compare_side target_side(const struct target_row *b) {
    const uint64_t bytes = b->value_bytes == UINT64_MAX ? 0 : b->value_bytes;
    return (struct compare_side){value_head_of(b->value_head, bytes), b->row.has_ttl, b->row.ttl_ms};
}

static int report_finding(struct descent *d, enum compare_kind kind, const struct kqvt_row *row, struct compare_side a,
                          struct compare_side b, struct err *err) {
    if (kind != COMPARE_CHANGED && is_expired(d, row)) {
        ++*d->o->expired;
        return 0;
    }
    struct compare_finding f = {kind, d->o->rows.family, d->o->rows.partition, row->k, row->q, row->t, a, b};
    return d->o->found(d->o->arg, &f, err);
}

/* The next local row of the stretch into d->row; NULL when there is none. */
static int peek_local(struct descent *d, struct err *err) {
    if (d->row || d->at >= d->end) return 0;
    int got = load_rows_next(d->local, &d->row, err);
    if (got > 0) return 0;
    d->row = NULL;
    return got < 0 ? -1 : err_set(err, ERR_INPUT, "load files changed while they were compared");
}

static void take_local(struct descent *d) {
    d->row = NULL;
    d->at++;
}

static bool in_column(const struct descent *d, const struct kqvt_row *row) {
    struct bytes all = buf_bytes(&d->column), k = {all.p, d->column_k}, q = {all.p + k.n, all.n - k.n};
    return all.n && bytes_eq(k, row->k) && bytes_eq(q, row->q);
}

/* The target has this row as well. */
static int take_both(struct descent *d, struct err *err) {
    const struct kqvt_row *row = d->row;
    if (!in_column(d, row)) {
        buf_clear(&d->column);
        d->versions = 0;
        d->column_k = row->k.n;
        if (buf_put(&d->column, row->k.p, row->k.n, err) || buf_put(&d->column, row->q.p, row->q.n, err)) return -1;
    }
    d->versions += !is_expired(d, row);
    take_local(d);
    return 0;
}

static uint64_t target_bytes(const struct target_row *b) {
    return b->row.k.n + b->row.q.n + target_side(b).value.bytes;
}

static uint64_t local_bytes(const struct kqvt_row *a) {
    return a->k.n + a->q.n + a->v.n;
}

/* A row of the target alone: no client sees it below as many newer ones as the table shows. */
static int meet_extra(struct descent *d, const struct target_row *b, struct err *err) {
    const struct family_rules *r = &d->o->rows.m->table.families[d->o->rows.family].rules;
    d->o->more->rows++;
    d->o->more->bytes += target_bytes(b);
    if (r->versions_given && in_column(d, &b->row) && d->versions >= r->versions) {
        ++*d->o->hidden;
        return 0;
    }
    return report_finding(d, COMPARE_EXTRA, &b->row, (struct compare_side){0}, target_side(b), err);
}

void target_value_sum(struct bytes value, bool strong, char sum[VALUE_SUM_BYTES]) {
    const uint8_t *v = value.n ? value.p : (const uint8_t *)"";
    _Static_assert(VALUE_SUM_BYTES >= MD5_DIGEST_STRING_LENGTH, "an MD5 in hex");
    if (strong)
        MD5Data(v, value.n, sum);
    else
        snprintf(sum, VALUE_SUM_BYTES, "%u", (unsigned)libdeflate_crc32(0, v, value.n));
}

static bool same_value(const struct descent *d, const struct target_row *b) {
    const struct kqvt_row *a = d->row;
    char sum[VALUE_SUM_BYTES];
    if (b->value_bytes != a->v.n || a->has_ttl != b->row.has_ttl || (a->has_ttl && a->ttl_ms != b->row.ttl_ms)) return false;
    target_value_sum(a->v, d->o->place.opts.strong, sum);
    return bytes_eq(bytes_str(sum), b->value_sum);
}

static int missing(struct descent *d, struct err *err) {
    int rc = report_finding(d, COMPARE_MISSING, d->row, local_side(d->row), (struct compare_side){0}, err);
    d->o->more->rows--;
    d->o->more->bytes -= local_bytes(d->row);
    take_local(d);
    return rc;
}

/* A row of the target: what is before it on our side is missing there. */
static int meet_row(struct descent *d, const struct target_row *b, struct err *err) {
    for (;;) {
        if (peek_local(d, err)) return -1;
        int order = d->row ? load_rows_compare(d->row, &b->row) : 1;
        if (order > 0) return meet_extra(d, b, err);
        if (order < 0) {
            if (missing(d, err)) return -1;
            continue;
        }
        d->o->more->bytes += target_bytes(b) - local_bytes(d->row);
        int rc = same_value(d, b) ? 0 : report_finding(d, COMPARE_CHANGED, d->row, local_side(d->row), target_side(b), err);
        return rc || take_both(d, err) ? -1 : 0;
    }
}

int target_row_parse(const struct bytes *f, unsigned n, struct target_row *out, struct err *err) {
    u128 bytes;
    bool good = n >= 6 && f[0].p && f[1].p && f[2].p;
    *out = (struct target_row){.value_bytes = UINT64_MAX};
    if (good) {
        out->row.k = f[0];
        out->row.q = f[1];
        out->value_sum = f[4];
        out->value_head = f[5];
    }
    good = good && decimal_parse_i64(f[2], &out->row.t);
    if (good && f[3].p) good = decimal_parse_u128(f[3], &bytes);
    if (good && f[3].p) out->value_bytes = (uint64_t)bytes;
    if (good && n > 6 && f[6].p) good = out->row.has_ttl = decimal_parse_i64(f[6], &out->row.ttl_ms);
    return good ? 0 : err_set(err, ERR_INTERNAL, "the database's answer to a query for rows is malformed");
}

static int take_remote(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct target_row b;
    return target_row_parse(f, n, &b, err) ? -1 : meet_row(arg, &b, err);
}

int target_rows_put_query(struct buf *sql, const struct sums_place *p, struct bytes where, struct err *err) {
    if (buf_printf(sql, err, "SELECT K, Q, T, LENGTH(V), %s, LEFT(V, %d)%s FROM ", p->opts.strong ? "MD5(V)" : "CRC32(V)",
                   VALUE_HEAD_BYTES, p->opts.ttl_column ? ", TTL" : "") ||
        sql_put_name(sql, p->table, err))
        return -1;
    if (p->partition &&
        (buf_printf(sql, err, " PARTITION (") || sql_put_name(sql, p->partition, err) || buf_put_byte(sql, ')', err)))
        return -1;
    if (check_sql_put_snapshot(sql, p->snapshot, err)) return -1;
    return buf_printf(sql, err, " WHERE ") || buf_put(sql, where.p, where.n, err) ? -1 : 0;
}

static int put_rows_query(const struct descent *d, struct buf *sql, struct err *err) {
    struct bytes where = bytes_of(d->where.p, d->where.n - 1); /* it ends in a NUL */
    if (target_rows_put_query(sql, &d->o->place, where, err)) return -1;
    return buf_printf(sql, err, " ORDER BY K, Q, T") || buf_put_byte(sql, 0, err) ? -1 : 0;
}

static int merge_stretch(struct descent *d, size_t first, size_t end, struct err *err) {
    struct buf sql = {0};
    d->end = d->at + key_ranges_sums(&d->ranges, first, end).rows;
    int rc = key_ranges_where(&d->ranges, first, end, &d->where, err);
    if (!rc) rc = put_rows_query(d, &sql, err);
    if (!rc) rc = connection_rows(d->c, (char *)sql.p, take_remote, d, err);
    buf_free(&sql);
    while (!rc && d->at < d->end) rc = peek_local(d, err) || missing(d, err) ? -1 : 0;
    return rc;
}

static int skip_local(struct descent *d, uint64_t rows, struct err *err) {
    for (d->end = d->at + rows; d->at < d->end;)
        if (peek_local(d, err) || take_both(d, err)) return -1;
    return 0;
}

static int merge_sides(struct descent *d, struct err *err) {
    d->local = load_rows_open(&d->o->rows, err);
    if (!d->local) return -1;
    if (!d->ranges.n) return merge_stretch(d, 0, 0, err);
    for (size_t i = 0, end; i < d->ranges.n; i = end) {
        for (end = i + 1; end < d->ranges.n && d->differs[end] == d->differs[i];) end++;
        if (stop_check(d->o->compare->stop, err)) return -1;
        int rc = d->differs[i] ? merge_stretch(d, i, end, err) : skip_local(d, key_ranges_sums(&d->ranges, i, end).rows, err);
        if (rc) return -1;
    }
    return 0;
}

int descend_run(struct connection *c, const struct descend_opts *o, struct err *err) {
    struct descent d = {.c = c, .o = o};
    int rc = build_ranges(&d, err);
    if (!rc && d.ranges.n) rc = mark_parts(&d, 0, d.ranges.n, err);
    if (!rc) rc = merge_sides(&d, err);
    load_rows_close(d.local);
    key_ranges_free(&d.ranges);
    free(d.differs);
    buf_free(&d.where);
    buf_free(&d.column);
    return rc;
}
