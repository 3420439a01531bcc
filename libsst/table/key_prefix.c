/* The part of a row key that a partitioning reads: substring() and substring_index() of K as the server computes them, in bytes.
 * Such a prefix is parsed from the notation of --partition, computed, compared and described here. */

#include "table/key_prefix.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

const char *partitioner_skip_blanks(const char *s) {
    while (*s == ' ' || *s == '\t') s++;
    return s;
}

/* A decimal number at *s, which advances past it and any blanks. */
bool partitioner_take_number(const char **s, int64_t *v) {
    const char *p = partitioner_skip_blanks(*s);
    if (!isdigit((unsigned char)p[*p == '-'])) return false;
    char *end;
    errno = 0;
    *v = strtoll(p, &end, 10);
    if (errno) return false;
    *s = partitioner_skip_blanks(end);
    return true;
}

/* substring(1,4), SUBSTR( K , -3 ), … */
bool key_prefix_take(const char *s, struct key_prefix *out) {
    size_t n = strcspn(s, " \t(");
    if (!((n == 9 && !strncasecmp(s, "substring", 9)) || (n == 6 && !strncasecmp(s, "substr", 6)))) return false;
    s = partitioner_skip_blanks(s + n);
    if (*s++ != '(') return false;
    s = partitioner_skip_blanks(s);
    if (*s == 'K' || *s == 'k') {
        s = partitioner_skip_blanks(s + 1);
        if (*s++ != ',') return false;
    }
    *out = (struct key_prefix){.on = true};
    if (!partitioner_take_number(&s, &out->pos) || !out->pos) return false; /* the server's substring from 0 is always empty */
    if (*s == ',') {
        s++;
        out->has_len = true;
        if (!partitioner_take_number(&s, &out->len)) return false;
    }
    return *s == ')' && !*partitioner_skip_blanks(s + 1);
}

const char *key_prefix_text(const struct key_prefix *x, char out[80]) {
    if (!x->on)
        snprintf(out, 80, "K");
    else if (x->delimiter[0])
        snprintf(out, 80, "substring_index(K,'%s',%lld)", x->delimiter, (long long)x->pos);
    else if (!x->has_len)
        snprintf(out, 80, "substring(K,%lld)", (long long)x->pos);
    else
        snprintf(out, 80, "substring(K,%lld,%lld)", (long long)x->pos, (long long)x->len);
    return out;
}

bool key_prefix_eq(struct key_prefix a, struct key_prefix b) {
    if (a.on != b.on || strcmp(a.delimiter, b.delimiter) != 0) return false;
    if (!a.on) return true;
    return a.pos == b.pos && a.has_len == b.has_len && (!a.has_len || a.len == b.len);
}

/* pos 1-based, negative from the end; outside the value, or 0, gives ''. */
static struct bytes cut_substring(const struct key_prefix *prefix, struct bytes v) {
    int64_t n = (int64_t)v.n, start = prefix->pos > 0 ? prefix->pos - 1 : n + prefix->pos;
    if (prefix->pos == 0 || start < 0 || start >= n) return (struct bytes){v.p, 0};
    int64_t len = n - start;
    if (prefix->has_len && prefix->len < len) len = prefix->len > 0 ? prefix->len : 0;
    return (struct bytes){v.p + start, (size_t)len};
}

/* The text before the count-th delimiter; all of it if there are fewer. */
static struct bytes before_delimiter(struct bytes v, struct bytes delimiter, int64_t count) {
    for (size_t at = 0; at + delimiter.n <= v.n;) {
        if (memcmp(v.p + at, delimiter.p, delimiter.n)) {
            at++;
            continue;
        }
        if (--count == 0) return (struct bytes){v.p, at};
        at += delimiter.n;
    }
    return v;
}

/* Returns the bytes of v after the delimiter that is count-th (-1, -2, …) from the end; v if there are fewer. */
static struct bytes after_delimiter(struct bytes v, struct bytes delimiter, int64_t count) {
    for (size_t end = v.n; end >= delimiter.n;) {
        size_t at = end - delimiter.n;
        if (memcmp(v.p + at, delimiter.p, delimiter.n)) {
            end--;
            continue;
        }
        if (++count == 0) return (struct bytes){v.p + end, v.n - end};
        end = at;
    }
    return v;
}

struct bytes key_prefix_of(const struct key_prefix *prefix, struct bytes row) {
    if (!prefix->on) return row;
    if (!prefix->delimiter[0]) return cut_substring(prefix, row);
    struct bytes delimiter = bytes_str(prefix->delimiter);
    if (prefix->pos == 0 || !row.n) return (struct bytes){row.p, 0};
    return prefix->pos > 0 ? before_delimiter(row, delimiter, prefix->pos) : after_delimiter(row, delimiter, prefix->pos);
}
