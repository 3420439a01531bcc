/* Table definitions as SHOW CREATE TABLE prints them. On OceanBase that text cuts bounds at a NUL and escapes no quotes, so the
 * bounds are read from the catalogue and put in (exact_bounds.c). */

#include "cmd/oceanbase/catalog.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/exact_bounds.h"
#include "cmd/oceanbase/statements.h"

#include <stdlib.h>
#include <string.h>

enum { NO_SUCH_TABLE = 1146 };

struct second_field {
    struct buf text;
    bool seen;
};

static int take_second(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct second_field *s = arg;
    if (n < 2 || s->seen) return 0;
    s->seen = true;
    return buf_copy(&s->text, f[1], err);
}

/* Second column of SHOW CREATE …: *found false when there is no such thing. */
static int show_create(struct connection *c, const char *what, const char *name, struct buf *out, bool *found, struct err *err) {
    struct buf sql = {0};
    struct second_field s = {0};
    struct err own = {0};
    int rc = buf_printf(&sql, &own, "SHOW CREATE %s ", what) || sql_put_name(&sql, name, &own) || buf_put_byte(&sql, 0, &own)
                 ? -1
                 : connection_rows(c, (char *)sql.p, take_second, &s, &own);
    buf_free(&sql);
    *found = !rc && s.seen;
    if (!rc) {
        *out = s.text;
        return 0;
    }
    buf_free(&s.text);
    if (connection_error(c) == NO_SUCH_TABLE) return 0;
    err_keep(err, &own);
    return -1;
}

static int take_bound(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct buf *out = arg;
    if (n < 2 || !f[1].p) return 0;
    return buf_put(out, f[0].p, f[0].n, err) || buf_put_byte(out, '\t', err) || buf_put(out, f[1].p, f[1].n, err) ||
                   buf_put_byte(out, '\n', err)
               ? -1
               : 0;
}

static int read_bounds(struct connection *c, const char *database, const char *table, struct buf *dump, struct err *err) {
    struct buf sql = {0};
    int rc = buf_printf(&sql, err,
                        "SELECT p.part_name, p.b_high_bound_val FROM oceanbase.__all_virtual_part p "
                        "JOIN oceanbase.__all_virtual_table t ON t.table_id = p.table_id "
                        "JOIN oceanbase.__all_virtual_database d ON d.database_id = t.database_id WHERE t.table_name = ") ||
                     sql_put_string(&sql, bytes_str(table), err) || buf_printf(&sql, err, " AND d.database_name = ") ||
                     sql_put_string(&sql, bytes_str(database), err) || buf_printf(&sql, err, " ORDER BY p.part_idx") ||
                     buf_put_byte(&sql, 0, err)
                 ? -1
                 : connection_rows(c, (char *)sql.p, take_bound, dump, err);
    buf_free(&sql);
    return rc;
}

int catalog_definition(struct connection *c, const char *database, const char *sql_table, char **ddl, struct err *err) {
    struct buf text = {0}, dump = {0}, exact = {0};
    bool found;
    *ddl = NULL;
    int rc = show_create(c, "TABLE", sql_table, &text, &found, err);
    if (!rc && found) {
        rc = buf_put_byte(&text, 0, err);
        bool is_range = !rc && connection_server(c)->is_oceanbase && exact_bounds_needed((char *)text.p);
        if (!rc && is_range) rc = read_bounds(c, database, sql_table, &dump, err);
        if (!rc && is_range) rc = exact_bounds_put(&exact, (char *)text.p, buf_bytes(&dump), err);
        if (!rc && is_range) rc = buf_put_byte(&exact, 0, err);
        if (rc && is_range) err_prefix(err, "table %s", sql_table);
        if (!rc && !(*ddl = strdup((char *)(is_range ? exact.p : text.p)))) rc = err_nomem(err, text.n, "a table definition");
    }
    buf_free(&text);
    buf_free(&dump);
    buf_free(&exact);
    return rc;
}

static int take_line(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    return n ? buf_put(arg, f[0].p, f[0].n, err) || buf_put_byte(arg, '\n', err) : 0;
}

/* SQL names of the tables `name$family` of an HBase table (may hold "ns:"), one per line in *out. */
static int tables_of(struct connection *c, const char *database, const char *name, struct buf *out, struct err *err) {
    struct buf sql = {0}, pattern = {0};
    int rc = buf_printf(&pattern, err, "%s$", name) ||
                     buf_printf(&sql, err, "SELECT table_name FROM information_schema.tables WHERE table_schema = ") ||
                     sql_put_string(&sql, bytes_str(database), err) ||
                     buf_printf(&sql, err, " AND SUBSTR(table_name, 1, CHAR_LENGTH(") ||
                     sql_put_string(&sql, buf_bytes(&pattern), err) || buf_printf(&sql, err, ")) = ") ||
                     sql_put_string(&sql, buf_bytes(&pattern), err) || buf_printf(&sql, err, " ORDER BY table_name") ||
                     buf_put_byte(&sql, 0, err)
                 ? -1
                 : connection_rows(c, (char *)sql.p, take_line, out, err);
    buf_free(&sql);
    buf_free(&pattern);
    return rc;
}

/* TABLEGROUP = 'x' of a printed definition; "" = none. The option is on the line of the closing parenthesis. */
static void table_group_of(const char *ddl, char out[129]) {
    const char *options = strstr(ddl, "\n) "), *at = options ? strstr(options, " TABLEGROUP = '") : NULL;
    *out = 0;
    if (!at) return;
    at += 15;
    size_t n = strcspn(at, "'\n");
    if (n < 129) {
        memcpy(out, at, n);
        out[n] = 0;
    }
}

static int put_group(struct connection *c, const char *group, struct buf *out, struct err *err) {
    struct buf text = {0};
    bool found;
    int rc = show_create(c, "TABLEGROUP", group, &text, &found, err);
    if (!rc && found) rc = buf_put(out, text.p, text.n, err) || buf_printf(out, err, ";\n\n") ? -1 : 0;
    buf_free(&text);
    return rc;
}

static int dump_one(struct connection *c, const char *database, const char *sql_table, bool first, struct buf *out,
                    struct err *err) {
    char *ddl, group[129];
    if (catalog_definition(c, database, sql_table, &ddl, err)) return -1;
    if (!ddl) return err_set(err, ERR_INPUT, "table %s disappeared while the catalogue was being read", sql_table);
    table_group_of(ddl, group);
    int rc = first && *group ? put_group(c, group, out, err) : 0;
    if (!rc) rc = buf_printf(out, err, "%s;\n\n", ddl);
    free(ddl);
    return rc;
}

int catalog_dump(struct connection *c, const char *database, const char *name, struct buf *out, struct err *err) {
    struct buf names = {0};
    int rc = tables_of(c, database, name, &names, err) || buf_put_byte(&names, 0, err) ? -1 : 0;
    if (!rc && !*names.p)
        rc =
            err_set(err, ERR_USAGE, "database %s has no table named %s$FAMILY; give the name of the HBase table", database, name);
    char *save, *at = rc ? NULL : strtok_r((char *)names.p, "\n", &save);
    for (bool first = true; !rc && at; at = strtok_r(NULL, "\n", &save), first = false)
        rc = dump_one(c, database, at, first, out, err);
    buf_free(&names);
    return rc;
}
