/* Statements of some hundred rows of a file. Small files go in by REPLACE: a LOAD DATA takes half a second and more before its
 * first row, and a night has many small files. Only where rows are replaced: then a file that was interrupted is sent again, and
 * rows that are in already change nothing. Measured on 4.3.5.3: 2,100 rows in 22 files 1.0 s instead of 36 s.
 *
 * They also look up rows in their partition, where its sums do not account for them. */
#include "cmd/common/report_figures.h"
#include "cmd/load/load_files.h"

#include "cmd/load/load_small.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/load_rows.h"
#include "cmd/oceanbase/statements.h"

#include <stdlib.h>

enum { STATEMENT_ROWS = 500, STATEMENT_BYTES = 1 << 20 };

/* A file on its way. */
struct sender {
    const struct load_small_opts *o;
    bool looks_up, ttl_column;
    struct buf sql;
    uint64_t in_statement, rows, there;
};

static int begin_statement(struct sender *s, struct err *err) {
    const struct load_files_opts *l = s->o->loader;
    const char *partition = l->is_oceanbase ? export_partition_name(l->m, s->o->file->partition) : NULL;
    buf_clear(&s->sql);
    if (buf_printf(&s->sql, err, s->looks_up ? "SELECT COUNT(*) FROM " : "REPLACE INTO ") ||
        sql_put_name(&s->sql, l->m->table.families[s->o->file->family].sql_table, err))
        return -1;
    if (partition &&
        (buf_printf(&s->sql, err, " PARTITION (") || sql_put_name(&s->sql, partition, err) || buf_put_byte(&s->sql, ')', err)))
        return -1;
    if (s->looks_up) return buf_printf(&s->sql, err, " WHERE (K, Q, T) IN (");
    return buf_printf(&s->sql, err, " (K, Q, T, %sV) VALUES ", s->ttl_column ? "TTL, " : "");
}

static int put_row(struct sender *s, const struct kqvt_row *row, struct err *err) {
    if (!s->in_statement && begin_statement(s, err)) return -1;
    if (buf_printf(&s->sql, err, s->in_statement ? ", (" : "(") || sql_put_hex(&s->sql, row->k, err) ||
        buf_printf(&s->sql, err, ", ") || sql_put_hex(&s->sql, row->q, err) ||
        buf_printf(&s->sql, err, ", %lld", (long long)row->t))
        return -1;
    s->in_statement++;
    s->rows++;
    if (s->looks_up) return buf_put_byte(&s->sql, ')', err);
    if (s->ttl_column &&
        (row->has_ttl ? buf_printf(&s->sql, err, ", %lld", (long long)row->ttl_ms) : buf_printf(&s->sql, err, ", NULL")))
        return -1;
    return buf_printf(&s->sql, err, ", ") || sql_put_hex(&s->sql, row->v, err) || buf_put_byte(&s->sql, ')', err) ? -1 : 0;
}

static int take_count(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct sender *s = arg;
    u128 rows = 0;
    if (!n || !f[0].p || !decimal_parse_u128(f[0], &rows))
        return err_set(err, ERR_INTERNAL, "the database's answer to a query is not a number");
    s->there += (uint64_t)rows;
    return 0;
}

static int end_statement(struct sender *s, struct err *err) {
    if (!s->in_statement) return 0;
    if ((s->looks_up && buf_put_byte(&s->sql, ')', err)) || buf_put_byte(&s->sql, 0, err)) return -1;
    s->in_statement = 0;
    if (pool_halts(s->o->member->pool)) return err_set(err, ERR_STOPPED, "stopped");
    const char *sql = (const char *)s->sql.p;
    pool_set_session(s->o->member, connection_id(s->o->c));
    int rc = s->looks_up ? connection_rows(s->o->c, sql, take_count, s, err) : connection_run(s->o->c, sql, NULL, err);
    pool_set_session(s->o->member, 0);
    return rc;
}

static int run_statements(struct sender *s, struct err *err) {
    const struct load_files_opts *l = s->o->loader;
    const struct export_file *f = s->o->file;
    struct export_manifest only = *l->m; /* its files are read, and only this one */
    only.files = (struct export_file *)(uintptr_t)f;
    only.n_files = 1;
    const struct load_rows_opts ro = {.dir = l->dir, .m = &only, .family = f->family, .partition = f->partition, .stop = l->stop};
    struct load_rows *rows = load_rows_open(&ro, err);
    const struct kqvt_row *row;
    int got = rows ? 1 : -1;
    s->ttl_column = export_sums_opts(l->m, f->family).ttl_column;
    while (got > 0 && (got = load_rows_next(rows, &row, err)) > 0) {
        if (put_row(s, row, err)) got = -1;
        if (got > 0 && (s->in_statement == STATEMENT_ROWS || s->sql.n >= STATEMENT_BYTES) && end_statement(s, err)) got = -1;
    }
    if (!got) got = end_statement(s, err);
    load_rows_close(rows);
    buf_free(&s->sql);
    if (got || s->rows == f->sums.rows) return got ? -1 : 0;
    return err_set(err, ERR_INPUT, "%s: %s rows, the manifest says %s; copy or export it again", f->path, REPORT_COUNT(s->rows),
                   REPORT_COUNT(f->sums.rows));
}

int load_small_send(const struct load_small_opts *o, struct err *err) {
    struct sender s = {.o = o};
    return run_statements(&s, err);
}

int load_small_missing(const struct load_small_opts *o, uint64_t *missing, struct err *err) {
    struct sender s = {.o = o, .looks_up = true};
    int rc = run_statements(&s, err);
    *missing = s.rows > s.there ? s.rows - s.there : 0;
    return rc;
}
