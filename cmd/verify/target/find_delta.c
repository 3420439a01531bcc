/* Finds what a target has made of one partition of a delta. Its puts are looked up by their keys, some hundred in a query, and
 * the rows that its statements would delete are asked for by the same conditions: nothing of either may be there, unless the
 * delta itself puts it (NEW_VERSION_BEHAVIOR lets a put survive a marker that was written before). */
#include "cmd/oceanbase/delete_lines.h"
#include "cmd/oceanbase/export_deletes.h"
#include "cmd/oceanbase/statements.h"
#include "cmd/verify/target/compare.h"
#include "cmd/verify/target/find_rows.h"

#include <stdlib.h>
#include <xxhash.h>

enum { BATCH_ROWS = 500, BATCH_BYTES = 1 << 20 };

/* A row that the delta puts, until the target has answered. */
struct put {
    size_t at; /* K and Q in keys */
    struct kqvt_row row;
    struct value_head value;
    char sum[VALUE_SUM_BYTES];
    bool met;
};

struct lookup {
    struct connection *c;
    const struct delta_opts *o;
    struct compare_partition *p;
    struct buf keys, sql;
    struct put batch[BATCH_ROWS];
    size_t n;
    uint64_t *all; /* hashes of all keys, ascending once all are there; only where a put may survive a marker */
    size_t n_all;
    bool survives;
};

static const struct family *family_of(const struct lookup *l) {
    return &l->o->rows.m->table.families[l->o->rows.family];
}

static uint64_t hash_key(const struct kqvt_row *row) {
    return XXH3_64bits_withSeed(row->k.p, row->k.n, XXH3_64bits_withSeed(row->q.p, row->q.n, (uint64_t)row->t));
}

static int report_finding(struct lookup *l, enum compare_kind kind, const struct kqvt_row *row, struct compare_side a,
                          struct compare_side b, struct err *err) {
    struct compare_finding f = {kind, l->o->rows.family, l->o->rows.partition, row->k, row->q, row->t, a, b};
    return l->o->found(l->o->arg, &f, err);
}

/* ---- puts ---- */

static struct compare_side side_of_put(const struct put *put) {
    return (struct compare_side){put->value, put->row.has_ttl, put->row.ttl_ms};
}

static bool is_changed(const struct put *a, const struct target_row *b) {
    return a->value.bytes != b->value_bytes || !bytes_eq(bytes_str(a->sum), b->value_sum) || a->row.has_ttl != b->row.has_ttl ||
           (a->row.has_ttl && a->row.ttl_ms != b->row.ttl_ms);
}

static int compare_put(const void *key, const void *put) {
    return load_rows_compare(key, &((const struct put *)put)->row);
}

static int meet_row(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct lookup *l = arg;
    struct target_row b;
    if (target_row_parse(f, n, &b, err)) return -1;
    struct put *put = bsearch(&b.row, l->batch, l->n, sizeof *put, compare_put);
    if (!put) return err_set(err, ERR_INTERNAL, "the database's answer has a row that was not requested");
    put->met = true;
    l->p->b.rows++;
    return is_changed(put, &b) ? report_finding(l, COMPARE_CHANGED, &put->row, side_of_put(put), target_side(&b), err) : 0;
}

/* Newer versions than the table shows: the server may have removed it. */
static int is_hidden(struct lookup *l, const struct kqvt_row *row, bool *hidden, struct err *err) {
    const struct family_rules *r = &family_of(l)->rules;
    struct sums_place newer = l->o->place;
    struct buf where = {0};
    uint64_t rows = 0;
    *hidden = false;
    if (!r->versions_given || r->versions == UINT32_MAX) return 0;
    int rc = buf_printf(&where, err, "K = ") || sql_put_hex(&where, row->k, err) || buf_printf(&where, err, " AND Q = ") ||
                     sql_put_hex(&where, row->q, err) || buf_printf(&where, err, " AND T < %lld", (long long)row->t) ||
                     buf_put_byte(&where, 0, err)
                 ? -1
                 : 0;
    struct cell_sums sums = {0};
    if (!rc) rc = sums_query(l->c, &newer, (char *)where.p, &sums, err);
    rows = sums.rows;
    buf_free(&where);
    *hidden = !rc && rows >= r->versions;
    return rc;
}

static int note_missing(struct lookup *l, const struct put *put, struct err *err) {
    bool hidden;
    if (target_row_expired(family_of(l), l->o->compare->now_ms, &put->row)) {
        l->p->expired++;
        return 0;
    }
    if (is_hidden(l, &put->row, &hidden, err)) return -1;
    l->p->hidden += hidden;
    return hidden ? 0 : report_finding(l, COMPARE_MISSING, &put->row, side_of_put(put), (struct compare_side){0}, err);
}

static int put_query(struct lookup *l, struct err *err) {
    struct buf where = {0};
    int rc = buf_printf(&where, err, "(K, Q, T) IN (");
    for (size_t i = 0; !rc && i < l->n; i++)
        rc = buf_printf(&where, err, i ? ", (" : "(") || sql_put_hex(&where, l->batch[i].row.k, err) ||
             buf_printf(&where, err, ", ") || sql_put_hex(&where, l->batch[i].row.q, err) ||
             buf_printf(&where, err, ", %lld)", (long long)l->batch[i].row.t);
    if (!rc) rc = buf_put_byte(&where, ')', err);
    buf_clear(&l->sql);
    if (!rc) rc = target_rows_put_query(&l->sql, &l->o->place, buf_bytes(&where), err) || buf_put_byte(&l->sql, 0, err) ? -1 : 0;
    buf_free(&where);
    return rc;
}

static int query_batch(struct lookup *l, struct err *err) {
    if (!l->n) return 0;
    for (size_t i = 0; i < l->n; i++) {
        struct kqvt_row *row = &l->batch[i].row;
        row->k.p = l->keys.p + l->batch[i].at;
        row->q.p = row->k.p + row->k.n;
    }
    if (put_query(l, err) || connection_rows(l->c, (char *)l->sql.p, meet_row, l, err)) return -1;
    for (size_t i = 0; i < l->n; i++)
        if (!l->batch[i].met && note_missing(l, &l->batch[i], err)) return -1;
    l->n = 0;
    buf_clear(&l->keys);
    return 0;
}

static int add_put(struct lookup *l, const struct kqvt_row *row, struct err *err) {
    struct put *put = &l->batch[l->n];
    *put = (struct put){.at = l->keys.n, .row = *row, .value = value_head_of(row->v, row->v.n)};
    target_value_sum(row->v, l->o->place.opts.strong, put->sum);
    if (l->survives && grow_array(&l->all, l->n_all, sizeof *l->all, "the keys of a delta", err)) return -1;
    if (l->survives) l->all[l->n_all++] = hash_key(row);
    if (buf_put(&l->keys, row->k.p, row->k.n, err) || buf_put(&l->keys, row->q.p, row->q.n, err)) return -1;
    l->n++;
    return l->n == BATCH_ROWS || l->keys.n >= BATCH_BYTES ? query_batch(l, err) : 0;
}

static int find_puts(struct lookup *l, struct err *err) {
    struct load_rows *rows = load_rows_open(&l->o->rows, err);
    struct cell_sums sums = {0};
    const struct kqvt_row *row;
    int got = rows ? 1 : -1;
    while (got > 0 && (got = load_rows_next(rows, &row, err)) > 0) {
        cell_sums_row(&sums, row, &l->o->place.opts);
        if (stop_check(l->o->compare->stop, err) || add_put(l, row, err)) got = -1;
    }
    load_rows_close(rows);
    l->p->a = sums;
    return got < 0 || load_rows_check(&l->o->rows, &sums, err) || query_batch(l, err) ? -1 : 0;
}

/* ---- markers ---- */

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int take_left(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct lookup *l = arg;
    struct target_row b;
    if (target_row_parse(f, n, &b, err)) return -1;
    uint64_t key = l->survives ? hash_key(&b.row) : 0;
    if (l->n_all && bsearch(&key, l->all, l->n_all, sizeof key, by_number)) return 0;
    return report_finding(l, COMPARE_LEFT, &b.row, (struct compare_side){0}, target_side(&b), err);
}

static int find_left(struct lookup *l, struct err *err) {
    const struct export_manifest *m = l->o->rows.m;
    const struct export_delete_file *f = export_deletes_of(&m->deletes, l->o->rows.family, l->o->rows.partition);
    struct delete_lines *lines = f ? delete_lines_open(l->o->rows.dir, m, f, l->o->compare->stop, err) : NULL;
    struct bytes where;
    int more = lines ? 1 : f ? -1 : 0;
    if (l->n_all) qsort(l->all, l->n_all, sizeof *l->all, by_number);
    while (more == 1 && (more = delete_lines_next(lines, &where, err)) == 1) {
        if (delete_sql_is_surplus(where)) continue; /* puts of the delta may have hidden others since */
        buf_clear(&l->sql);
        if (target_rows_put_query(&l->sql, &l->o->place, where, err) || buf_put_byte(&l->sql, 0, err) ||
            connection_rows(l->c, (char *)l->sql.p, take_left, l, err))
            more = -1;
    }
    delete_lines_close(lines);
    return more;
}

int delta_find(struct connection *c, const struct delta_opts *o, struct compare_partition *p, struct err *err) {
    struct lookup *l = calloc(1, sizeof *l);
    if (!l) return err_nomem(err, sizeof *l, "a comparison");
    *l = (struct lookup){.c = c, .o = o, .p = p};
    l->survives = family_of(l)->rules.new_version_behavior;
    int rc = find_puts(l, err) || find_left(l, err) ? -1 : 0;
    buf_free(&l->keys);
    buf_free(&l->sql);
    free(l->all);
    free(l);
    return rc;
}
