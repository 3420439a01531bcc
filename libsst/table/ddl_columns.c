/* Columns and keys of CREATE TABLE, and what they make of the family: lengths of K, Q and V, the type of V, a TTL column.
 * Columns are found by name, without case; what OBKV-HBase needs and the statement lacks is an error with its line. */
#include "table/ddl_columns.h"
#include "table/ddl_parser.h"

#include "base/buf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { VARBINARY_MAX = 1048576, BINARY_MAX = 255, PRIMARY_KEY_MAX = 16384 };

static const struct {
    const char *name;
    uint64_t max;
} blob_types[] = {{"tinyblob", 255}, {"blob", 65535}, {"mediumblob", 16777215}, {"longblob", 536870911}};

const struct ddl_column *ddl_column_named(const struct ddl_table *t, const struct ddl_token *name) {
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (ddl_tokens_same_name(&t->columns[i].name, name)) return &t->columns[i];
    return NULL;
}

static const struct ddl_column *column_of(const struct ddl_table *t, const char *name) {
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (ddl_token_names(&t->columns[i].name, name)) return &t->columns[i];
    return NULL;
}

static int take_primary(struct ddl *d) {
    struct ddl_table *t = d->t;
    if (t->n_primary) return ddl_fail(d, d->tok.line, "PRIMARY KEY appears twice");
    while (ddl_accept(d, "using") || ddl_accept(d, "btree") || ddl_accept(d, "hash")) continue;
    if (ddl_expect_punct(d, '(')) return -1;
    do {
        if (t->n_primary == DDL_PRIMARY_MAX) return ddl_fail(d, d->tok.line, "PRIMARY KEY: more than K, Q, T");
        if (ddl_take_name(d, &t->primary[t->n_primary++], "a column of PRIMARY KEY")) return -1;
        if (ddl_at_punct(d, '(')) return ddl_fail(d, d->tok.line, "PRIMARY KEY over a part of a column is not supported");
        if (!ddl_accept(d, "asc") && ddl_at(d, "desc")) return ddl_fail(d, d->tok.line, "PRIMARY KEY: DESC is not supported");
    } while (ddl_accept_punct(d, ','));
    return ddl_expect_punct(d, ')');
}

/* Skips to the comma or parenthesis that ends the element. */
static int skip_element(struct ddl *d) {
    while (!ddl_at_punct(d, ',') && !ddl_at_punct(d, ')')) {
        if (d->tok.kind == DDL_END) return ddl_unexpected(d, "',' or ')'");
        if (ddl_at_punct(d, '(')) {
            if (ddl_skip_parens(d)) return -1;
        } else {
            ddl_advance(d);
        }
    }
    return 0;
}

static int take_charset(struct ddl *d, struct ddl_column *c) {
    ddl_accept_punct(d, '=');
    c->is_text = c->is_text || !ddl_at(d, "binary");
    if (d->tok.kind != DDL_END) ddl_advance(d);
    return 0;
}

static int take_expression(struct ddl *d, struct ddl_column *c) {
    if (!ddl_at_punct(d, '(')) return ddl_unexpected(d, "'(' after AS");
    c->is_generated = true;
    c->expression = d->lex;
    return ddl_skip_parens(d);
}

/* REPLACE would remove the one row for the other, without a word. */
static int refuse_unique(struct ddl *d, uint32_t line) {
    return ddl_fail(d, line,
                    "it has a UNIQUE key that is not over K, Q and T: of rows that agree in it, one would remain; drop it");
}

/* DEFAULT CURRENT_TIMESTAMP, NOW(), (expression): the server computes it for each row. A literal may follow _utf8mb4. */
static void take_default(struct ddl *d, struct ddl_column *c) {
    c->has_value = true;
    ddl_advance(d);
    bool word = d->tok.kind == DDL_WORD && d->tok.p[0] != '_';
    bool literal = ddl_at(d, "null") || ddl_at(d, "true") || ddl_at(d, "false") || ddl_at(d, "date") || ddl_at(d, "timestamp");
    c->is_computed = c->is_computed || ddl_at_punct(d, '(') || (word && !literal);
}

static int take_attribute(struct ddl *d, struct ddl_column *c) {
    if (ddl_accept(d, "as")) return take_expression(d, c);
    if (ddl_accept(d, "charset") || ddl_accept(d, "collate")) return take_charset(d, c);
    if (ddl_accept(d, "character")) return ddl_expect(d, "set") ? -1 : take_charset(d, c);
    if (ddl_at(d, "primary")) return ddl_fail(d, d->tok.line, "PRIMARY KEY on one column: it must be (K, Q, T)");
    if (ddl_at(d, "unique")) return refuse_unique(d, d->tok.line);
    if (ddl_at_punct(d, '(')) return ddl_skip_parens(d);
    if (ddl_at(d, "unsigned") || ddl_at(d, "zerofill")) c->is_unsigned = true;
    if (ddl_at(d, "default")) {
        take_default(d, c);
        return 0;
    }
    if (ddl_at(d, "auto_increment")) c->has_value = true;
    if (ddl_accept(d, "not")) c->is_not_null = ddl_at(d, "null");
    ddl_advance(d);
    return 0;
}

/* (N), or (N, M) and the like, of which only the first number is kept. */
static int take_length(struct ddl *d, struct ddl_column *c) {
    if (!ddl_accept_punct(d, '(')) return 0;
    if (d->tok.kind == DDL_NUMBER) {
        if (ddl_take_number(d, UINT32_MAX, &c->length, "the column's length")) return -1;
        c->has_length = true;
    }
    while (!ddl_at_punct(d, ')')) {
        if (d->tok.kind == DDL_END || ddl_at_punct(d, '(')) return ddl_unexpected(d, "')'");
        ddl_advance(d);
    }
    return ddl_expect_punct(d, ')');
}

static int take_column(struct ddl *d) {
    struct ddl_table *t = d->t;
    struct ddl_column c = {0};
    if (ddl_take_name(d, &c.name, "a column name")) return -1;
    if (ddl_take_name(d, &c.type, "a column type") || take_length(d, &c)) return -1;
    while (!ddl_at_punct(d, ',') && !ddl_at_punct(d, ')')) {
        if (d->tok.kind == DDL_END) return ddl_unexpected(d, "',' or ')'");
        if (take_attribute(d, &c)) return -1;
    }
    if (ddl_column_named(t, &c.name)) {
        const char *name = ddl_name_text(d, &c.name);
        return name ? ddl_fail(d, c.name.line, "column %.64s appears twice", name) : -1;
    }
    if (t->n_columns == DDL_COLUMNS_MAX) return ddl_fail(d, c.name.line, "more than %d columns", DDL_COLUMNS_MAX);
    if (grow_array(&t->columns, t->n_columns, sizeof *t->columns, "columns", d->err)) return -1;
    t->columns[t->n_columns++] = c;
    return 0;
}

static int warn_index(struct ddl *d) {
    return ddl_warn(d, WARN_DDL_INDEX, d->tok.line, "it has an index: OBKV clients do not use it, and every write maintains it");
}

/* Takes a unique key, over K, Q and T as a whole, and perhaps more: no two rows agree in it. */
static int take_unique(struct ddl *d) {
    static const char *const want[] = {"K", "Q", "T"};
    uint32_t line = d->tok.line, found = 0;
    if (warn_index(d)) return -1;
    while (d->tok.kind != DDL_END && !ddl_at_punct(d, '(')) ddl_advance(d);
    if (ddl_expect_punct(d, '(')) return -1;
    do {
        struct ddl_token column = d->tok;
        if (!ddl_at_punct(d, '(')) ddl_advance(d);
        bool whole = !ddl_at_punct(d, '(');
        for (uint32_t i = 0; whole && i < countof(want); i++) found |= (uint32_t)ddl_token_names(&column, want[i]) << i;
        if (skip_element(d)) return -1;
    } while (ddl_accept_punct(d, ','));
    if (ddl_expect_punct(d, ')')) return -1;
    return found == (1u << countof(want)) - 1 ? skip_element(d) : refuse_unique(d, line);
}

static int take_element(struct ddl *d) {
    static const char *const indexes[] = {"key", "index", "fulltext", "spatial", "vector"}, *const others[] = {"check",
                                                                                                               "foreign"};
    if (ddl_accept(d, "constraint") && !ddl_at(d, "primary") && !ddl_at(d, "unique") && !ddl_at(d, "check") &&
        !ddl_at(d, "foreign"))
        ddl_advance(d);
    if (ddl_accept(d, "primary")) {
        if (ddl_expect(d, "key") || take_primary(d)) return -1;
        return skip_element(d);
    }
    if (ddl_at(d, "unique")) return take_unique(d);
    for (size_t i = 0; i < countof(indexes); i++)
        if (ddl_at(d, indexes[i])) return warn_index(d) ? -1 : skip_element(d);
    for (size_t i = 0; i < countof(others); i++)
        if (ddl_at(d, others[i])) return skip_element(d);
    return take_column(d);
}

int ddl_columns(struct ddl *d) {
    if (ddl_expect_punct(d, '(')) return -1;
    do {
        if (take_element(d)) return -1;
    } while (ddl_accept_punct(d, ','));
    return ddl_expect_punct(d, ')');
}

static bool is_blob(const struct ddl_column *c, uint64_t *max) {
    for (size_t i = 0; i < countof(blob_types); i++)
        if (ddl_token_is(&c->type, blob_types[i].name)) {
            *max = blob_types[i].max;
            /* blob(N) is the smallest of the four that holds N bytes. */
            for (size_t k = 0; c->has_length && ddl_token_is(&c->type, "blob") && k < countof(blob_types); k++)
                if (c->length <= (*max = blob_types[k].max)) break;
            return true;
        }
    return false;
}

static int fail_type(struct ddl *d, const char *name, const struct ddl_column *c, const char *want) {
    return ddl_fail(d, c->name.line, "column %s is %.*s%s: it must be %s", name, (int)(c->type.n < 40 ? c->type.n : 40),
                    c->type.p,
                    c->is_text        ? " with a text collation"
                    : c->is_generated ? ", generated"
                    : c->is_unsigned  ? " unsigned"
                                      : "",
                    want);
}

/* K and Q: only bytes that count one by one can be placed and ordered as HBase does. */
static int binary_length(struct ddl *d, const char *name, uint32_t *max, bool *padded) {
    const struct ddl_column *c = column_of(d->t, name);
    bool fixed = ddl_token_is(&c->type, "binary");
    if ((!fixed && !ddl_token_is(&c->type, "varbinary")) || c->is_text)
        return fail_type(d, name, c, "varbinary(N); text types compare and hash by collation");
    if (c->is_generated) return ddl_fail(d, c->name.line, "column %s is generated", name);
    uint64_t limit = fixed ? BINARY_MAX : VARBINARY_MAX, n = fixed && !c->has_length ? 1 : c->length;
    if (n == 0) return ddl_fail(d, c->name.line, "column %s: %s needs a length above 0", name, fixed ? "binary" : "varbinary");
    if (n > limit)
        return ddl_fail(d, c->name.line, "column %s: length %llu, OceanBase allows %llu", name, (unsigned long long)n,
                        (unsigned long long)limit);
    *max = (uint32_t)n;
    *padded = fixed;
    if (!fixed) return 0;
    return ddl_warn(d, WARN_DDL_PADDED, c->name.line, "column %s is binary(%u): OceanBase pads shorter values with zero bytes",
                    name, (unsigned)n);
}

static int check_bigint(struct ddl *d, const char *name) {
    const struct ddl_column *c = column_of(d->t, name);
    if (!ddl_token_is(&c->type, "bigint") || c->is_unsigned || c->is_generated)
        return fail_type(d, name, c, "a plain signed bigint");
    return 0;
}

/* Cells without a TTL have NULL in it. */
static int check_ttl(struct ddl *d) {
    const struct ddl_column *c = column_of(d->t, "TTL");
    if (c->is_not_null) return ddl_fail(d, c->name.line, "column TTL is NOT NULL: cells without a time to live have NULL in it");
    return check_bigint(d, "TTL");
}

static int check_value(struct ddl *d) {
    struct family *f = &d->t->family;
    const struct ddl_column *c = column_of(d->t, "V");
    bool varbinary = ddl_token_is(&c->type, "varbinary"), fixed = ddl_token_is(&c->type, "binary");
    if ((!is_blob(c, &f->v_max) && !varbinary && !fixed) || c->is_text || c->is_generated)
        return fail_type(d, "V", c, "varbinary(N) or a blob type");
    if (varbinary || fixed) {
        f->v_max = fixed && !c->has_length ? 1 : c->length;
        uint64_t limit = fixed ? BINARY_MAX : VARBINARY_MAX;
        if (f->v_max == 0) return ddl_fail(d, c->name.line, "column V: varbinary needs a length");
        if (f->v_max > limit)
            return ddl_fail(d, c->name.line, "column V: length %llu, OceanBase allows %llu (mediumblob and longblob hold more)",
                            (unsigned long long)f->v_max, (unsigned long long)limit);
    }
    char type[80];
    int n = snprintf(type, sizeof type, "%.*s", (int)c->type.n, c->type.p);
    for (int i = 0; i < n; i++) type[i] = (char)tolower((unsigned char)type[i]);
    if (c->has_length) snprintf(type + n, sizeof type - (size_t)n, "(%llu)", (unsigned long long)c->length);
    f->v_type = strdup(type);
    if (!f->v_type) return err_nomem(d->err, sizeof type, "a type name");
    return fixed ? ddl_warn(d, WARN_DDL_PADDED, c->name.line, "column V is binary: OceanBase pads shorter values with zero bytes")
                 : 0;
}

static int check_primary(struct ddl *d, uint32_t line) {
    static const char *const want[] = {"K", "Q", "T"};
    struct ddl_table *t = d->t;
    if (t->n_primary == 0) return ddl_fail(d, line, "has no PRIMARY KEY (K, Q, T)");
    bool ok = t->n_primary == countof(want);
    for (uint32_t i = 0; ok && i < t->n_primary; i++) ok = ddl_token_names(&t->primary[i], want[i]);
    return ok ? 0 : ddl_fail(d, t->primary[0].line, "the PRIMARY KEY must be (K, Q, T)");
}

static bool any_computed(const struct ddl_table *t) {
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (t->columns[i].is_computed) return true;
    return false;
}

static bool any_generated(const struct ddl_table *t) {
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (t->columns[i].is_generated) return true;
    return false;
}

/* Nothing is written to it. Where it must have a value, the server refuses every row. */
static int check_other(struct ddl *d, const struct ddl_column *c) {
    const char *name = ddl_name_text(d, &c->name);
    if (!name) return -1;
    if (c->is_not_null && !c->has_value)
        return ddl_fail(d, c->name.line,
                        "column %.64s is NOT NULL and has no DEFAULT: nothing is written to it, so no row could be; give it a "
                        "DEFAULT, or drop it",
                        name);
    return ddl_warn(d, WARN_DDL_COLUMN, c->name.line, "column %.64s is not a column of OBKV-HBase: nothing is written to it",
                    name);
}

static int check_others(struct ddl *d) {
    for (uint32_t i = 0; i < d->t->n_columns; i++) {
        const struct ddl_column *c = &d->t->columns[i];
        static const char *const known[] = {"K", "Q", "T", "V", "TTL"};
        bool is_known = c->is_generated;
        for (size_t k = 0; k < countof(known); k++) is_known = is_known || ddl_token_names(&c->name, known[k]);
        if (!is_known && check_other(d, c)) return -1;
    }
    return 0;
}

static int check_present(struct ddl *d, uint32_t line) {
    static const char *const want[] = {"K", "Q", "T", "V"};
    if (column_of(d->t, "K") && column_of(d->t, "T") && column_of(d->t, "S") && !column_of(d->t, "Q"))
        return ddl_fail(d, line, "time-series table (K, T, S, V json): not supported");
    for (size_t i = 0; i < countof(want); i++)
        if (!column_of(d->t, want[i]))
            return ddl_fail(d, line, "has no column %s: not an OBKV-HBase table (K, Q, T, V)", want[i]);
    return 0;
}

int ddl_columns_check(struct ddl *d) {
    struct ddl_table *t = d->t;
    struct family *f = &t->family;
    bool k_padded, q_padded;
    uint32_t line = t->n_columns ? t->columns[0].name.line : d->tok.line;
    if (check_present(d, line)) return -1;
    if (binary_length(d, "K", &f->k_max, &k_padded) || binary_length(d, "Q", &f->q_max, &q_padded)) return -1;
    if (check_bigint(d, "T") || check_value(d) || check_primary(d, line)) return -1;
    f->has_ttl_column = column_of(t, "TTL") != NULL;
    if (f->has_ttl_column && check_ttl(d)) return -1;
    f->has_computed = any_computed(t);
    f->has_generated = any_generated(t) || f->has_computed;
    f->is_padded = k_padded || q_padded || ddl_token_is(&column_of(t, "V")->type, "binary");
    if (k_padded) t->partitioning.k_pad = f->k_max;
    if (f->k_max + f->q_max + 8 > PRIMARY_KEY_MAX &&
        ddl_warn(d, WARN_DDL_KEY_LENGTH, line, "K and Q together may take %u bytes: OceanBase limits the primary key to %d",
                 f->k_max + f->q_max, PRIMARY_KEY_MAX))
        return -1;
    return check_others(d);
}
