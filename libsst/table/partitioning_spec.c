/* The notation of --partition: none, key:N, key:N:substring(pos[,len]), key:N:K,Q[,T], range:FILE, ddl:FILE, sql:TEXT. */
#include "table/bounds.h"
#include "table/ddl_lex.h"
#include "table/partitioning.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

static const char usage[] =
    "write none, key:N, key:N:substring(pos[,len]), key:N:K,Q, range:FILE, ddl:FILE or sql:PARTITION BY …";

static const char *skip_blanks(const char *s) {
    while (*s == ' ' || *s == '\t') s++;
    return s;
}

/* A decimal number at *s, which is moved behind it and any blanks. */
static bool take_number(const char **s, int64_t *v) {
    const char *p = skip_blanks(*s);
    if (!isdigit((unsigned char)p[*p == '-'])) return false;
    char *end;
    errno = 0;
    *v = strtoll(p, &end, 10);
    if (errno) return false;
    *s = skip_blanks(end);
    return true;
}

/* substring(1,4), SUBSTR( K , -3 ), … */
static bool take_prefix(const char *s, struct key_prefix *out) {
    size_t n = strcspn(s, " \t(");
    if (!((n == 9 && !strncasecmp(s, "substring", 9)) || (n == 6 && !strncasecmp(s, "substr", 6)))) return false;
    s = skip_blanks(s + n);
    if (*s++ != '(') return false;
    s = skip_blanks(s);
    if (*s == 'K' || *s == 'k') {
        s = skip_blanks(s + 1);
        if (*s++ != ',') return false;
    }
    *out = (struct key_prefix){.on = true};
    if (!take_number(&s, &out->pos) || !out->pos) return false; /* the server's substring from 0 is always empty */
    if (*s == ',') {
        s++;
        out->has_len = true;
        if (!take_number(&s, &out->len)) return false;
    }
    return *s == ')' && !*skip_blanks(s + 1);
}

/* K,Q or K,Q,T, in either case and with blanks. */
static bool take_columns(const char *s, enum partition_by *out) {
    static const char names[] = "KQT";
    size_t n = 0;
    for (;; s++) {
        s = skip_blanks(s);
        if (n == 3 || toupper((unsigned char)*s) != names[n]) return false;
        n++;
        s = skip_blanks(s + 1);
        if (*s != ',') break;
    }
    *out = n == 3 ? BY_CELL : n == 2 ? BY_COLUMN : BY_ROW;
    return !*s;
}

static int parse_key(const char *spec, const char *s, struct partitioning *out, struct err *err) {
    int64_t n;
    *out = (struct partitioning){.kind = PARTITION_KEY};
    if (!take_number(&s, &n) || (*s && *s != ':')) return err_set(err, ERR_USAGE, "partitioning '%s': %s", spec, usage);
    if (n < 1 || n > PARTITIONS_MAX)
        return err_set(err, ERR_USAGE, "partitioning '%s': the number of partitions must be 1 to %d", spec, PARTITIONS_MAX);
    if (*s == ':' && !take_prefix(skip_blanks(s + 1), &out->prefix) && !take_columns(s + 1, &out->by))
        return err_set(err, ERR_USAGE,
                       "partitioning '%s': expected substring(pos[,len]) with pos from 1, or from -1 at the end, K,Q or K,Q,T "
                       "after the count",
                       spec);
    for (int64_t i = 0; i < n; i++)
        if (partitioning_add(out, NULL, NULL, err)) return -1;
    return 0;
}

static int parse_range(const char *path, struct partitioning *out, struct buf *warnings, struct err *err) {
    bool is_dump;
    if (!*path) return err_set(err, ERR_USAGE, "partitioning 'range:': the name of the bounds file is missing");
    if (bound_file_read(path, out, &is_dump, err)) return -1;
    uint32_t bad = is_dump ? 0 : partitioning_count_not_utf8(out);
    if (bad && buf_printf(warnings, err, "%s: %u bounds are not valid UTF-8: OceanBase refuses them in CREATE TABLE (1366)\n",
                          path, (unsigned)bad))
        return -1;
    if (partitioning_client_differs(out) &&
        buf_printf(warnings, err, "%s: a bound has a byte >= 0x80: Java clients in direct mode look in other partitions\n", path))
        return -1;
    return 0;
}

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

/* A ';' may end the clause; what stands behind would be passed over. */
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

/* A PARTITION BY clause behind a table that has K, Q, T and, as G, the time. */
static int parse_sql(const char *clause, struct partitioning *out, struct buf *warnings, struct err *err) {
    static const char head[] = "CREATE TABLE `t$f` (K varbinary(1024), Q varbinary(256), T bigint, V longblob, "
                               "G bigint GENERATED ALWAYS AS (ABS(T)), PRIMARY KEY (K, Q, T))";
    struct table t = {0};
    struct buf text = {0};
    clause = skip_blanks(clause);
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

int partitioning_parse(const char *spec, struct partitioning *out, struct buf *warnings, struct err *err) {
    int rc;
    *out = (struct partitioning){.kind = PARTITION_NONE};
    if (!strcmp(spec, "none")) {
        rc = partitioning_add(out, NULL, NULL, err);
    } else if (!strncmp(spec, "key:", 4)) {
        rc = parse_key(spec, spec + 4, out, err);
    } else if (!strncmp(spec, "range:", 6)) {
        rc = parse_range(spec + 6, out, warnings, err);
    } else if (!strncmp(spec, "ddl:", 4)) {
        rc = parse_ddl(spec + 4, out, warnings, err);
    } else if (!strncmp(spec, "sql:", 4)) {
        rc = parse_sql(spec + 4, out, warnings, err);
    } else {
        rc = err_set(err, ERR_USAGE, "partitioning '%s': %s", spec, usage);
    }
    if (rc) partitioning_free(out);
    return rc;
}
