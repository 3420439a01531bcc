/* Partitionings in words, and what clients and servers of today make of their bounds. */
#include "table/partitioning.h"

#include <stdio.h>

static const char *prefix_text(const struct partitioning *p, char out[80]) {
    const struct key_prefix *x = &p->prefix;
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

static int describe_key(const struct partitioning *p, struct buf *out, struct err *err) {
    char text[80];
    const char *over = p->by == BY_COLUMN ? "K,Q" : p->by == BY_CELL ? "K,Q,T" : prefix_text(p, text);
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
    const char *over = p->by == BY_TIME ? "ABS(T)" : prefix_text(p, text);
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
    return buf_printf(out, err, "LIST COLUMNS(%s) PARTITIONS %u, %u values%s", prefix_text(p, text), (unsigned)p->count,
                      (unsigned)values, is_default ? " and DEFAULT" : "");
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
    default: return buf_printf(out, err, "not partitioned");
    }
    if (!rc && p->k_pad) rc = buf_printf(out, err, ", K binary(%u)", (unsigned)p->k_pad);
    return rc;
}

static bool has_high(struct bytes b) {
    for (size_t k = 0; k < b.n; k++)
        if (b.p[k] >= 0x80) return true;
    return false;
}

bool partitioning_client_differs(const struct partitioning *p) {
    for (uint32_t i = 0; i < p->n_levels; i++)
        if (partitioning_client_differs(&p->levels[i])) return true;
    if (p->kind != PARTITION_RANGE || p->by != BY_ROW) return false;
    for (uint32_t i = 0; i < p->count; i++)
        if (has_high(p->bounds[i])) return true;
    return false;
}

/* Length of the UTF-8 character at p, 0 when it is not one (overlong, surrogate, above U+10FFFF, cut off). */
static size_t utf8_length(const uint8_t *p, size_t n) {
    if (p[0] < 0x80) return 1;
    size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || n < len) return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)) return 0;
    if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) return 0;
    return len;
}

static bool is_utf8(struct bytes b) {
    for (size_t k = 0, len; k < b.n; k += len)
        if (!(len = utf8_length(b.p + k, b.n - k))) return false;
    return true;
}

uint32_t partitioning_count_not_utf8(const struct partitioning *p) {
    uint32_t bad = 0;
    for (uint32_t i = 0; i < p->n_levels; i++) bad += partitioning_count_not_utf8(&p->levels[i]);
    for (uint32_t i = 0; p->lists && i < p->count; i++)
        for (uint32_t k = 0; k < p->lists[i].n; k++) bad += !is_utf8(p->lists[i].values[k]);
    for (uint32_t i = 0; p->kind == PARTITION_RANGE && p->by == BY_ROW && i < p->count; i++) bad += !is_utf8(p->bounds[i]);
    return bad;
}
