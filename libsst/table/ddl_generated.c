/* The expression of a generated column that partitions: substring(K, pos[, len]) and its spellings. */
#include "table/ddl_parser.h"

#include <ctype.h>

static bool take_integer(struct ddl *d, int64_t *out) {
    bool minus = ddl_accept_punct(d, '-');
    if (!minus) ddl_accept_punct(d, '+');
    int64_t v = 0;
    if (d->tok.kind != DDL_NUMBER) return false;
    for (size_t i = 0; i < d->tok.n; i++) {
        if (!isdigit((unsigned char)d->tok.p[i]) || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, d->tok.p[i] - '0', &v))
            return false;
    }
    ddl_advance(d);
    *out = minus ? -v : v;
    return true;
}

/* Behind "substr(": K, pos[, len]  or  K from pos [for len]. */
static bool take_arguments(struct ddl *d, struct key_prefix *out) {
    struct ddl_token column;
    if (ddl_take_name(d, &column, "K") || !ddl_token_names(&column, "K")) return false;
    bool words = ddl_accept(d, "from");
    if (!words && !ddl_accept_punct(d, ',')) return false;
    *out = (struct key_prefix){.on = true};
    if (!take_integer(d, &out->pos)) return false;
    if (words ? ddl_accept(d, "for") : ddl_accept_punct(d, ',')) {
        out->has_len = true;
        if (!take_integer(d, &out->len)) return false;
    }
    return ddl_accept_punct(d, ')');
}

enum shape { SHAPE_PREFIX, SHAPE_NUMBER, SHAPE_OTHER };

static enum shape read_shape(struct ddl *d, struct key_prefix *out) {
    size_t depth = 1; /* the parenthesis behind AS */
    while (ddl_accept_punct(d, '(')) depth++;
    if (ddl_at(d, "abs") || ddl_at_punct(d, '-')) return SHAPE_NUMBER;
    if (!ddl_accept(d, "substr") && !ddl_accept(d, "substring")) return SHAPE_OTHER;
    if (!ddl_accept_punct(d, '(') || !take_arguments(d, out)) return SHAPE_OTHER;
    while (depth && ddl_accept_punct(d, ')')) depth--;
    return depth ? SHAPE_OTHER : SHAPE_PREFIX;
}

/* The text of the expression, for messages. */
static struct ddl_token expression_text(struct ddl *d, const struct ddl_column *c) {
    struct ddl sub = *d;
    sub.lex = c->expression;
    sub.scratch = (struct buf){0}; /* never used by these rules; a copy must not grow */
    ddl_advance(&sub);
    struct ddl_token text = sub.tok;
    for (size_t depth = 1; sub.tok.kind != DDL_END;) {
        depth += ddl_at_punct(&sub, '(');
        depth -= ddl_at_punct(&sub, ')');
        if (!depth) break;
        text.n = (size_t)(sub.tok.p + sub.tok.n - text.p);
        ddl_advance(&sub);
    }
    return text;
}

static int check_type(struct ddl *d, const struct ddl_column *c, const char *name, const struct key_prefix *prefix) {
    if (!ddl_token_is(&c->type, "varbinary") || c->is_text)
        return ddl_fail(d, c->name.line, "generated column %.64s is %.*s: to partition by it, it must be varbinary(N)", name,
                        (int)(c->type.n < 40 ? c->type.n : 40), c->type.p);
    uint64_t longest = prefix->has_len ? (uint64_t)(prefix->len > 0 ? prefix->len : 0) : UINT64_MAX;
    if (!prefix->has_len && prefix->pos < 0) longest = -(uint64_t)prefix->pos;
    if (d->t->family.k_max < longest) longest = d->t->family.k_max;
    if (c->length >= longest) return 0;
    return ddl_warn(d, c->name.line, "generated column %.64s holds %llu bytes: OceanBase refuses rows with a longer prefix", name,
                    (unsigned long long)c->length);
}

int ddl_column_prefix(struct ddl *d, const struct ddl_column *c, struct key_prefix *out) {
    struct ddl sub = *d;
    struct err ignored = {0};
    char name[65];
    const char *full = ddl_name_text(d, &c->name);
    if (!full) return -1;
    size_t n = strlen(full) < 64 ? strlen(full) : 64;
    memcpy(name, full, n);
    name[n] = 0;
    sub.lex = c->expression;
    sub.err = &ignored;
    ddl_advance(&sub);
    enum shape shape = read_shape(&sub, out);
    if (shape == SHAPE_PREFIX) return check_type(d, c, name, out);
    struct ddl_token text = expression_text(d, c);
    int show = (int)(text.n < 80 ? text.n : 80);
    if (shape == SHAPE_NUMBER)
        return ddl_fail(d, c->name.line, "KEY over %s, generated as %.*s: not supported yet", name, show, text.p);
    return ddl_fail(d, c->name.line,
                    "generated column %s is %.*s: only substring(K, pos[, len]) can partition, since OBKV clients route by "
                    "substr, substring, abs and negation alone",
                    name, show, text.p);
}
