/* The expression of a generated column that partitions: substring(K, pos[, len]) and its spellings, left, substring_index; the
 * time as ABS(T) or -T. */
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

/* Takes what follows "substr(": K, pos[, len]  or  K from pos [for len]. */
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

/* Takes what follows "substring_index(": K, 'delimiter' or x'…', count. */
static bool take_index(struct ddl *d, struct key_prefix *out) {
    struct ddl_token column;
    struct buf text = {0};
    if (ddl_take_name(d, &column, "K") || !ddl_token_names(&column, "K") || !ddl_accept_punct(d, ',')) return false;
    bool is_text = d->tok.kind == DDL_STRING || d->tok.kind == DDL_HEX;
    bool good = is_text && !ddl_token_value(&d->tok, &text, d->err) && text.n && text.n < sizeof out->delimiter &&
                !memchr(text.p, 0, text.n);
    *out = (struct key_prefix){.on = true};
    if (good) memcpy(out->delimiter, text.p, text.n);
    buf_free(&text);
    if (!good) return false;
    ddl_advance(d);
    return ddl_accept_punct(d, ',') && take_integer(d, &out->pos) && ddl_accept_punct(d, ')');
}

/* Takes what follows "left(": K, len. */
static bool take_left(struct ddl *d, struct key_prefix *out) {
    struct ddl_token column;
    *out = (struct key_prefix){.on = true, .pos = 1, .has_len = true};
    return !ddl_take_name(d, &column, "K") && ddl_token_names(&column, "K") && ddl_accept_punct(d, ',') &&
           take_integer(d, &out->len) && ddl_accept_punct(d, ')');
}

/* Takes what follows "abs(" or "-": T. */
static bool take_time(struct ddl *d, bool parenthesis) {
    struct ddl_token column;
    return !ddl_take_name(d, &column, "T") && ddl_token_names(&column, "T") && (!parenthesis || ddl_accept_punct(d, ')'));
}

enum shape { SHAPE_PREFIX, SHAPE_UNROUTED, SHAPE_TIME, SHAPE_OTHER };

static enum shape read_function(struct ddl *d, struct key_prefix *out) {
    if (ddl_accept_punct(d, '-')) return take_time(d, false) ? SHAPE_TIME : SHAPE_OTHER;
    static const char *const names[] = {"abs", "substr", "substring", "left", "substring_index"};
    size_t i = 0;
    while (i < countof(names) && !ddl_accept(d, names[i])) i++;
    if (i == countof(names) || !ddl_accept_punct(d, '(')) return SHAPE_OTHER;
    switch (i) {
    case 0: return take_time(d, true) ? SHAPE_TIME : SHAPE_OTHER;
    case 3: return take_left(d, out) ? SHAPE_UNROUTED : SHAPE_OTHER;
    case 4: return take_index(d, out) ? SHAPE_UNROUTED : SHAPE_OTHER;
    default: return take_arguments(d, out) ? SHAPE_PREFIX : SHAPE_OTHER;
    }
}

static enum shape read_shape(struct ddl *d, struct key_prefix *out) {
    size_t depth = 1; /* the parenthesis after AS */
    while (ddl_accept_punct(d, '(')) depth++;
    enum shape shape = read_function(d, out);
    while (depth && ddl_accept_punct(d, ')')) depth--;
    return depth ? SHAPE_OTHER : shape;
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
    if (prefix->delimiter[0]) longest = UINT64_MAX;
    if (!prefix->has_len && prefix->pos < 0 && !prefix->delimiter[0]) longest = -(uint64_t)prefix->pos;
    if (d->t->family.k_max < longest) longest = d->t->family.k_max;
    if (c->length >= longest) return 0;
    return ddl_warn(d, WARN_DDL_GENERATED, c->name.line,
                    "generated column %.64s holds %llu bytes: OceanBase refuses rows with a longer prefix", name,
                    (unsigned long long)c->length);
}

static int check_time(struct ddl *d, const struct ddl_column *c, const char *name) {
    if (ddl_token_is(&c->type, "bigint") && !c->is_unsigned) return 0;
    return ddl_fail(d, c->name.line, "generated column %.64s is %.*s: to partition by time, it must be bigint", name,
                    (int)(c->type.n < 40 ? c->type.n : 40), c->type.p);
}

enum ddl_generated ddl_generated(struct ddl *d, const struct ddl_column *c, struct key_prefix *out) {
    struct ddl sub = *d;
    struct err ignored = {0};
    char name[65];
    const char *full = ddl_name_text(d, &c->name);
    if (!full) return DDL_GENERATED_REFUSED;
    size_t n = strlen(full) < 64 ? strlen(full) : 64;
    memcpy(name, full, n);
    name[n] = 0;
    sub.lex = c->expression;
    sub.err = &ignored;
    ddl_advance(&sub);
    enum shape shape = read_shape(&sub, out);
    struct ddl_token text = expression_text(d, c);
    int show = (int)(text.n < 80 ? text.n : 80);
    if (shape == SHAPE_TIME) return check_time(d, c, name) ? DDL_GENERATED_REFUSED : DDL_GENERATED_TIME;
    if (shape == SHAPE_OTHER) {
        ddl_fail(
            d, c->name.line,
            "generated column %s is %.*s: only substring(K, pos[, len]), left, substring_index, and ABS(T) or -T for times can "
            "partition",
            name, show, text.p);
        return DDL_GENERATED_REFUSED;
    }
    if (shape == SHAPE_UNROUTED &&
        ddl_warn(d, WARN_DDL_GENERATED, c->name.line,
                 "generated column %s is %.*s: OBKV clients route only by substr, substring, abs and negation", name, show,
                 text.p))
        return DDL_GENERATED_REFUSED;
    return check_type(d, c, name, out) ? DDL_GENERATED_REFUSED : DDL_GENERATED_PREFIX;
}
