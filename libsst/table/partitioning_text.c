/* A partitioning as a line for people: its kind, its number of partitions, and the first and last bounds where there are any.
 * What this prints is not read back; partitioning_spec.c reads a notation of its own. */

#include "base/buf.h"
#include "table/key_prefix.h"

#include <stdio.h>
#include <string.h>

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
