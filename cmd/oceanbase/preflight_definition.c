/* Findings of a check before a load, and those about definitions: whether each table of the target is what the export was made
 * for. The first name, bound or list of values that differs is said in words. */
#include "cmd/oceanbase/catalog.h"
#include "cmd/oceanbase/preflight.h"

#include "cmd/oceanbase/preflight_definition.h"
#include "table/ddl.h"
#include "table/partitioning.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *finding_state_name(enum finding_state s) {
    static const char *const names[] = {"PASS", "WARN", "FAIL"};
    return names[s];
}

size_t preflight_count(const struct preflight *p, enum finding_state state) {
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) n += p->findings[i].state == state;
    return n;
}

void preflight_free(struct preflight *p) {
    free(p->findings);
    *p = (struct preflight){0};
}

int preflight_add(struct preflight *p, struct err *err, enum finding_state state, const char *name, const char *fmt, ...) {
    if (grow_array(&p->findings, p->n, sizeof *p->findings, "the findings", err)) return -1;
    struct finding *f = &p->findings[p->n++];
    *f = (struct finding){.state = state, .name = name};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(f->text, sizeof f->text, fmt, ap);
    va_end(ap);
    return 0;
}

/* ---- definitions ---- */

static int check_lengths(struct preflight *p, const struct family *want, const struct family *is, struct err *err) {
    const char *t = want->sql_table;
    if (is->k_max < want->k_max || is->q_max < want->q_max || is->v_max < want->v_max)
        return preflight_add(
            p, err, FINDING_FAIL, "table",
            "%s: K, Q, V hold %u, %u, %llu bytes, the export was made for %u, %u, %llu; export again with its DDL", t, is->k_max,
            is->q_max, (unsigned long long)is->v_max, want->k_max, want->q_max, (unsigned long long)want->v_max);
    if (is->is_padded && !want->is_padded)
        return preflight_add(p, err, FINDING_FAIL, "table",
                             "%s: a column is binary(N), which pads shorter bytes with zeros: it must be varbinary(N)", t);
    if (is->has_ttl_column != want->has_ttl_column)
        return preflight_add(p, err, FINDING_FAIL, "table",
                             "%s: %s column TTL, the files have %s; export again with its "
                             "DDL",
                             t, is->has_ttl_column ? "has a" : "has no", want->has_ttl_column ? "one" : "none");
    if (is->has_computed && !want->has_generated)
        return preflight_add(p, err, FINDING_FAIL, "table",
                             "%s: a column has a default that the server computes, such as CURRENT_TIMESTAMP, for which direct "
                             "load waits without end; export again with its DDL (--from-target writes it)",
                             t);
    return 0;
}

static const char *describe_rules(const struct family *f, char *out, size_t room) {
    char ttl[40] = "no TimeToLive", versions[40] = "all versions";
    if (f->rules.ttl_s > 0) snprintf(ttl, sizeof ttl, "TimeToLive %lld s", (long long)f->rules.ttl_s);
    if (f->rules.versions != UINT32_MAX) snprintf(versions, sizeof versions, "MaxVersions %u", f->rules.versions);
    snprintf(out, room, "%s and %s", ttl, versions);
    return out;
}

static int check_rules(struct preflight *p, const struct family *want, const struct family *is, struct err *err) {
    char there[100], here[100];
    if (is->has_ttl_option &&
        preflight_add(p, err, FINDING_WARN, "attributes",
                      "%s: the table in the target has the option TTL: the server deletes rows by it, which "
                      "obkv-verify then reports as missing",
                      want->sql_table))
        return -1;
    if (want->rules.ttl_s == is->rules.ttl_s && want->rules.versions == is->rules.versions) return 0;
    return preflight_add(p, err, FINDING_WARN, "attributes",
                         "%s: %s in the target, %s in the export: OBKV will return "
                         "other cells",
                         want->sql_table, describe_rules(is, there, sizeof there), describe_rules(want, here, sizeof here));
}

static const char *show_bound(const struct partitioning *p, uint32_t i, char out[80]) {
    if (p->by == BY_TIME && p->bounds[i].p)
        snprintf(out, 80, "%lld", (long long)partitioning_take_time(p->bounds[i]));
    else
        partitioning_show_bound(p->bounds[i], out);
    return out;
}

/* The first name, bound or list of values that is another one, in words; false: they differ in kind or number. */
static bool explain_leaf(const struct partitioning *want, const struct partitioning *is, char *out, size_t room) {
    char x[80], y[80];
    if (want->kind != is->kind || want->by != is->by || want->count != is->count) return false;
    for (uint32_t i = 0; i < want->count; i++) {
        const char *name = is->names[i];
        if (strcmp(want->names[i], name) != 0)
            return snprintf(out, room, "partition %u is named %.100s in the target, %.100s in the export", i, name,
                            want->names[i]) > 0;
        if (want->kind == PARTITION_RANGE && !bytes_eq(want->bounds[i], is->bounds[i]))
            return snprintf(out, room, "partition %.100s ends at %s in the target, at %s in the export", name,
                            show_bound(is, i, x), show_bound(want, i, y)) > 0;
        if (want->kind == PARTITION_LIST && !partitioning_list_eq(&want->lists[i], &is->lists[i]))
            return snprintf(out, room, "partition %.100s takes other values in the target than in the export", name) > 0;
    }
    for (uint32_t i = 0; want->n_levels == is->n_levels && i < want->n_levels; i++)
        if (explain_leaf(&want->levels[i], &is->levels[i], out, room)) return true;
    return false;
}

static void explain_partitions(const struct partitioning *want, const struct partitioning *is, char *out, size_t room) {
    struct buf a = {0}, b = {0};
    struct err ignored = {0};
    if (explain_leaf(want, is, out, room)) return;
    bool said = !partitioning_describe(is, &a, &ignored) && !partitioning_describe(want, &b, &ignored) &&
                !buf_put_byte(&a, 0, &ignored) && !buf_put_byte(&b, 0, &ignored);
    snprintf(out, room, "%s in the target, %s in the export", said ? (char *)a.p : "other partitions",
             said ? (char *)b.p : "others");
    buf_free(&a);
    buf_free(&b);
}

/* Reads the definition of a table. Other databases partition in ways that are no concern of a load; columns and key are, or cells
 * are lost, changed or taken for one. *whole: partitions were read, too. */
static int read_definition(const char *ddl, bool is_oceanbase, struct table *t, bool *whole, struct err *err) {
    size_t n = strlen(ddl);
    *whole = !ddl_parse("SHOW CREATE TABLE", ddl, n, t, err);
    const char *partitions = *whole || is_oceanbase ? NULL : strstr(ddl, "\n PARTITION BY ");
    if (partitions) {
        struct err later = {0};
        table_free(t);
        *t = (struct table){0};
        return ddl_parse("SHOW CREATE TABLE", ddl, (size_t)(partitions - ddl), t, &later) || t->n_families != 1 ? -1 : 0;
    }
    return *whole && t->n_families == 1 ? 0 : -1;
}

static int check_partitions(struct preflight *p, const struct export_manifest *m, uint32_t family, const struct table *is,
                            bool is_oceanbase, struct err *err) {
    char why[400];
    if (partitioning_eq(&m->table.partitioning, &is->partitioning)) return 0;
    explain_partitions(&m->table.partitioning, &is->partitioning, why, sizeof why);
    return preflight_add(
        p, err, is_oceanbase ? FINDING_FAIL : FINDING_WARN, "partitions", "%s: %s%s", m->table.families[family].sql_table, why,
        is_oceanbase ? "; run obkv-split apply --ddl with its DDL (--from-target writes it), and export again" : "");
}

int preflight_definition(struct preflight *out, const struct export_manifest *m, uint32_t family, const char *ddl,
                         bool is_oceanbase, struct err *err) {
    const struct family *want = &m->table.families[family];
    struct table t = {0};
    struct err own = {0};
    size_t before = out->n;
    bool whole;
    if (strstr(ddl, " VIEW ") && !strstr(ddl, "CREATE TABLE"))
        return preflight_add(out, err, FINDING_FAIL, "table", "%s: is a view in the target; rename or drop it, and load a table",
                             want->sql_table);
    if (read_definition(ddl, is_oceanbase, &t, &whole, &own)) {
        table_free(&t);
        return preflight_add(out, err, FINDING_FAIL, "table", "%s: its definition cannot be read: %.300s", want->sql_table,
                             own.text);
    }
    int rc = check_lengths(out, want, &t.families[0], err);
    if (!rc && is_oceanbase) rc = check_rules(out, want, &t.families[0], err);
    if (!rc && whole) rc = check_partitions(out, m, family, &t, is_oceanbase, err);
    if (!rc && !whole)
        rc = preflight_add(out, err, FINDING_WARN, "partitions", "%s: not known: %.300s", want->sql_table, own.text);
    if (!rc && out->n == before)
        rc = preflight_add(out, err, FINDING_PASS, "table", "%s: matches the export, %u partition%s", want->sql_table,
                           t.partitioning.count, t.partitioning.count == 1 ? "" : "s");
    table_free(&t);
    return rc;
}

int preflight_namespace(struct preflight *out, const struct table *t, const char *database, struct err *err) {
    const char *colon = t->name ? strchr(t->name, ':') : NULL;
    size_t n = colon ? (size_t)(colon - t->name) : 0;
    if (!n || (strlen(database) == n && !strncasecmp(t->name, database, n))) return 0;
    return preflight_add(out, err, FINDING_WARN, "namespace",
                         "%s: OBKV clients look for the tables of namespace %.*s in a database of that name, not in %s; give "
                         "--target HOST:PORT/%.*s",
                         t->name, (int)n, t->name, database, (int)n, t->name);
}

/* ---- a table that is missing ---- */

/* But for names, which the server does not compare. */
static bool cut_alike(const struct partitioning *a, const struct partitioning *b) {
    if (a->kind != b->kind || a->by != b->by || a->count != b->count || a->n_levels != b->n_levels) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->kind == PARTITION_RANGE && !bytes_eq(a->bounds[i], b->bounds[i])) return false;
        if (a->kind == PARTITION_LIST && !partitioning_list_eq(&a->lists[i], &b->lists[i])) return false;
    }
    for (uint32_t i = 0; i < a->n_levels; i++)
        if (!cut_alike(&a->levels[i], &b->levels[i])) return false;
    return true;
}

int preflight_beside(struct preflight *out, struct connection *c, const char *database, const struct export_manifest *m,
                     uint32_t family, struct err *err) {
    struct buf text = {0};
    struct table t = {0};
    struct err own = {0};
    const bool groups = connection_server(c)->is_oceanbase;
    int rc = groups ? catalog_dump(c, database, m->table.name, &text, &own) : 0;
    bool grouped = groups && !rc && !buf_put_byte(&text, 0, &own) && strstr((char *)text.p, " TABLEGROUP = '") &&
                   !strstr((char *)text.p, "SHARDING = 'NONE'");
    bool known = grouped && !ddl_parse("SHOW CREATE TABLE", (char *)text.p, text.n - 1, &t, &own);
    if (rc && own.code != ERR_USAGE) {
        err_keep(err, &own);
    } else if (known && !cut_alike(&m->table.partitioning, &t.partitioning)) {
        char why[400];
        explain_partitions(&m->table.partitioning, &t.partitioning, why, sizeof why);
        rc = preflight_add(
            out, err, FINDING_FAIL, "partitions",
            "%s: missing, and cannot be created beside %s, since the tables of a table group have the same "
            "partitions: %.200s; run obkv-split apply --ddl with its DDL (--from-target writes it), and export again",
            m->table.families[family].sql_table, t.families[0].sql_table, why);
    } else {
        rc = preflight_add(out, err, FINDING_PASS, "table", "%s: missing, will be created", m->table.families[family].sql_table);
    }
    table_free(&t);
    buf_free(&text);
    return rc;
}
