/* OceanBase DDL to a struct table: one CREATE TABLE per family, everything between them skipped.
 *
 * `htable1$family1`: the HBase table name ends at the first '$', since HBase allows '$' in family names but not in table
 * names; it may hold a namespace (`ns1:htable1$cf`). A database in front (`db`.`htable1$cf`) is dropped. */
#include "table/ddl.h"
#include "table/ddl_columns.h"
#include "table/ddl_parser.h"

#include "base/fs.h"
#include "table/kv_attributes.h"

#include <stdlib.h>

enum { DDL_FILE_LIMIT_BYTES = 1 << 28 };

/* ---- text as the client prints it ----
 *
 * `mysql -e 'SHOW CREATE TABLE …' > file` writes one line per table: its name, a TAB, and the text with LF, TAB, NUL and
 * backslash escaped. Such lines are recognised by what no hand-written DDL has: TAB, CREATE TABLE, and (\n in letters. */

static bool next_line(struct bytes *rest, struct bytes *line) {
    if (!rest->n) return false;
    const uint8_t *nl = memchr(rest->p, '\n', rest->n);
    size_t n = nl ? (size_t)(nl - rest->p) + 1 : rest->n;
    *line = (struct bytes){rest->p, n};
    rest->p += n;
    rest->n -= n;
    return true;
}

/* Returns where the DDL starts in a wrapped line; NULL: the line is none. */
static const uint8_t *wrapped(struct bytes line) {
    static const char head[] = "CREATE TABLE ", open[] = "(\\n";
    const uint8_t *tab = memchr(line.p, '\t', line.n);
    if (!tab) return NULL;
    size_t left = line.n - (size_t)(tab + 1 - line.p);
    if (left < sizeof head || memcmp(tab + 1, head, sizeof head - 1) != 0) return NULL;
    return memmem(tab + 1, left, open, sizeof open - 1) ? tab + 1 : NULL;
}

static int put_unescaped(struct bytes s, struct buf *out, struct err *err) {
    for (size_t i = 0; i < s.n; i++) {
        uint8_t c = s.p[i];
        if (c == '\\' && i + 1 < s.n) {
            c = s.p[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == '0' ? 0 : c;
        }
        if (buf_put_byte(out, c, err)) return -1;
    }
    return 0;
}

/* out stays empty when no line is wrapped. */
static int unwrap(struct bytes text, struct buf *out, struct err *err) {
    struct bytes rest = text, line;
    bool any = false;
    while (next_line(&rest, &line)) any = any || wrapped(line);
    for (rest = text; any && next_line(&rest, &line);) {
        const uint8_t *start = wrapped(line);
        int rc = start ? put_unescaped((struct bytes){start, (size_t)(line.p + line.n - start)}, out, err)
                       : buf_put(out, line.p, line.n, err);
        if (rc) return -1;
    }
    return 0;
}

/* ---- statements ---- */

/* look: what comes after CREATE TABLE [IF NOT EXISTS]; false: this is another statement. */
static bool look_past_create(const struct ddl *d, struct ddl *look, struct err *ignored) {
    *look = *d;
    look->err = ignored;
    look->lex.versions = NULL;
    if (!ddl_accept(look, "create") || !ddl_accept(look, "table")) return false;
    return !ddl_accept(look, "if") || (ddl_accept(look, "not") && ddl_accept(look, "exists"));
}

/* CREATE TABLE [IF NOT EXISTS] name [. name] ( … but not LIKE or SELECT. */
static bool at_create_table(const struct ddl *d) {
    struct err ignored = {0};
    struct ddl look;
    struct ddl_token name;
    if (!look_past_create(d, &look, &ignored)) return false;
    if (ddl_take_name(&look, &name, "")) return false;
    if (ddl_accept_punct(&look, '.') && ddl_take_name(&look, &name, "")) return false;
    return ddl_accept_punct(&look, '(') && !ddl_at(&look, "like") && !ddl_at(&look, "select");
}

/* Returns whether the token begins what clients print around a result: "| … |", "*** 2. row ***", "1 row in set". */
static bool at_frame(const struct ddl *d) {
    struct err ignored = {0};
    struct ddl look = *d;
    if (ddl_at_punct(d, '|') || ddl_at_punct(d, '*')) return true;
    if (d->tok.kind != DDL_NUMBER) return false;
    look.err = &ignored;
    look.lex.versions = NULL;
    ddl_advance(&look);
    return ddl_at(&look, "row") || ddl_at(&look, "rows");
}

/* CREATE TABLE "t$f": under the default sql_mode that is no name. */
static bool at_string_named_table(const struct ddl *d) {
    struct err ignored = {0};
    struct ddl look;
    return look_past_create(d, &look, &ignored) && look.tok.kind == DDL_STRING;
}

static bool at_statement_end(const struct ddl *d) {
    return d->tok.kind == DDL_END || ddl_at_punct(d, ';') || at_create_table(d) || at_frame(d);
}

/* Skips past the ';', or to a CREATE TABLE: the output of SHOW CREATE TABLE has no ';'. */
static void skip_statement(struct ddl *d) {
    bool shows = ddl_at(d, "show");
    do ddl_advance(d);
    while (d->tok.kind != DDL_END && !ddl_at_punct(d, ';') && (shows || !at_create_table(d)));
    ddl_accept_punct(d, ';');
}

/* TTL = (expires + INTERVAL 1 DAY): rows go by a rule of their own. */
static int take_ttl(struct ddl *d) {
    const uint32_t line = d->tok.line;
    ddl_advance(d);
    ddl_accept_punct(d, '=');
    if (!ddl_at_punct(d, '(')) return 0;
    d->t->family.has_ttl_option = true;
    return ddl_skip_parens(d) ||
                   ddl_warn(d, WARN_DDL_TTL, line,
                            "the table option TTL: the server deletes rows by it, and obkv-verify will report them as missing; "
                            "TimeToLive of KV_ATTRIBUTES is known on both sides")
               ? -1
               : 0;
}

/* Takes the tail: only WITH COLUMN GROUP (…) may follow the partitions. */
static int take_tail(struct ddl *d) {
    if (ddl_accept(d, "with")) {
        if (ddl_expect(d, "column") || ddl_expect(d, "group")) return -1;
        if (!ddl_at_punct(d, '(')) return ddl_unexpected(d, "'('");
        if (ddl_skip_parens(d)) return -1;
    }
    return at_statement_end(d) ? 0 : ddl_unexpected(d, "';' or the end after the partitions");
}

static int take_option(struct ddl *d) {
    if (ddl_at(d, "kv_attributes")) return kv_attributes_take(d);
    if (ddl_at(d, "ttl")) return take_ttl(d);
    if (ddl_at(d, "dynamic_partition_policy"))
        return ddl_fail(d, d->tok.line,
                        "DYNAMIC_PARTITION_POLICY: its partitions change by themselves, so files made now "
                        "would not fit later");
    if (ddl_at(d, "organization") || ddl_at(d, "replica_num")) d->t->is_printed = true;
    if (ddl_at_punct(d, '(')) return ddl_skip_parens(d);
    if (ddl_at_punct(d, ')')) return ddl_unexpected(d, "a table option");
    ddl_advance(d);
    return 0;
}

static int take_options(struct ddl *d) {
    while (!at_statement_end(d)) {
        if (ddl_accept(d, "partition")) {
            if (ddl_expect(d, "by") || ddl_partition(d)) return -1;
            return take_tail(d);
        }
        if (take_option(d)) return -1;
    }
    return 0;
}

static int take_table_name(struct ddl *d) {
    struct ddl_token name;
    ddl_advance(d);
    ddl_advance(d);
    if (ddl_accept(d, "if")) {
        ddl_advance(d);
        ddl_advance(d);
    }
    d->t->name_from = d->t->name_to = d->tok.p;
    if (ddl_take_name(d, &name, "a table name")) return -1;
    if (ddl_accept_punct(d, '.')) {
        d->t->name_to = d->tok.p;
        if (ddl_take_name(d, &name, "a table name")) return -1;
    }
    const char *text = ddl_name_text(d, &name);
    if (!text) return -1;
    d->t->name = strdup(text);
    return d->t->name ? 0 : err_nomem(d->err, strlen(text) + 1, "a table name");
}

/* All tables of a table group are partitioned alike, so that a row has one partition index in all families. */
#define ALIKE \
    "families of one table are in one table group, which takes only equal partitions (error 4179): repeat the PARTITION BY"
static int check_agrees(struct ddl *d, const struct table *out, uint32_t line, size_t name_n) {
    const struct ddl_table *t = d->t;
    if (out->n_families == 0) return 0;
    const char *first = out->families[0].sql_table;
    if (strlen(out->name) != name_n || memcmp(out->name, t->name, name_n))
        return ddl_fail(d, line, "belongs to another HBase table than `%.140s`: one DDL file describes one table", first);
    if (partitioning_eq(&out->partitioning, &t->partitioning)) return 0;
    struct buf a = {0}, b = {0};
    int rc = -1;
    if (!partitioning_describe(&out->partitioning, &a, d->err) && !partitioning_describe(&t->partitioning, &b, d->err))
        rc = ddl_fail(d, line, "its partitioning, %.*s, differs from that of `%.140s`, %.*s%s; " ALIKE, (int)b.n, (char *)b.p,
                      first, (int)a.n, (char *)a.p, bytes_eq(buf_bytes(&a), buf_bytes(&b)) ? " (other bounds or names)" : "");
    buf_free(&a);
    buf_free(&b);
    return rc;
}

/* Two families for HBase; two tables for OceanBase only where lower_case_table_names is 0, which is not its default. */
static int warn_case(struct ddl *d, const struct table *out, const char *family, uint32_t line) {
    const int twin = table_family_without_case(out, out->n_families, family);
    if (twin < 0) return 0;
    return ddl_warn(d, WARN_DDL_NAME, line,
                    "its family differs from %.100s in case only: OceanBase takes the two tables for one, unless "
                    "lower_case_table_names is 0; rename one (--families OLD=NEW)",
                    out->families[twin].name);
}

static int keep_family(struct ddl *d, struct table *out, uint32_t line) {
    struct ddl_table *t = d->t;
    const char *dollar = strchr(t->name, '$'), *family = dollar ? dollar + 1 : t->name;
    size_t name_n = dollar ? (size_t)(dollar - t->name) : strlen(t->name);
    struct err bad = {0};
    if (!dollar && ddl_warn(d, WARN_DDL_NAME, line,
                            "its name has no '$family', so no OBKV client finds it; treated as family %.140s", family))
        return -1;
    if (dollar && name_n == 0) return ddl_fail(d, line, "no HBase table name before the '$'");
    if (check_agrees(d, out, line, name_n)) return -1;
    if (warn_case(d, out, family, line)) return -1;
    if (table_add_family(out, bytes_str(family), &bad)) return ddl_fail_as(d, line, &bad);
    struct family *f = &out->families[out->n_families - 1];
    t->family.name = f->name;
    *f = t->family;
    t->family.v_type = NULL;
    f->sql_table = t->name;
    t->name = NULL;
    if (out->n_families > 1) return 0;
    out->name = strndup(f->sql_table, name_n);
    if (!out->name) return err_nomem(d->err, name_n + 1, "a table name");
    out->partitioning = t->partitioning;
    t->partitioning = (struct partitioning){0};
    out->client_order_differs = partitioning_client_differs(&out->partitioning);
    return 0;
}

/* Returns the bytes that are kept of a token: nothing of the database in front of the table's name; the attributes as the string
 * that they are. */
static struct bytes kept_of(const struct ddl_table *t, const struct ddl_token *tok) {
    if (tok->p >= t->name_from && tok->p < t->name_to) return bytes_of("", 0);
    if (!t->has_kv || tok->p < t->kv_from || tok->p >= t->kv_to) return bytes_of(tok->p, tok->n);
    return tok->p == t->kv_from ? bytes_of(t->kv.p, t->kv.n) : bytes_of("", 0);
}

/* The statement without comments and without blanks at line ends. */
static int append_text(struct ddl *d, struct ddl_lex lex, const char *to, struct buf *out) {
    struct err ignored = {0}; /* all of it was read before; only a comment may reach beyond the end */
    struct ddl_token tok;
    const char *before = lex.p;
    lex.end = to; /* the statement starts with a word, so that a byte precedes every other token */
    while (ddl_lex_next(&lex, &tok, &ignored) > 0) {
        const struct bytes kept = kept_of(d->t, &tok);
        if (!kept.n) continue;
        const char *nl = memrchr(before, '\n', (size_t)(tok.p - before));
        size_t indent = 0;
        while (nl && nl + 1 + indent < tok.p && (nl[1 + indent] == ' ' || nl[1 + indent] == '\t')) indent++;
        if (nl && (buf_put_byte(out, '\n', d->err) || buf_put(out, nl + 1, indent, d->err))) return -1;
        bool dashes = tok.p == before && *tok.p == '-' && tok.p[-1] == '-'; /* must not become a comment */
        if (!nl && (tok.p > before || dashes) && buf_put_byte(out, ' ', d->err)) return -1;
        if (buf_put(out, kept.p, kept.n, d->err)) return -1;
        before = tok.p + tok.n;
    }
    return buf_put(out, ";\n", 2, d->err);
}

static int take_create_table(struct ddl *d, struct table *out, struct buf *text) {
    struct ddl_table t = {0};
    struct ddl_lex from = d->lex;
    uint32_t line = d->tok.line;
    from.p = d->tok.p;
    from.versions = NULL;
    d->t = &t;
    int rc = -1;
    if (take_table_name(d) || ddl_columns(d) || ddl_columns_check(d) || take_options(d)) goto out;
    if (t.partitioning.kind == PARTITION_NONE) {
        t.partitioning.k_pad = 0;
        if (partitioning_add(&t.partitioning, NULL, NULL, d->err)) goto out;
    }
    if (d->err->code != ERR_NONE || kv_attributes_rules(d) || append_text(d, from, d->taken, text)) goto out;
    rc = keep_family(d, out, line);
out:
    d->t = NULL;
    free(t.name);
    free(t.columns);
    free(t.family.v_type);
    buf_free(&t.kv_text);
    partitioning_free(&t.partitioning);
    return rc;
}

/* `create 't', …` of HBase's shell, or create('t', …), or what its `describe` prints. */
static bool at_shell_create(const struct ddl *d) {
    static const char description[] = "COLUMN FAMILIES DESCRIPTION";
    struct err ignored = {0};
    if (memmem(d->lex.p, (size_t)(d->lex.end - d->lex.p), description, sizeof description - 1)) return true;
    struct ddl look = *d;
    look.err = &ignored;
    look.lex.versions = NULL;
    if (!ddl_accept(&look, "create")) return false;
    ddl_accept_punct(&look, '(');
    return look.tok.kind == DDL_STRING;
}

static int read_statements(struct ddl *d, struct table *out, struct buf *text) {
    ddl_advance(d);
    const bool of_shell = at_shell_create(d);
    uint32_t string_line = 0;
    while (d->tok.kind != DDL_END) {
        if (!at_create_table(d)) {
            if (!string_line && at_string_named_table(d)) string_line = d->tok.line;
            skip_statement(d);
        } else if (take_create_table(d, out, text)) {
            return -1;
        }
    }
    if (d->err->code != ERR_NONE) return -1;
    const struct ddl_versions *v = d->lex.versions;
    if (v->old_line && !v->has_new)
        return ddl_fail(d, v->old_line, "a comment says it is from OceanBase before 4.0, whose hash differs: not supported");
    if (out->n_families) return 0;
    if (of_shell)
        return err_set(d->err, ERR_USAGE,
                       "%s: a create statement or description of HBase's shell, which has no partitions of OceanBase; obkv-split "
                       "plan --ddl %s "
                       "-o PLAN INPUT… writes a DDL of this table, PLAN/table.sql",
                       d->lex.name, d->lex.name);
    if (string_line)
        return ddl_fail(d, string_line,
                        "the table's name stands in quotes, which makes it a string under the default sql_mode; put names in "
                        "backquotes: CREATE TABLE `table$family` (…)");
    return err_set(d->err, ERR_USAGE, "%s: no CREATE TABLE `table$family` (…) in it", d->lex.name);
}

static int parse_ddl(const char *name_of_input, bool unnamed, const char *text, size_t n, struct table *out, struct err *err) {
    *out = (struct table){.default_rules = {.versions = UINT32_MAX}};
    struct err mine = {0};
    struct ddl_versions versions = {0};
    struct buf kept = {0}, unwrapped = {0};
    struct ddl d = {.unnamed = unnamed, .warnings = &out->warnings, .err = &mine};
    if (!n) text = "";
    int rc = unwrap(bytes_of(text, n), &unwrapped, &mine);
    if (unwrapped.n) {
        text = (char *)unwrapped.p;
        n = unwrapped.n;
    }
    if (!rc && memchr(text, 0, n)) rc = err_set(&mine, ERR_USAGE, "%s: holds a NUL byte: not text, or UTF-16", name_of_input);
    ddl_lex_init(&d.lex, name_of_input, text, n);
    d.lex.versions = &versions;
    if (!rc) rc = read_statements(&d, out, &kept);
    if (!rc) rc = buf_put_byte(&kept, 0, &mine);
    if (!rc) {
        out->ddl = (char *)kept.p;
        kept = (struct buf){0};
    } else {
        table_free(out);
        err_keep(err, &mine);
    }
    buf_free(&kept);
    buf_free(&unwrapped);
    buf_free(&d.scratch);
    return rc;
}

int ddl_parse(const char *name_of_input, const char *text, size_t n, struct table *out, struct err *err) {
    return parse_ddl(name_of_input, false, text, n, out, err);
}

int ddl_parse_unnamed(const char *name_of_input, const char *text, size_t n, struct table *out, struct err *err) {
    return parse_ddl(name_of_input, true, text, n, out, err);
}

int ddl_parse_file(const char *path, struct table *out, struct err *err) {
    size_t n;
    *out = (struct table){0};
    char *text = fs_read_text(path, DDL_FILE_LIMIT_BYTES, &n, err);
    if (!text) return -1;
    int rc = ddl_parse(path, text, n, out, err);
    free(text);
    return rc;
}
