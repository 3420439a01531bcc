/* Records which deltas a database holds, in their order: the table obkv_loads beside the data, so that a load from any machine
 * finds it. A delta that comes after newer ones would write its older values over theirs, and bring back what they deleted: it is
 * refused. A line is written before the first statement of a delta, so it is there after a kill, too.
 *
 * A whole table that is loaded into an empty one, and a table that is created, begin a new history. */
#include "cmd/common/warnings.h"
#include "cmd/load/load_history.h"
#include "cmd/load/load_run.h"

#include "base/clock.h"
#include "cmd/oceanbase/statements.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NO_SUCH_TABLE = 1146, ID_BYTES = DIGEST_HEX + 21, PATH_MOST = 1000 };

static const char history_table[] =
    "CREATE TABLE IF NOT EXISTS obkv_loads (table_name varbinary(256) NOT NULL, delta varbinary(64) NOT NULL, "
    "number bigint NOT NULL, made_ms bigint NOT NULL, path varbinary(1000) NOT NULL, begun_ms bigint NOT NULL, "
    "PRIMARY KEY (table_name, delta))";

/* A delta is known by its cells and its clock, however often it is exported: another one may have the same cells. */
static void id_of(const struct load_run *r, char id[ID_BYTES]) {
    char digest[DIGEST_HEX];
    digest_print(r->m.dataset.cells.digest, digest);
    snprintf(id, ID_BYTES, "%s-%" PRId64, digest, r->m.dataset.made_ms);
}

static struct bytes table_of(const struct load_run *r) {
    return bytes_str(r->m.table.name ? r->m.table.name : r->m.table.families[0].sql_table);
}

struct history {
    const struct load_run *r;
    char id[ID_BYTES];
    int64_t own; /* its number; 0: it is not there */
    bool again;  /* a second look, once `own` is known */
    uint64_t newer;
    char last[200]; /* the newest of them */
};

static int64_t number_in(struct bytes text) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.*s", (int)(text.n < sizeof digits ? text.n : sizeof digits - 1), (const char *)text.p);
    return strtoll(digits, NULL, 10);
}

static int take_row(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct history *h = arg;
    if (n != 4) return err_set(err, ERR_INTERNAL, "the database's answer has %u columns instead of 4", n);
    const int64_t number = number_in(f[1]), made_ms = number_in(f[2]);
    bool is_own = bytes_eq(f[0], bytes_str(h->id));
    if (!h->again && is_own) h->own = number;
    if (!h->again || is_own) return 0;
    if (made_ms <= h->r->m.dataset.made_ms && (!h->own || number < h->own)) return 0;
    h->newer++;
    snprintf(h->last, sizeof h->last, "%.*s", (int)(f[3].n < sizeof h->last ? f[3].n : sizeof h->last - 1), (const char *)f[3].p);
    return 0;
}

/* A database without the table has no history. */
static int read_history(struct history *h, struct connection *c, struct err *err) {
    struct buf sql = {0};
    struct err own = {0};
    int rc = buf_printf(&sql, err, "SELECT delta, number, made_ms, path FROM obkv_loads WHERE table_name = ") ||
                     sql_put_hex(&sql, table_of(h->r), err) || buf_printf(&sql, err, " ORDER BY number") ||
                     buf_put_byte(&sql, 0, err)
                 ? -1
                 : 0;
    for (int look = 0; !rc && look < 2; look++) {
        h->again = look;
        rc = connection_rows(c, (const char *)sql.p, take_row, h, &own);
    }
    buf_free(&sql);
    if (!rc || connection_error(c) == NO_SUCH_TABLE) return rc && !own.code ? -1 : 0;
    err_keep(err, &own);
    return err->code ? -1 : rc;
}

int load_history_check(struct load_run *r, struct connection *c, struct err *err) {
    struct history h = {.r = r};
    const struct address *a = &r->login.login.address;
    if (!r->m.delta || !r->m.dataset.cells.cells || r->checks.missing_tables) return 0;
    id_of(r, h.id);
    if (read_history(&h, c, err)) return -1;
    if (!h.newer) return 0;
    char text[600];
    snprintf(text, sizeof text,
             "%" PRIu64
             " newer delta%s of this table %s been loaded into %s, the last one from %s: this one would write its older "
             "values over theirs and bring back what they deleted",
             h.newer, h.newer == 1 ? "" : "s", h.newer == 1 ? "has" : "have", a->database, h.last);
    if (r->env->reporter.allowed[WARN_OLDER_DELTA]) {
        report_warn(&r->env->reporter, WARN_OLDER_DELTA, h.newer, "%s", text);
        return 0;
    }
    return err_set(
        err, ERR_USAGE,
        "%s; nothing was loaded. To repair the table, load the difference to the newest whole (docs/repair.md, \"An older "
        "night after newer ones\"); if the order does not matter, give --allow older-delta",
        text);
}

static int run_one(struct connection *c, struct buf *sql, struct err *err) {
    int rc = buf_put_byte(sql, 0, err) ? -1 : connection_run(c, (const char *)sql->p, NULL, err);
    buf_clear(sql);
    return rc;
}

/* The table may be missing: then there is nothing to forget. */
static int forget(const struct load_run *r, struct connection *c, struct buf *sql, struct err *err) {
    struct err own = {0};
    if (buf_printf(sql, err, "DELETE FROM obkv_loads WHERE table_name = ") || sql_put_hex(sql, table_of(r), err)) return -1;
    if (!run_one(c, sql, &own) || connection_error(c) == NO_SUCH_TABLE) return 0;
    err_keep(err, &own);
    return -1;
}

static int put_note(const struct load_run *r, struct bytes path, struct buf *sql, struct err *err) {
    char id[ID_BYTES];
    const struct bytes name = table_of(r);
    if (path.n > PATH_MOST) path.n = PATH_MOST;
    id_of(r, id);
    return buf_printf(sql, err, "INSERT IGNORE INTO obkv_loads SELECT ") || sql_put_hex(sql, name, err) ||
                   buf_printf(sql, err, ", '%s', COALESCE(MAX(number), 0) + 1, %" PRId64 ", ", id, r->m.dataset.made_ms) ||
                   sql_put_hex(sql, path, err) ||
                   buf_printf(sql, err, ", %" PRId64 " FROM obkv_loads WHERE table_name = ", clock_now_ms()) ||
                   sql_put_hex(sql, name, err)
               ? -1
               : 0;
}

static int note(const struct load_run *r, struct connection *c, struct buf *sql, struct err *err) {
    struct buf path = {0}; /* of a dataset on a server: its URL */
    if (buf_printf(sql, err, "%s", history_table) || run_one(c, sql, err)) return -1;
    int rc = path_names_put(&r->env->unpacked, bytes_str(r->dir), &path, err) || put_note(r, buf_bytes(&path), sql, err) ? -1 : 0;
    buf_free(&path);
    return rc ? -1 : run_one(c, sql, err);
}

/* A database that keeps no history, as its user may not create the table, is loaded all the same. */
int load_history_begin(struct load_run *r, struct connection *c, bool begins, struct err *err) {
    struct buf sql = {0};
    struct err own = {0};
    int rc = begins ? forget(r, c, &sql, &own) : 0;
    if (!rc && r->m.delta && r->m.dataset.cells.cells) rc = note(r, c, &sql, &own);
    buf_free(&sql);
    if (!rc) return 0;
    if (!connection_refused(c)) {
        err_keep(err, &own);
        return -1;
    }
    report_warn(&r->env->reporter, WARN_LOAD_HISTORY, 1,
                "the table obkv_loads, which keeps the order of deltas, cannot be written: %s; create it once (docs/loading.md)",
                connection_why(c));
    return report_strict(&r->env->reporter, err);
}
