/* Reads the notation of --partition. A word before the first ':' names a partitioner (place_*.c), which reads the rest; `ddl:`
 * and `sql:` take the partitions of a CREATE TABLE, which may be of every kind. */
#include "table/ddl.h"
#include "table/ddl_lex.h"
#include "table/key_prefix.h"
#include "table/partitioner.h"
#include "table/placement.h"
#include "table/table.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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
    const bool is_sql = strchr(spec, '(') != NULL;
    if (!rc)
        err_set(err, ERR_USAGE, "%.*sddl:FILE or sql:PARTITION BY …%s%s%s", (int)text.n, (const char *)text.p,
                is_sql ? "; did you mean 'sql:" : "", is_sql ? spec : "", is_sql ? "'?" : "");
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
