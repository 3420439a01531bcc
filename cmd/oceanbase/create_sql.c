/* CREATE TABLEGROUP and CREATE TABLE, with their partitions. The user's own DDL is written again where there is one, so that
 * indexes, comments and options come along; else the statement is made from the table. OceanBase refuses some tables that we
 * can place rows for: that is said here, before a load. */

#include "base/fs.h"
#include "base/plain.h"
#include "base/text.h"
#include "cmd/common/next_steps.h"
#include "cmd/oceanbase/create_partitions.h"
#include "cmd/oceanbase/create_sql.h"
#include "cmd/oceanbase/statements.h"
#include "table/ddl_lex.h"
#include "table/partitioning.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* ---- CREATE TABLE ---- */

/* Characters of UTF-8. */
static size_t count_characters(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

/* As the server does: empty names and those that end in a blank are errors 1166 and 1567, longer ones 1059 or 4019. */
static int check_name(const char *what, const char *name, struct err *err) {
    enum { CHARACTERS_MAX = 64 };
    char shown[300];
    const size_t n = strlen(name);
    const char *why = !n                                        ? "is empty"
                      : strchr(" \t", name[n - 1])              ? "ends in a blank"
                      : !plain_is_name(bytes_str(name))         ? "holds a control character"
                      : !text_is_utf8(bytes_str(name))          ? "is not UTF-8"
                      : count_characters(name) > CHARACTERS_MAX ? "has more than 64 characters"
                                                                : NULL;
    if (!why) return 0;
    return err_set(err, ERR_USAGE, "the name of %s, '%.250s', %s: OceanBase refuses it; rename it", what,
                   plain_text(bytes_str(name), shown, sizeof shown), why);
}

/* The server prints a backquote of a partition's name as it is, so that its definition is read no more. */
static int check_partition_name(const char *name, struct err *err) {
    if (check_name("a partition", name, err)) return -1;
    return strchr(name, '`') ? err_set(err, ERR_USAGE,
                                       "the name of a partition, '%.250s', holds a backquote: OceanBase prints a definition that "
                                       "cannot be read back; rename it",
                                       name)
                             : 0;
}

static int check_partition_names(const struct partitioning *p, struct err *err) {
    for (uint32_t i = 0; p->kind != PARTITION_NONE && i < p->count; i++)
        if (p->names && p->names[i] && check_partition_name(p->names[i], err)) return -1;
    for (uint32_t i = 0; i < p->n_levels; i++)
        if (check_partition_names(&p->levels[i], err)) return -1;
    return 0;
}

int create_sql_check(const struct table *t, struct err *err) {
    uint32_t bad = partitioning_count_not_utf8(&t->partitioning);
    if (bad)
        return err_set(err, ERR_USAGE,
                       "%u partition bound%s not valid UTF-8: OceanBase refuses such a table (error 1366); choose bounds "
                       "that are text, preferably ASCII",
                       bad, bad == 1 ? " is" : "s are");
    for (uint32_t i = 0; i < t->n_families; i++) {
        const char *name = t->families[i].sql_table;
        if (!name)
            return err_set(err, ERR_USAGE, "family %s: the OceanBase table has no name; give --ddl FILE.sql or --name NAME",
                           t->families[i].name);
        if (check_name("a table", name, err)) return -1;
    }
    return check_partition_names(&t->partitioning, err);
}

/* ---- from the user's DDL ---- */

struct names {
    struct buf list; /* each followed by a NUL */
};

static int add_name(struct names *n, struct bytes name, struct err *err) {
    for (size_t i = 0; i < n->list.n; i += strlen((char *)n->list.p + i) + 1)
        if (bytes_eq(bytes_str((char *)n->list.p + i), name)) return 0;
    return buf_put(&n->list, name.p, name.n, err) || buf_put_byte(&n->list, 0, err) ? -1 : 0;
}

static int put_kv(struct buf *out, const struct family_rules *r, struct err *err) {
    const char *between = "";
    if (buf_printf(out, err, "'{\"Hbase\": {")) return -1;
    if (r->ttl_s) {
        if (buf_printf(out, err, "\"TimeToLive\": %lld", (long long)r->ttl_s)) return -1;
        between = ", ";
    }
    if (r->versions_given && r->versions != UINT32_MAX &&
        buf_printf(out, err, "%s\"MaxVersions\": %u", between, (unsigned)r->versions))
        return -1;
    return buf_printf(out, err, "}}'");
}

/* CreatedBy and State are printed by SHOW CREATE TABLE and refused in CREATE TABLE (error 1235). */
static bool has_admin_keys(const struct ddl_token *kv) {
    for (size_t i = 0; i + 6 < kv->n; i++)
        if (!strncasecmp(kv->p + i, "\"State\"", 7) || !strncasecmp(kv->p + i, "\"Create", 7)) return true;
    return false;
}

/* One token of the text: everything is copied, but for attributes that only the server may set; table groups are noted. */
static int pass_token(struct buf *out, const char **from, const struct ddl_token *tok, const struct ddl_token before[2],
                      const struct family_rules *rules, struct names *groups, struct err *err) {
    const struct ddl_token *option = ddl_token_is_punct(&before[0], '=') ? &before[1] : &before[0];
    if (ddl_token_is(option, "tablegroup") && tok->kind != DDL_PUNCT) {
        struct buf name = {0};
        int rc = ddl_token_value(tok, &name, err) || add_name(groups, buf_bytes(&name), err) ? -1 : 0;
        buf_free(&name);
        if (rc) return -1;
    }
    if (ddl_token_is(option, "kv_attributes") && tok->kind == DDL_STRING && has_admin_keys(tok)) {
        if (buf_put(out, *from, (size_t)(tok->p - *from), err) || put_kv(out, rules, err)) return -1;
        *from = tok->p + tok->n;
    }
    return 0;
}

/* The definition is copied with its literals: whatever is in them acts on the terminal of a reader. */
static int check_literals(const char *ddl, struct err *err) {
    const uint8_t *at = plain_find_control(bytes_str(ddl));
    unsigned line = 1;
    if (!at) return 0;
    for (const char *p = ddl; p < (const char *)at; p++) line += *p == '\n';
    return err_set(
        err, ERR_USAGE,
        "the table definition holds the control character 0x%02x in a literal (line %u without comments), which create.sql "
        "would hold, too; write the literal as x'…'",
        *at, line);
}

/* The text so far ends with a statement; table NULL: of a table group. */
static int end_statement(struct create_sql *c, const char *table, struct err *err) {
    char *name = table ? strdup(table) : NULL;
    if (table && !name) return err_nomem(err, strlen(table), "a table's name");
    if (grow_array(&c->list, c->n, sizeof *c->list, "the statements of a definition", err)) {
        free(name);
        return -1;
    }
    c->list[c->n++] = (struct create_statement){c->text.n, name};
    return 0;
}

/* The name that follows CREATE TABLE [IF NOT EXISTS] into *name, with a NUL. */
static int take_table_name(struct ddl_lex lex, struct buf *name, struct err *err) {
    struct ddl_token tok;
    int more;
    while ((more = ddl_lex_next(&lex, &tok, err)) > 0 &&
           (ddl_token_is(&tok, "if") || ddl_token_is(&tok, "not") || ddl_token_is(&tok, "exists"))) {
    }
    buf_clear(name);
    return more <= 0 || ddl_token_value(&tok, name, err) || buf_put_byte(name, 0, err) ? -1 : 0;
}

/* The family whose table this is; of one that a selection has left out, the last. */
static const struct family *family_of(const struct table *t, const char *sql_table) {
    uint32_t i = 0;
    while (i + 1 < t->n_families && (!t->families[i].sql_table || strcmp(t->families[i].sql_table, sql_table) != 0)) i++;
    return &t->families[i];
}

static int copy_ddl(struct create_sql *c, const struct table *t, struct names *groups, struct err *err) {
    struct ddl_lex lex;
    struct ddl_token tok, before[2] = {{.kind = DDL_END}, {.kind = DDL_END}};
    struct buf name = {0};
    const struct family *f = &t->families[0];
    const char *from = t->ddl;
    int more = 0, rc = 0;
    ddl_lex_init(&lex, "the table definition", t->ddl, strlen(t->ddl));
    while (!rc && (more = ddl_lex_next(&lex, &tok, err)) > 0) {
        if (ddl_token_is(&before[0], "create") && ddl_token_is(&tok, "table")) {
            rc = take_table_name(lex, &name, err);
            if (!rc) f = family_of(t, (char *)name.p);
        }
        if (!rc) rc = pass_token(&c->text, &from, &tok, before, &f->rules, groups, err);
        before[1] = before[0];
        before[0] = tok;
        if (rc || !ddl_token_is_punct(&tok, ';')) continue;
        const char *end = tok.p + tok.n + (tok.p[tok.n] == '\n');
        rc = buf_put(&c->text, from, (size_t)(end - from), err) || end_statement(c, (char *)name.p, err) ? -1 : 0;
        from = end;
    }
    buf_free(&name);
    return rc || more < 0 || buf_put(&c->text, from, strlen(from), err) ? -1 : check_literals(t->ddl, err);
}

/* ---- from the definition ---- */

static int put_table(struct buf *out, const struct table *t, const struct family *f, struct err *err) {
    if (buf_printf(out, err, "CREATE TABLE ") || sql_put_name(out, f->sql_table, err)) return -1;
    if (buf_printf(out, err,
                   " (\n  K varbinary(%u) NOT NULL,\n  Q varbinary(%u) NOT NULL,\n  T bigint NOT NULL,\n  V %s NOT NULL,\n",
                   (unsigned)f->k_max, (unsigned)f->q_max, f->v_type ? f->v_type : "varbinary(1048576)"))
        return -1;
    if (f->has_ttl_column && buf_printf(out, err, "  TTL bigint DEFAULT NULL,\n")) return -1;
    if (create_partitions_put_columns(out, &t->partitioning, f->k_max, err)) return -1;
    if (buf_printf(out, err, "  PRIMARY KEY (K, Q, T)\n) TABLEGROUP = ") || sql_put_name(out, t->name, err) ||
        buf_printf(out, err, " KV_ATTRIBUTES = ") || put_kv(out, &f->rules, err))
        return -1;
    return create_partitions_put(out, &t->partitioning, err) ? -1 : buf_printf(out, err, ";\n");
}

static int put_tables(struct create_sql *c, const struct table *t, struct names *groups, struct err *err) {
    if (!t->name) return err_set(err, ERR_USAGE, "the OceanBase table has no name; give --ddl FILE.sql or --name NAME");
    for (uint32_t i = 0; i < t->n_families; i++)
        if (put_table(&c->text, t, &t->families[i], err) || end_statement(c, t->families[i].sql_table, err)) return -1;
    return add_name(groups, bytes_str(t->name), err);
}

static int put_groups(struct create_sql *c, const struct names *groups, struct err *err) {
    for (size_t i = 0; i < groups->list.n; i += strlen((char *)groups->list.p + i) + 1)
        if (buf_printf(&c->text, err, "CREATE TABLEGROUP IF NOT EXISTS ") ||
            sql_put_name(&c->text, (char *)groups->list.p + i, err) || buf_printf(&c->text, err, " SHARDING = 'ADAPTIVE';\n") ||
            end_statement(c, NULL, err))
            return -1;
    return 0;
}

/* Groups stand first, and are known when the tables are written. */
static int put_after_groups(struct create_sql *out, const struct create_sql *tables, struct err *err) {
    const size_t begin = out->text.n;
    if (buf_put(&out->text, tables->text.p, tables->text.n, err)) return -1;
    for (size_t i = 0; i < tables->n; i++) {
        if (end_statement(out, tables->list[i].table, err)) return -1;
        out->list[out->n - 1].end = begin + tables->list[i].end;
    }
    return 0;
}

int create_sql_make(struct create_sql *out, const struct table *t, struct err *err) {
    struct create_sql tables = {0};
    struct names groups = {0};
    *out = (struct create_sql){0};
    int rc = create_sql_check(t, err);
    if (!rc) rc = t->ddl ? copy_ddl(&tables, t, &groups, err) : put_tables(&tables, t, &groups, err);
    if (!rc) rc = put_groups(out, &groups, err) || put_after_groups(out, &tables, err) ? -1 : 0;
    create_sql_free(&tables);
    buf_free(&groups.list);
    return rc;
}

void create_sql_free(struct create_sql *c) {
    buf_free(&c->text);
    for (size_t i = 0; i < c->n; i++) free(c->list[i].table);
    free(c->list);
}

struct bytes create_sql_statement(const struct create_sql *c, size_t i) {
    const size_t begin = i ? c->list[i - 1].end : 0;
    struct bytes text = bytes_of(c->text.p + begin, c->list[i].end - begin);
    while (text.n && strchr(" \n;", text.p[text.n - 1])) text.n--;
    return text;
}

int create_sql_put(struct buf *out, const struct table *t, struct err *err) {
    struct create_sql c;
    int rc = create_sql_make(&c, t, err) || buf_put(out, c.text.p, c.text.n, err) ? -1 : 0;
    create_sql_free(&c);
    return rc;
}

/* ---- names, and for people ---- */

int create_sql_name(struct table *t, const char *name, struct err *err) {
    if (t->ddl) return 0;
    if (name || !t->name) {
        free(t->name);
        t->name = strdup(name ? name : "htable1");
    }
    for (uint32_t i = 0; i < t->n_families; i++) {
        struct family *f = &t->families[i];
        char *sql = t->name ? fs_printf(err, "%s$%s", t->name, f->name) : NULL;
        if (!sql) return err->code ? -1 : err_nomem(err, 0, "a table's name");
        free(f->sql_table);
        f->sql_table = sql;
    }
    return 0;
}

/* A handmade definition has no lengths: those that plan writes for usual keys. */
static void usual_lengths(struct table *t) {
    enum { K_USUAL = 1024, Q_USUAL = 256 };
    for (uint32_t i = 0; !t->ddl && i < t->n_families; i++) {
        if (t->families[i].k_max > K_USUAL) t->families[i].k_max = K_USUAL;
        if (t->families[i].q_max > Q_USUAL) t->families[i].q_max = Q_USUAL;
    }
}

json_t *create_sql_next(const struct table *t, bool fits, const char *lead, struct err *err) {
    struct table named;
    struct err refused = {0};
    struct buf sql = {0};
    json_t *next = NULL;
    if (table_copy(t, &named, err)) return NULL;
    int rc = create_sql_name(&named, NULL, err);
    if (!fits) usual_lengths(&named);
    const bool refuses = !rc && create_sql_check(&named, &refused);
    if (!rc && !refuses) rc = create_sql_put(&sql, &named, err) || buf_put_byte(&sql, 0, err) ? -1 : 0;
    if (!rc && !(next = next_steps_new(refuses ? refused.text : lead, refuses ? NULL : (const char *)sql.p)))
        err_nomem(err, 0, "the next steps");
    table_free(&named);
    buf_free(&sql);
    return next;
}
