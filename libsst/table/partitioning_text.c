/* Partitionings as text: the notation of --partition is read, and a line for people is written. A word before the first ':' names a
 * partitioner (place_*.c), which reads the rest; `ddl:` and `sql:` take over what a CREATE TABLE says. */
#include "table/ddl_lex.h"
#include "table/partitioner.h"
#include "table/table.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- in ---- */

/* The partitions of a table's definition, which may be of every kind; nothing else of it. */
static int take_table(struct table *t, struct partitioning *out, struct buf *warnings, struct err *err) {
    int rc = buf_put(warnings, t->warnings.p, t->warnings.n, err);
    *out = t->partitioning;
    t->partitioning = (struct partitioning){0};
    return rc;
}

static int parse_ddl(const char *path, struct partitioning *out, struct buf *warnings, struct err *err) {
    struct table t = {0};
    if (!*path) return err_set(err, ERR_USAGE, "partitioning 'ddl:': the name of the file with CREATE TABLE is missing");
    if (ddl_parse_file(path, &t, err)) return -1;
    int rc = take_table(&t, out, warnings, err);
    table_free(&t);
    return rc;
}

/* A ';' may end the clause; what follows it would be ignored. */
static int demand_one_statement(const char *clause, struct err *err) {
    struct ddl_lex lex;
    struct ddl_token tok;
    int more;
    bool ended = false;
    ddl_lex_init(&lex, "--partition sql", clause, strlen(clause));
    while ((more = ddl_lex_next(&lex, &tok, err)) == 1) {
        if (ended) return err_set(err, ERR_USAGE, "--partition sql: holds more than one statement");
        ended = ddl_token_is_punct(&tok, ';');
    }
    return more;
}

/* A PARTITION BY clause after a table that has K, Q, T and, as G, the time. */
static int parse_sql(const char *clause, struct partitioning *out, struct buf *warnings, struct err *err) {
    static const char head[] = "CREATE TABLE `t$f` (K varbinary(1024), Q varbinary(256), T bigint, V longblob, "
                               "G bigint GENERATED ALWAYS AS (ABS(T)), PRIMARY KEY (K, Q, T))";
    struct table t = {0};
    struct buf text = {0};
    clause = partitioner_skip_blanks(clause);
    const char *by = strncasecmp(clause, "partition by", 12) != 0 ? "PARTITION BY" : "";
    int rc = demand_one_statement(clause, err);
    if (!rc) rc = buf_printf(&text, err, "%s %s %s", head, by, clause);
    if (!rc) rc = ddl_parse_unnamed("--partition sql", (char *)text.p, text.n, &t, err);
    if (!rc) rc = take_table(&t, out, warnings, err);
    if (!rc && out->kind == PARTITION_NONE) rc = err_set(err, ERR_USAGE, "--partition sql: holds no PARTITION BY clause");
    table_free(&t);
    buf_free(&text);
    return rc;
}

static int unknown_word(const char *spec, struct err *err) {
    struct buf text = {0};
    int rc = buf_printf(&text, err, "partitioning '%s': write none, ", spec);
    for (size_t i = 0; !rc && partitioner_at(i); i++)
        if (partitioner_at(i)->usage && partitioner_at(i)->kind != PARTITION_NONE)
            rc = buf_printf(&text, err, "%s, ", partitioner_at(i)->usage);
    if (!rc) err_set(err, ERR_USAGE, "%.*sddl:FILE or sql:PARTITION BY …", (int)text.n, (const char *)text.p);
    buf_free(&text);
    return -1;
}

int partitioning_parse(const char *spec, struct partitioning *out, struct buf *warnings, struct err *err) {
    size_t n = strcspn(spec, ":");
    const struct partitioner *by = partitioner_named(bytes_of((const uint8_t *)spec, n));
    int rc;
    *out = (struct partitioning){.kind = PARTITION_NONE};
    if (by)
        rc = by->parse(spec, spec[n] ? spec + n + 1 : NULL, out, warnings, err);
    else if (!strncmp(spec, "ddl:", 4))
        rc = parse_ddl(spec + 4, out, warnings, err);
    else if (!strncmp(spec, "sql:", 4))
        rc = parse_sql(spec + 4, out, warnings, err);
    else
        rc = unknown_word(spec, err);
    if (!rc && out->kind == PARTITION_OTHER && !(out->notation = strdup(spec)))
        rc = err_nomem(err, n, "the notation of a partitioning");
    if (rc) partitioning_free(out);
    return rc;
}

/* ---- out ---- */

static int describe_key(const struct partitioning *p, struct buf *out, struct err *err) {
    char text[80];
    const char *over = p->by == BY_COLUMN ? "K,Q" : p->by == BY_CELL ? "K,Q,T" : key_prefix_text(&p->prefix, text);
    return buf_printf(out, err, "KEY(%s) PARTITIONS %u", over, (unsigned)p->count);
}

static void show(const struct partitioning *p, struct bytes bound, char out[80]) {
    if (p->by == BY_TIME && bound.p)
        snprintf(out, 80, "%lld", (long long)partitioning_take_time(bound));
    else
        partitioning_show_bound(bound, out);
}

static int describe_range(const struct partitioning *p, struct buf *out, struct err *err) {
    char first[80], last[80], text[80];
    const char *over = p->by == BY_TIME ? "ABS(T)" : key_prefix_text(&p->prefix, text);
    show(p, p->bounds[0], first);
    show(p, p->bounds[p->count - 1], last);
    if (p->count == 1) return buf_printf(out, err, "RANGE COLUMNS(%s) PARTITIONS 1, below %s", over, first);
    return buf_printf(out, err, "RANGE COLUMNS(%s) PARTITIONS %u, first below %s, last below %s", over, (unsigned)p->count, first,
                      last);
}

static int describe_list(const struct partitioning *p, struct buf *out, struct err *err) {
    char text[80];
    uint32_t values = 0;
    bool is_default = false;
    for (uint32_t i = 0; i < p->count; i++) {
        values += p->lists[i].n;
        is_default = is_default || p->lists[i].is_default;
    }
    return buf_printf(out, err, "LIST COLUMNS(%s) PARTITIONS %u, %u values%s", key_prefix_text(&p->prefix, text),
                      (unsigned)p->count, (unsigned)values, is_default ? " and DEFAULT" : "");
}

static int describe_levels(const struct partitioning *p, struct buf *out, struct err *err) {
    if (partitioning_describe(&p->levels[0], out, err) || buf_printf(out, err, "; each by ") ||
        partitioning_describe(&p->levels[1], out, err))
        return -1;
    return buf_printf(out, err, "%s; %u leaves", p->n_levels > 2 ? " and the like" : "", (unsigned)p->count);
}

int partitioning_describe(const struct partitioning *p, struct buf *out, struct err *err) {
    int rc;
    switch (p->kind) {
    case PARTITION_KEY: rc = describe_key(p, out, err); break;
    case PARTITION_RANGE: rc = describe_range(p, out, err); break;
    case PARTITION_LIST: rc = describe_list(p, out, err); break;
    case PARTITION_TWO_LEVEL: return describe_levels(p, out, err);
    case PARTITION_OTHER: return buf_printf(out, err, "%s", p->notation);
    default: return buf_printf(out, err, "not partitioned");
    }
    if (!rc && p->k_pad) rc = buf_printf(out, err, ", K binary(%u)", (unsigned)p->k_pad);
    return rc;
}
