/* INSERT … SELECT from an external table over the files of a batch, for tables that take no direct load (a generated column). It
 * is done in parallel and in one transaction, so that a batch is in whole or not at all: 2,000,000 rows into 97 partitions took
 * 4.3.5.3 12 to 16 s (15 to 20 s of its CPU), and LOAD DATA 41 s (40 s), neither all nor nothing. REPLACE is not done in parallel
 * (107 s), so where rows are replaced LOAD DATA stays.
 *
 * A file that the server does not find has no rows for an external table: rows are counted before they are committed. */
#include "cmd/common/report_figures.h"
#include "cmd/load/load_external.h"

#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/statements.h"

#include <stdio.h>

bool load_external_takes(const struct load_files_opts *o, const struct export_file *f) {
    const struct load_source s = export_load_source(o->m, f, "");
    return o->external && o->is_oceanbase && !o->local && s.generated && !s.big && s.compression == LOAD_UNCOMPRESSED &&
           o->target.on_duplicate == ON_DUPLICATE_ERROR && o->target.version >= LOAD_VERSION(4, 3, 5, 0);
}

/* Runs that share an export load other files, so their first one is another. */
void load_external_name(const struct load_files_opts *o, uint32_t family, char name[64]) {
    const char *checksum = "";
    for (size_t i = 0; i < o->m->n_files && !*checksum; i++)
        if (o->m->files[i].family == family) checksum = o->m->files[i].checksum;
    snprintf(name, 64, "obkv_files_%s", checksum);
}

/* ---- statements ---- */

/* Only letters, digits, '_', '-' and '%' are in names of files, and dots. */
static int put_pattern(struct buf *out, const char *path, struct err *err) {
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    int rc = 0;
    for (const char *p = name; !rc && *p; p++) rc = *p == '.' ? buf_put(out, "[.]", 3, err) : buf_put_byte(out, (uint8_t)*p, err);
    return rc;
}

static int put_create(struct buf *out, const struct load_files_opts *o, const char *name, const struct load_batch *b,
                      struct err *err) {
    const struct family *f = &o->m->table.families[b->files[0]->file->family];
    struct buf at = {0};
    int rc = buf_printf(&at, err, "file://%s/data", o->server_dir);
    if (!rc)
        rc = buf_printf(out, err, "CREATE EXTERNAL TABLE ") || sql_put_name(out, name, err) ||
             buf_printf(out, err,
                        " (K varbinary(%u) AS (metadata$filecol1), Q varbinary(%u) AS (metadata$filecol2), "
                        "V %s AS (metadata$filecol3), ",
                        f->k_max, f->q_max, f->v_max > 1048576 ? "longblob" : "varbinary(1048576)") ||
             (f->has_ttl_column && buf_printf(out, err, "TTL bigint AS (metadata$filecol4), ")) ||
             buf_printf(out, err, "T bigint AS (metadata$filecol%u)) LOCATION = ", f->has_ttl_column ? 5 : 4) ||
             sql_put_string(out, buf_bytes(&at), err) ||
             buf_printf(out, err,
                        " FORMAT = (TYPE = 'CSV' FIELD_DELIMITER = '\\t' LINE_DELIMITER = '\\n' ESCAPE = '\\\\' ENCODING = "
                        "'utf8mb4') PATTERN = '(^|.*/)(");
    for (size_t i = 0; !rc && i < b->n; i++)
        rc = (i && buf_put_byte(out, '|', err)) || put_pattern(out, b->files[i]->file->path, err) ? -1 : 0;
    buf_free(&at);
    return rc || buf_printf(out, err, ")$'") || buf_put_byte(out, 0, err) ? -1 : 0;
}

static int put_insert(struct buf *out, const struct load_files_opts *o, const char *name, uint32_t family, struct err *err) {
    const char *columns = o->m->table.families[family].has_ttl_column ? "K, Q, V, TTL, T" : "K, Q, V, T";
    return buf_printf(out, err, "INSERT /*+ enable_parallel_dml parallel(%u) NO_GATHER_OPTIMIZER_STATISTICS */ INTO ",
                      o->target.parallel) ||
                   sql_put_name(out, o->m->table.families[family].sql_table, err) ||
                   buf_printf(out, err, " (%s) SELECT %s FROM ", columns, columns) || sql_put_name(out, name, err) ||
                   buf_put_byte(out, 0, err)
               ? -1
               : 0;
}

int load_external_put(struct load_external_sql *s, const struct load_files_opts *o, const struct load_batch *b, struct err *err) {
    char name[64];
    const uint32_t family = b->files[0]->file->family;
    load_external_name(o, family, name);
    *s = (struct load_external_sql){0};
    if (buf_printf(&s->drop, err, "DROP TABLE IF EXISTS ") || sql_put_name(&s->drop, name, err) ||
        buf_put_byte(&s->drop, 0, err) || put_create(&s->create, o, name, b, err))
        return -1;
    if (buf_printf(&s->commit, err, "COMMIT /* %s */", name) || buf_put_byte(&s->commit, 0, err)) return -1;
    return put_insert(&s->insert, o, name, family, err);
}

void load_external_free(struct load_external_sql *s) {
    buf_free(&s->drop);
    buf_free(&s->create);
    buf_free(&s->insert);
    buf_free(&s->commit);
}

/* ---- running them ---- */

static int run(struct connection *c, const struct buf *sql, uint64_t *rows, struct err *err) {
    return connection_run(c, (const char *)sql->p, rows, err);
}

/* The end has the name in its text, by which it is found if it still runs when its client is gone. */
static int insert_all(struct connection *c, const struct load_external_sql *s, uint64_t wanted, uint64_t *rows, struct err *err) {
    if (connection_run(c, "BEGIN", NULL, err) || run(c, &s->insert, rows, err)) return -1;
    if (*rows == wanted) return run(c, &s->commit, NULL, err);
    struct err lost = {0};
    (void)connection_run(c, "ROLLBACK", NULL, &lost); /* the reason for it is reported */
    return err_set(err, ERR_OUTPUT,
                   "the server read %s rows of the files, which hold %s: some are not where it looks; nothing of them was "
                   "loaded",
                   REPORT_COUNT(*rows), REPORT_COUNT(wanted));
}

int load_external_run(struct connection *c, const struct load_files_opts *o, const struct load_batch *b, uint64_t *rows,
                      struct err *err) {
    struct load_external_sql s;
    int rc = load_external_put(&s, o, b, err) || run(c, &s.drop, NULL, err) || run(c, &s.create, NULL, err) ? -1 : 0;
    if (!rc) rc = insert_all(c, &s, b->rows, rows, err);
    struct err lost = {0};
    if (!rc && run(c, &s.drop, NULL, &lost)) rc = 0; /* the rows are in; the next load drops it */
    load_external_free(&s);
    return rc;
}

/* Over the first file that would be loaded so. */
static int try_file(struct connection *c, const struct load_files_opts *o, const struct export_file *f, bool *permitted,
                    char why[500], struct err *err) {
    struct load_external_sql s = {0};
    struct err own = {0};
    struct load_file file = {.file = f}, *one = &file;
    const struct load_batch b = {.files = &one, .n = 1};
    int rc = load_external_put(&s, o, &b, err);
    *permitted = true;
    if (!rc && (run(c, &s.drop, NULL, &own) || run(c, &s.create, NULL, &own) || run(c, &s.drop, NULL, &own))) {
        *permitted = false;
        snprintf(why, 500, "%.490s", connection_why(c));
        if (!connection_refused(c)) {
            err_keep(err, &own);
            rc = -1;
        }
    }
    load_external_free(&s);
    return rc;
}

int load_external_try(struct connection *c, const struct load_files_opts *o, bool *permitted, char why[500], struct err *err) {
    struct load_files_opts as_if = *o;
    as_if.external = true;
    *permitted = false;
    *why = 0;
    for (size_t i = 0; i < o->m->n_files; i++)
        if (load_external_takes(&as_if, &o->m->files[i])) return try_file(c, o, &o->m->files[i], permitted, why, err);
    return 0;
}
