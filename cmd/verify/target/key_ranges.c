/* Ranges of a primary key with the sums of their rows. The list is bounded: when it is full, neighbours are added up in pairs and
 * ranges hold twice as many rows from then on. */

#include "cmd/oceanbase/statements.h"
#include "cmd/verify/target/key_ranges.h"

#include <stdlib.h>
#include <string.h>

/* Two neighbours become one. */
static void halve_ranges(struct key_ranges *r) {
    for (size_t i = 0; i < r->n; i += 2) {
        struct key_range a = r->list[i];
        if (i + 1 < r->n) {
            cell_sums_add(&a.sums, &r->list[i + 1].sums);
            buf_free(&r->list[i + 1].key);
        }
        r->list[i / 2] = a;
    }
    r->n = (r->n + 1) / 2;
    r->rows_each *= 2;
}

static int begin_range(struct key_ranges *r, const struct kqvt_row *row, struct err *err) {
    if (!r->list && !(r->list = calloc(KEY_RANGES_MAX, sizeof *r->list)))
        return err_nomem(err, KEY_RANGES_MAX * sizeof *r->list, "ranges of keys");
    if (!r->rows_each) r->rows_each = KEY_RANGE_ROWS;
    if (r->n == KEY_RANGES_MAX) halve_ranges(r);
    struct key_range *k = &r->list[r->n];
    *k = (struct key_range){.k_bytes = row->k.n, .t = row->t};
    k->row_begins = !r->n || !bytes_eq(buf_bytes(&r->last_key), row->k);
    r->n++;
    return buf_put(&k->key, row->k.p, row->k.n, err) || buf_put(&k->key, row->q.p, row->q.n, err) ? -1 : 0;
}

int key_ranges_add(struct key_ranges *r, const struct kqvt_row *row, const struct cell_sums_opts *o, struct err *err) {
    bool full = !r->n || r->list[r->n - 1].sums.rows >= r->rows_each;
    if (full && begin_range(r, row, err)) return -1;
    cell_sums_row(&r->list[r->n - 1].sums, row, o);
    return r->list[r->n - 1].sums.rows >= r->rows_each ? buf_copy(&r->last_key, row->k, err) : 0;
}

struct cell_sums key_ranges_sums(const struct key_ranges *r, size_t first, size_t end) {
    struct cell_sums s = {0};
    for (size_t i = first; i < end; i++) cell_sums_add(&s, &r->list[i].sums);
    return s;
}

/* (K, Q, T) >= the key, or < it, in words that let the database use its index by K. */
static int put_bound(struct buf *out, const struct key_range *k, bool from, struct err *err) {
    struct bytes row = {k->key.p, k->k_bytes}, q = {k->key.p + k->k_bytes, k->key.n - k->k_bytes};
    const char *strict = from ? ">" : "<";
    if (buf_printf(out, err, "K %s", k->row_begins ? (from ? ">= " : "< ") : (from ? ">= " : "<= ")) ||
        sql_put_hex(out, row, err))
        return -1;
    if (k->row_begins) return 0;
    if (buf_printf(out, err, " AND (K %s ", strict) || sql_put_hex(out, row, err) || buf_printf(out, err, " OR Q %s ", strict) ||
        sql_put_hex(out, q, err) || buf_printf(out, err, " OR (Q = ") || sql_put_hex(out, q, err))
        return -1;
    return buf_printf(out, err, " AND T %s %lld))", from ? ">=" : "<", (long long)k->t);
}

int key_ranges_where(const struct key_ranges *r, size_t first, size_t end, struct buf *out, struct err *err) {
    out->n = 0;
    bool open = first == 0, closed = end < r->n;
    if (open && !closed && buf_printf(out, err, "1 = 1")) return -1;
    if (!open && put_bound(out, &r->list[first], true, err)) return -1;
    if (!open && closed && buf_printf(out, err, " AND ")) return -1;
    if (closed && put_bound(out, &r->list[end], false, err)) return -1;
    return buf_put_byte(out, 0, err);
}

void key_ranges_free(struct key_ranges *r) {
    for (size_t i = 0; i < r->n; i++) buf_free(&r->list[i].key);
    free(r->list);
    buf_free(&r->last_key);
    *r = (struct key_ranges){0};
}
