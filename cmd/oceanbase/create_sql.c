/* CREATE TABLEGROUP and CREATE TABLE, with their partitions. The user's own DDL is written again where there is one, so that
 * indexes, comments and options come along; else the statement is made from the table. OceanBase refuses some tables that we
 * can place rows for: that is said here, before a load. */

#include "base/fs.h"
#include "base/plain.h"
#include "base/text.h"
#include "cmd/oceanbase/create_sql.h"
#include "cmd/oceanbase/statements.h"
#include "table/ddl_lex.h"
#include "table/partitioning.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* ---- PARTITION BY, and the generated columns it names: K_PREFIX, and G for the time ----
 * ddl_parse makes the same partitioning of both again. */

/* ---- generated columns ---- */

/* The levels, one where there is only one. */
static const struct partitioning *level_of(const struct partitioning *p, uint32_t i) {
    return p->kind == PARTITION_TWO_LEVEL ? &p->levels[i] : p;
}

static uint32_t count_levels(const struct partitioning *p) {
    return p->kind == PARTITION_TWO_LEVEL ? p->n_levels : 1;
}

static bool same_prefix(const struct key_prefix *a, const struct key_prefix *b) {
    return a->pos == b->pos && a->has_len == b->has_len && (!a->has_len || a->len == b->len) &&
           !strcmp(a->delimiter, b->delimiter);
}

/* The prefix that all levels with one share; NULL: none has. */
static int find_prefix(const struct partitioning *p, const struct key_prefix **out, struct err *err) {
    *out = NULL;
    for (uint32_t i = 0; i < count_levels(p); i++) {
        const struct key_prefix *x = &level_of(p, i)->prefix;
        if (!x->on) continue;
        if (*out && !same_prefix(*out, x))
            return err_set(err, ERR_USAGE, "partitions by two different prefixes of K; give --ddl FILE.sql");
        *out = x;
    }
    return 0;
}

static bool has_time(const struct partitioning *p) {
    for (uint32_t i = 0; i < count_levels(p); i++)
        if (level_of(p, i)->by == BY_TIME) return true;
    return false;
}

int create_partitions_put_columns(struct buf *out, const struct partitioning *p, uint32_t k_max, struct err *err) {
    const struct key_prefix *x;
    if (p->k_pad)
        return err_set(err, ERR_USAGE, "a table with K binary(%u) needs its DDL; give --ddl FILE.sql", (unsigned)p->k_pad);
    if (find_prefix(p, &x, err)) return -1;
    if (has_time(p) && buf_printf(out, err, "  G bigint GENERATED ALWAYS AS (ABS(T)),\n")) return -1;
    if (!x) return 0;
    if (buf_printf(out, err, "  K_PREFIX varbinary(%u) GENERATED ALWAYS AS (", (unsigned)k_max)) return -1;
    if (x->delimiter[0]) {
        struct bytes text = bytes_str(x->delimiter);
        bool as_hex = plain_find_control(text) != NULL;
        if (buf_printf(out, err, "substring_index(K, ") ||
            (as_hex ? sql_put_hex(out, text, err) : sql_put_string(out, text, err)))
            return -1;
        return buf_printf(out, err, ", %lld)),\n", (long long)x->pos);
    }
    if (buf_printf(out, err, "substring(K, %lld", (long long)x->pos)) return -1;
    if (x->has_len && buf_printf(out, err, ", %lld", (long long)x->len)) return -1;
    return buf_printf(out, err, ")),\n");
}

/* ---- the clause ---- */

static int put_values(struct buf *out, const struct list_values *l, struct err *err) {
    if (buf_printf(out, err, " VALUES IN (")) return -1;
    for (uint32_t i = 0; i < l->n; i++)
        if ((i && buf_printf(out, err, ", ")) || sql_put_hex(out, l->values[i], err)) return -1;
    return l->is_default && buf_printf(out, err, l->n ? ", DEFAULT" : "DEFAULT") ? -1 : buf_put_byte(out, ')', err);
}

static int put_bound(struct buf *out, const struct partitioning *p, struct bytes bound, struct err *err) {
    if (buf_printf(out, err, " VALUES LESS THAN (")) return -1;
    int rc = !bound.p           ? buf_printf(out, err, "MAXVALUE")
             : p->by == BY_TIME ? buf_printf(out, err, "%lld", (long long)partitioning_take_time(bound))
                                : sql_put_hex(out, bound, err);
    return rc ? -1 : buf_put_byte(out, ')', err);
}

static int put_one(struct buf *out, const char *word, const struct partitioning *p, uint32_t i, struct err *err) {
    if (buf_printf(out, err, "%s ", word) || sql_put_name(out, p->names[i], err)) return -1;
    if (p->kind == PARTITION_RANGE) return put_bound(out, p, p->bounds[i], err);
    return p->kind == PARTITION_LIST ? put_values(out, &p->lists[i], err) : 0;
}

static int put_list(struct buf *out, const char *word, const struct partitioning *p, struct err *err) {
    for (uint32_t i = 0; i < p->count; i++)
        if (buf_printf(out, err, i ? ",\n    " : " (\n    ") || put_one(out, word, p, i, err)) return -1;
    return buf_put_byte(out, ')', err);
}

static bool has_plain_names(const struct partitioning *p) {
    char name[16];
    for (uint32_t i = 0; i < p->count; i++) {
        snprintf(name, sizeof name, "p%u", i);
        if (strcmp(name, p->names[i]) != 0) return false;
    }
    return true;
}

static int put_kind(struct buf *out, const struct partitioning *p, struct err *err) {
    const char *over = p->by == BY_TIME     ? "G"
                       : p->by == BY_COLUMN ? "K, Q"
                       : p->by == BY_CELL   ? "K, Q, T"
                       : p->prefix.on       ? "K_PREFIX"
                                            : "K";
    const char *kind = p->kind == PARTITION_KEY ? "KEY" : p->kind == PARTITION_LIST ? "LIST COLUMNS" : "RANGE COLUMNS";
    return buf_printf(out, err, "%s(%s)", kind, over);
}

static int put_one_level(struct buf *out, const struct partitioning *p, struct err *err) {
    if (put_kind(out, p, err)) return -1;
    if (p->kind == PARTITION_KEY && has_plain_names(p)) return buf_printf(out, err, " PARTITIONS %u", (unsigned)p->count);
    return put_list(out, "PARTITION", p, err);
}

/* Each with subpartitions of its own. */
static int put_named(struct buf *out, const struct partitioning *p, struct err *err) {
    const struct partitioning *upper = &p->levels[0];
    for (uint32_t i = 0; i < upper->count; i++)
        if (buf_printf(out, err, i ? ",\n  " : " (\n  ") || put_one(out, "PARTITION", upper, i, err) ||
            put_list(out, "SUBPARTITION", partitioning_below(p, i), err))
            return -1;
    return buf_put_byte(out, ')', err);
}

static int put_two_levels(struct buf *out, const struct partitioning *p, struct err *err) {
    const struct partitioning *upper = &p->levels[0], *sub = partitioning_below(p, 0);
    if (put_kind(out, upper, err) || buf_printf(out, err, "\n  SUBPARTITION BY ") || put_kind(out, sub, err)) return -1;
    if (!p->is_template) return put_named(out, p, err);
    if (buf_printf(out, err, " SUBPARTITION TEMPLATE") || put_list(out, "SUBPARTITION", sub, err)) return -1;
    if (upper->kind == PARTITION_KEY && has_plain_names(upper))
        return buf_printf(out, err, "\n  PARTITIONS %u", (unsigned)upper->count);
    return put_list(out, "PARTITION", upper, err);
}

int create_partitions_put(struct buf *out, const struct partitioning *p, struct err *err) {
    if (p->kind == PARTITION_NONE) return 0;
    if (buf_printf(out, err, "\nPARTITION BY ")) return -1;
    return p->kind == PARTITION_TWO_LEVEL ? put_two_levels(out, p, err) : put_one_level(out, p, err);
}

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

static int check_partition_names(const struct partitioning *p, struct err *err) {
    for (uint32_t i = 0; p->kind != PARTITION_NONE && i < p->count; i++)
        if (p->names && p->names[i] && check_name("a partition", p->names[i], err)) return -1;
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
            return err_set(err, ERR_USAGE, "family %s: the OceanBase table has no name; give --ddl FILE.sql or --table NAME",
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

static int copy_ddl(struct buf *out, const struct table *t, struct names *groups, struct err *err) {
    struct ddl_lex lex;
    struct ddl_token tok, before[2] = {{.kind = DDL_END}, {.kind = DDL_END}};
    const char *from = t->ddl;
    uint32_t family = 0;
    int more;
    ddl_lex_init(&lex, "the table definition", t->ddl, strlen(t->ddl));
    while ((more = ddl_lex_next(&lex, &tok, err)) > 0) {
        const struct family *f = &t->families[family < t->n_families ? family : t->n_families - 1];
        if (pass_token(out, &from, &tok, before, &f->rules, groups, err)) return -1;
        family += ddl_token_is_punct(&tok, ';');
        before[1] = before[0];
        before[0] = tok;
    }
    return more < 0 || buf_put(out, from, strlen(from), err) ? -1 : check_literals(t->ddl, err);
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

static int put_tables(struct buf *out, const struct table *t, struct names *groups, struct err *err) {
    if (!t->name) return err_set(err, ERR_USAGE, "the OceanBase table has no name; give --ddl FILE.sql or --table NAME");
    for (uint32_t i = 0; i < t->n_families; i++)
        if (put_table(out, t, &t->families[i], err)) return -1;
    return add_name(groups, bytes_str(t->name), err);
}

int create_sql_put(struct buf *out, const struct table *t, struct err *err) {
    struct buf tables = {0};
    struct names groups = {0};
    int rc = create_sql_check(t, err);
    if (!rc) rc = t->ddl ? copy_ddl(&tables, t, &groups, err) : put_tables(&tables, t, &groups, err);
    for (size_t i = 0; !rc && i < groups.list.n; i += strlen((char *)groups.list.p + i) + 1)
        rc = buf_printf(out, err, "CREATE TABLEGROUP IF NOT EXISTS ") || sql_put_name(out, (char *)groups.list.p + i, err) ||
             buf_printf(out, err, " SHARDING = 'ADAPTIVE';\n");
    if (!rc) rc = buf_put(out, tables.p, tables.n, err);
    buf_free(&tables);
    buf_free(&groups.list);
    return rc ? -1 : 0;
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

int create_sql_show(struct buf *out, const struct table *t, struct err *err) {
    struct table named;
    struct err refused = {0};
    int rc = table_copy(t, &named, err);
    if (rc) return -1;
    rc = create_sql_name(&named, NULL, err);
    usual_lengths(&named);
    const bool refuses = !rc && create_sql_check(&named, &refused);
    if (!rc) rc = refuses ? buf_printf(out, err, "%s", refused.text) : create_sql_put(out, &named, err);
    table_free(&named);
    return rc || buf_put_byte(out, 0, err) ? -1 : refuses;
}
