/* Reads the rows of a partition over one connection and in one statement. A connection that is lost is made again, and the
 * statement asks for what follows the last row: at the same moment, if the server can read as of one. So a restart of the server
 * costs as much as what it has not sent yet.
 *
 *     K, Q, T … ─┤ lost ├─ SELECT … WHERE (K, Q, T) > the last one ORDER BY K, Q, T ─> the rest */
#include "cmd/oceanbase/table_rows.h"

#include "base/buf.h"
#include "base/plain.h"
#include "base/text.h"
#include "cmd/oceanbase/check_sql.h"
#include "cmd/oceanbase/pool.h"
#include "cmd/oceanbase/statements.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

struct table_rows {
    struct table_rows_opts o;
    struct connection *c;
    pthread_mutex_t lock; /* of c, as others see it */
    bool interrupted;
    bool asked;
    struct buf key; /* K and Q of the last row */
    size_t key_k;
    int64_t t;
    bool any;         /* there is a last row */
    unsigned attempt; /* since the last row */
};

struct table_rows *table_rows_open(const struct table_rows_opts *o, struct err *err) {
    struct table_rows *r = calloc(1, sizeof *r);
    if (!r) {
        err_nomem(err, sizeof *r, "rows of a table");
        return NULL;
    }
    r->o = *o;
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

static void set_connection(struct table_rows *r, struct connection *c) {
    pthread_mutex_lock(&r->lock);
    struct connection *old = r->c;
    r->c = c;
    if (c && r->interrupted) connection_interrupt(c);
    pthread_mutex_unlock(&r->lock);
    if (!c) connection_close(old);
}

void table_rows_interrupt(struct table_rows *r) {
    pthread_mutex_lock(&r->lock);
    r->interrupted = true;
    if (r->c) connection_interrupt(r->c);
    pthread_mutex_unlock(&r->lock);
}

void table_rows_close(struct table_rows *r) {
    if (!r) return;
    set_connection(r, NULL);
    pthread_mutex_destroy(&r->lock);
    buf_free(&r->key);
    free(r);
}

/* ---- the statement ---- */

/* (K, Q, T) > the last row, in words that let the server use its index by K. */
static int put_after(const struct table_rows *r, struct buf *sql, struct err *err) {
    const struct bytes k = {r->key.p, r->key_k}, q = {r->key.p + r->key_k, r->key.n - r->key_k};
    if (buf_printf(sql, err, " WHERE K >= ") || sql_put_hex(sql, k, err) || buf_printf(sql, err, " AND (K > ") ||
        sql_put_hex(sql, k, err) || buf_printf(sql, err, " OR Q > ") || sql_put_hex(sql, q, err) ||
        buf_printf(sql, err, " OR (Q = ") || sql_put_hex(sql, q, err))
        return -1;
    return buf_printf(sql, err, " AND T > %lld))", (long long)r->t);
}

static int put_query(const struct table_rows *r, struct buf *sql, struct err *err) {
    const struct table_rows_opts *o = &r->o;
    if (buf_printf(sql, err, "SELECT K, Q, T, V%s FROM ", o->ttl_column ? ", TTL" : "") || sql_put_name(sql, o->table, err))
        return -1;
    if (o->partition &&
        (buf_printf(sql, err, " PARTITION (") || sql_put_name(sql, o->partition, err) || buf_put_byte(sql, ')', err)))
        return -1;
    if (check_sql_put_snapshot(sql, o->snapshot, err) || (r->any && put_after(r, sql, err))) return -1;
    return buf_printf(sql, err, " ORDER BY K, Q, T") || buf_put_byte(sql, 0, err) ? -1 : 0;
}

static int ask(struct table_rows *r, unsigned *number, struct err *err) {
    struct buf sql = {0};
    struct connection *c = connection_open(r->o.login, number, err);
    if (!c) return -1;
    set_connection(r, c);
    int rc = put_query(r, &sql, err);
    if (!rc && (rc = connection_query(c, (char *)sql.p, err))) *number = connection_error(c);
    buf_free(&sql);
    r->asked = !rc;
    return rc;
}

/* ---- rows ---- */

/* Names the row after which reading has failed. */
static int name_place(const struct table_rows *r, struct err *err) {
    char k[120], q[80];
    if (!r->any) return -1;
    const struct bytes row = {r->key.p, r->key_k}, column = {r->key.p + r->key_k, r->key.n - r->key_k};
    return err_prefix(err, "after row '%s', column '%s', T %lld", plain_text(row, k, sizeof k), plain_text(column, q, sizeof q),
                      (long long)r->t);
}

static int refuse(const struct bytes *f, const char *why, struct err *err) {
    char k[120];
    return err_set(err, ERR_INPUT, "row '%s': %s, which no cell of HBase is; correct or delete this row of the table",
                   plain_text(f[0], k, sizeof k), why);
}

static int take(struct table_rows *r, const struct bytes *f, struct kqvt_row *row, struct err *err) {
    *row = (struct kqvt_row){.k = f[0], .q = f[1], .v = f[3]};
    if (!f[0].p || !f[1].p) return refuse(f, "K or Q is NULL", err);
    if (!f[3].p) return refuse(f, "V is NULL", err);
    if (!f[2].p || !decimal_parse_i64(f[2], &row->t) || row->t == INT64_MIN) return refuse(f, "T is no timestamp", err);
    if (f[4].p && !(row->has_ttl = decimal_parse_i64(f[4], &row->ttl_ms))) return refuse(f, "TTL is no number", err);
    r->key.n = 0;
    r->key_k = row->k.n;
    r->t = row->t;
    r->any = true;
    r->attempt = 0;
    return buf_put(&r->key, row->k.p, row->k.n, err) || buf_put(&r->key, row->q.p, row->q.n, err) ? -1 : 1;
}

/* Waits before a further attempt: 0, or -1: a stop was requested. */
static int back_off(const struct table_rows *r, struct err *err) {
    struct pollfd p = {.fd = r->o.stop ? r->o.stop->fd : -1, .events = POLLIN};
    (void)poll(&p, 1, (int)pool_wait_s(r->attempt - 1) * 1000); /* an early end only makes the next attempt come sooner */
    return stop_check(r->o.stop, err);
}

/* Returns whether to ask again: 1, or -1 with the error. */
static int fail(struct table_rows *r, unsigned number, const struct err *own, struct err *err) {
    const enum server_error_action action = number ? server_error_of(number).action : SERVER_ERROR_STOP;
    set_connection(r, NULL);
    r->asked = false;
    if (stop_check(r->o.stop, err)) return -1;
    if (action != SERVER_ERROR_STOP && r->attempt < r->o.retries) {
        r->attempt++;
        return back_off(r, err) ? -1 : 1;
    }
    err_keep(err, own);
    return name_place(r, err);
}

int table_rows_next(struct table_rows *r, struct kqvt_row *row, struct err *err) {
    struct bytes f[5] = {{0}};
    for (;;) {
        struct err own = {0};
        unsigned number = 0;
        int more = r->asked ? 1 : ask(r, &number, &own) ? -1 : 1;
        if (more > 0 && (more = connection_next(r->c, f, r->o.ttl_column ? 5 : 4, &own)) < 0) number = connection_error(r->c);
        if (more > 0) return take(r, f, row, err);
        if (!more) {
            r->asked = false;
            set_connection(r, NULL);
            return 0;
        }
        if (fail(r, number, &own, err) < 0) return -1;
    }
}
