/* The rows of a table beside those that the journal has as loaded. Rows also go without harm: a time to live expires them, and
 * the server removes them. So where rows are missing, those of the load files that live are counted beside those in the table. */
#include "cmd/common/report_figures.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/journal.h"
#include "cmd/oceanbase/preflight.h"

#include "cmd/oceanbase/load_rows.h"
#include "cmd/oceanbase/preflight_definition.h"
#include "cmd/oceanbase/preflight_rows.h"
#include "cmd/oceanbase/statements.h"
#include "cmd/oceanbase/sums_query.h"

#include <stdlib.h>

struct loaded {
    uint64_t base, rows; /* there before the first load; in files that are loaded */
    size_t files;
};

static bool is_loaded(const struct preflight_opts *o, const struct export_file *f) {
    return journal_state_of(o->journal, f->path, f->checksum) == JOURNAL_DONE;
}

/* Rows by the journal. */
static int expect_rows(const struct preflight_opts *o, uint32_t family, struct loaded *out, struct err *err) {
    const struct export_manifest *m = o->m;
    *out = (struct loaded){0};
    for (uint32_t p = 0; p < m->table.partitioning.count; p++) {
        struct cell_sums s;
        if (journal_base(o->journal, m->table.families[family].sql_table, export_partition_name(m, p), &s, err)) return -1;
        out->base += s.rows;
    }
    for (size_t i = 0; i < m->n_files; i++) {
        const struct export_file *f = &m->files[i];
        if (f->family != family || !is_loaded(o, f)) continue;
        out->rows += f->sums.rows;
        out->files++;
    }
    return 0;
}

static bool needs_empty(const struct connection *c, const struct preflight_opts *o, uint32_t family) {
    for (size_t i = 0; i < o->m->n_files; i++) {
        struct load_source s = export_load_source(o->m, &o->m->files[i], "");
        if (o->m->files[i].family == family && (!load_sql_is_direct(&s) || !connection_server(c)->is_oceanbase)) return true;
    }
    return false;
}

/* ---- rows that expired ---- */

static bool has_ttl(const struct family *f) {
    return f->rules.ttl_s > 0 || f->has_ttl_column;
}

static int ask_number(struct connection *c, const char *sql, uint64_t *out, struct err *err) {
    char *text = NULL;
    u128 v = 0;
    int rc = connection_one(c, sql, &text, err);
    if (!rc && (!text || !decimal_parse_u128(bytes_str(text), &v)))
        rc = err_set(err, ERR_INTERNAL, "the database's answer to a query is not a number");
    *out = (uint64_t)v;
    free(text);
    return rc;
}

/* Rows of the table that live at now_ms. */
static int count_there(struct connection *c, const struct family *f, uint64_t now_ms, uint64_t *live, struct err *err) {
    struct buf sql = {0};
    int rc = buf_printf(&sql, err, "SELECT COUNT(*) FROM ") || sql_put_name(&sql, f->sql_table, err) ||
             buf_printf(&sql, err, " WHERE T <= 0");
    if (!rc && f->rules.ttl_s > 0)
        rc = buf_printf(&sql, err, " AND -T + %lld >= %llu", (long long)f->rules.ttl_s * 1000, (unsigned long long)now_ms);
    if (!rc && f->has_ttl_column)
        rc = buf_printf(&sql, err, " AND (TTL IS NULL OR -T + TTL >= %llu)", (unsigned long long)now_ms);
    if (!rc) rc = buf_put_byte(&sql, 0, err);
    if (!rc) rc = ask_number(c, (char *)sql.p, live, err);
    buf_free(&sql);
    return rc ? -1 : 0;
}

bool preflight_rows_live(const struct family *f, uint64_t now_ms, const struct kqvt_row *row) {
    const __int128 ts = -(__int128)row->t, now = (__int128)now_ms;
    return !(f->rules.ttl_s > 0 && ts + (__int128)f->rules.ttl_s * 1000 < now) && !(row->has_ttl && ts + row->ttl_ms < now);
}

/* Rows of the files that are loaded, which live at now_ms. */
static int count_loaded(const struct preflight_opts *o, uint32_t family, uint64_t now_ms, uint64_t *live, struct err *err) {
    struct export_manifest only = *o->m;
    struct export_file *files = calloc(o->m->n_files ? o->m->n_files : 1, sizeof *files);
    if (!files) return err_nomem(err, o->m->n_files * sizeof *files, "a list of files");
    only.files = files;
    only.n_files = 0;
    *live = 0;
    for (size_t i = 0; i < o->m->n_files; i++)
        if (o->m->files[i].family == family && is_loaded(o, &o->m->files[i])) files[only.n_files++] = o->m->files[i];
    int rc = 0;
    for (uint32_t p = 0; !rc && p < o->m->table.partitioning.count; p++) {
        struct load_rows_opts ro = {.dir = o->dir, .m = &only, .family = family, .partition = p, .stop = o->stop};
        struct load_rows *rows = load_rows_open(&ro, err);
        const struct kqvt_row *row;
        int got = rows ? 1 : -1;
        while (got > 0 && (got = load_rows_next(rows, &row, err)) > 0)
            *live += preflight_rows_live(&o->m->table.families[family], now_ms, row);
        load_rows_close(rows);
        rc = got < 0 ? -1 : 0;
    }
    free(files);
    return rc;
}

/* *lost: rows that should be there, at least. */
static int find_lost(struct connection *c, const struct preflight_opts *o, uint32_t family, uint64_t missing, uint64_t *lost,
                     struct err *err) {
    const struct family *f = &o->m->table.families[family];
    uint64_t now_ms = 0, there = 0, loaded = 0;
    *lost = missing;
    if (!has_ttl(f)) return 0;
    if (ask_number(c, "SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS UNSIGNED)", &now_ms, err) ||
        count_there(c, f, now_ms, &there, err) ||
        (o->made ? o->made->count_live(o->made->arg, o->journal, family, now_ms, &loaded, err)
                 : count_loaded(o, family, now_ms, &loaded, err)))
        return -1;
    *lost = loaded > there ? loaded - there : 0;
    return 0;
}

/* ---- findings ---- */

/* The options that load all again: rows of other families may be there. */
static const char *anew(const struct preflight_opts *o) {
    return o->m->table.n_families > 1 ? "to load all families again, give --restart --on-duplicate replace"
                                      : "give --restart to discard the journal";
}

/* Fewer rows than the journal says. */
static int report_missing(struct connection *c, const struct preflight_opts *o, struct preflight *p, uint32_t family,
                          uint64_t rows, const struct loaded *l, struct err *err) {
    const char *table = o->m->table.families[family].sql_table;
    const uint64_t expected = l->base + l->rows;
    uint64_t lost;
    if (find_lost(c, o, family, expected - rows, &lost, err)) return -1;
    if (!lost)
        return preflight_add(p, err, FINDING_PASS, "rows",
                             "%s: %s rows of the %s that were loaded; those that are gone have expired by their time to live",
                             table, REPORT_COUNT(rows), REPORT_COUNT(expected));
    if (!rows)
        return preflight_add(p, err, FINDING_FAIL, "rows",
                             "%s: empty, but %s rows are loaded according to the journal: the table was emptied or recreated "
                             "since; %s",
                             table, REPORT_COUNT(l->rows), anew(o));
    return preflight_add(p, err, FINDING_FAIL, "rows",
                         "%s: %s rows, but %s are loaded according to the journal, and %s of those missing have not expired: "
                         "they were deleted since, or the table was recreated; obkv-verify target names them; to load all files "
                         "again, give --restart --on-duplicate replace",
                         table, REPORT_COUNT(rows), REPORT_COUNT(expected), REPORT_COUNT(lost));
}

/* Counting reads all of the table; where nothing is loaded yet, one row or none says enough. */
static int count_rows(struct connection *c, const char *table, bool all, uint64_t *rows, struct err *err) {
    struct buf sql = {0};
    if (all) return sums_query_rows(c, &(struct sums_places){.table = table}, rows, err);
    int rc = buf_printf(&sql, err, "SELECT COUNT(*) FROM (SELECT 1 FROM ") || sql_put_name(&sql, table, err) ||
                     buf_printf(&sql, err, " LIMIT 1) x") || buf_put_byte(&sql, 0, err)
                 ? -1
                 : ask_number(c, (char *)sql.p, rows, err);
    buf_free(&sql);
    return rc;
}

int preflight_rows(struct connection *c, const struct preflight_opts *o, struct preflight *p, uint32_t family, struct err *err) {
    const char *table = o->m->table.families[family].sql_table;
    struct loaded l;
    uint64_t rows;
    if (expect_rows(o, family, &l, err) || count_rows(c, table, l.rows, &rows, err)) return -1;
    p->has_rows = p->has_rows || rows;
    bool strict = o->target.on_duplicate == ON_DUPLICATE_ERROR;
    if (l.rows && rows < (strict ? l.base + l.rows : l.base)) return report_missing(c, o, p, family, rows, &l, err);
    if (l.rows)
        return preflight_add(p, err, FINDING_PASS, "rows", "%s: %s rows; %zu file%s loaded according to the journal", table,
                             REPORT_COUNT(rows), l.files, l.files == 1 ? "" : "s");
    if (!rows) return preflight_add(p, err, FINDING_PASS, "rows", "%s: empty", table);
    if (!l.base && journal_has_begun(o->journal))
        return preflight_add(p, err, FINDING_PASS, "rows", "%s: not empty: a load of these files was interrupted, and is resumed",
                             table);
    if (strict && !o->journal && needs_empty(c, o, family))
        return preflight_add(
            p, err, FINDING_FAIL, "rows",
            "%s: not empty, and a load into it is not atomic: --on-duplicate error needs an empty table; use replace", table);
    return preflight_add(p, err, strict ? FINDING_WARN : FINDING_PASS, "rows", "%s: not empty; rows with the same K, Q, T %s",
                         table,
                         strict                                           ? "stop the load"
                         : o->target.on_duplicate == ON_DUPLICATE_REPLACE ? "are replaced"
                                                                          : "stay as they are");
}

int preflight_rows_missing(struct connection *c, const struct preflight_opts *o, struct preflight *p, uint32_t family,
                           struct err *err) {
    const char *table = o->m->table.families[family].sql_table;
    struct loaded l;
    p->missing_tables = true;
    if (expect_rows(o, family, &l, err)) return -1;
    if (l.rows)
        return preflight_add(p, err, FINDING_FAIL, "table",
                             "%s: missing, but %s rows are loaded according to the journal: the table was dropped since; %s%s",
                             table, REPORT_COUNT(l.rows), anew(o), o->create ? "" : ", and --create");
    if (!o->create) return preflight_add(p, err, FINDING_FAIL, "table", "%s: missing; create it with --create", table);
    return preflight_beside(p, c, o->login->address.database, o->m, family, err);
}
