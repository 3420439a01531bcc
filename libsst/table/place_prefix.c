/* Generated columns over K: substring() and substring_index() as the server computes them, in bytes. */
#include "table/place_ops.h"

/* pos 1-based, negative from the end; outside the value, or 0, gives ''. */
static struct bytes cut(const struct key_prefix *prefix, struct bytes v) {
    int64_t n = (int64_t)v.n, start = prefix->pos > 0 ? prefix->pos - 1 : n + prefix->pos;
    if (prefix->pos == 0 || start < 0 || start >= n) return (struct bytes){v.p, 0};
    int64_t len = n - start;
    if (prefix->has_len && prefix->len < len) len = prefix->len > 0 ? prefix->len : 0;
    return (struct bytes){v.p + start, (size_t)len};
}

/* What stands before the count-th delimiter; all when there are fewer. */
static struct bytes before(struct bytes v, struct bytes delimiter, int64_t count) {
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

/* What stands behind the count-th delimiter from the end. */
static struct bytes behind(struct bytes v, struct bytes delimiter, int64_t count) {
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

struct bytes place_prefix(const struct key_prefix *prefix, struct bytes row) {
    if (!prefix->on) return row;
    if (!prefix->delimiter[0]) return cut(prefix, row);
    struct bytes delimiter = bytes_str(prefix->delimiter);
    if (prefix->pos == 0 || !row.n) return (struct bytes){row.p, 0};
    return prefix->pos > 0 ? before(row, delimiter, prefix->pos) : behind(row, delimiter, prefix->pos);
}
