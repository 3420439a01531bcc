/* RANGE COLUMNS: the first partition whose bound is strictly above the key. Over K or a prefix of it bounds are compared by
 * unsigned bytes, shorter first; over a bigint generated as ABS(T) or -T, which is the timestamp, as numbers.
 * The search runs over 8 bytes of each bound, those after what all bounds start with; only equal ones are compared in full. */
#include "base/bytes.h"
#include "base/warning.h"
#include "cell/cell.h"
#include "table/bounds.h"
#include "table/key_prefix.h"
#include "table/partitioner.h"
#include "table/partitioning.h"

#include <stdlib.h>

static int parse(const char *spec, const char *path, struct partitioning *out, struct buf *warnings, struct err *err) {
    bool is_dump;
    if (!path || !*path) return err_set(err, ERR_USAGE, "partitioning '%s': the name of the bounds file is missing", spec);
    if (bound_file_read(path, out, &is_dump, err)) return -1;
    uint32_t bad = is_dump ? 0 : partitioning_count_not_utf8(out);
    if (bad && warning_add(warnings, WARN_BOUNDS_NOT_UTF8, bad, err,
                           "%s: %u bound%s not valid UTF-8, which OceanBase refuses in CREATE TABLE (error 1366)", path,
                           (unsigned)bad, bad == 1 ? " is" : "s are"))
        return -1;
    if (partitioning_client_differs(out) &&
        warning_add(warnings, WARN_CLIENT_ORDER, 1, err,
                    "%s: a bound has a byte >= 0x80: Java clients in direct mode read other partitions", path))
        return -1;
    return 0;
}

/* ---- times ---- */

static enum place_result of_time(const struct placement *p, const struct cell *c, uint32_t *index) {
    const struct partitioning *spec = p->spec;
    uint8_t time[8];
    uint32_t lo = 0, hi = spec->count;
    partitioning_put_time(c->ts_ms, time);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (!spec->bounds[mid].p || memcmp(spec->bounds[mid].p, time, sizeof time) > 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    *index = lo;
    return lo < spec->count ? PLACE_OK : PLACE_NO_PARTITION;
}

static int prepare_times(struct placement *p, struct err *err) {
    for (uint32_t i = 0; i < p->spec->count; i++)
        if (p->spec->bounds[i].p && p->spec->bounds[i].n != 8)
            return err_set(err, ERR_INPUT, "partition %s: a bound of %zu bytes is not a time", p->spec->names[i],
                           p->spec->bounds[i].n);
    return 0;
}

/* ---- bytes ---- */

struct range_state {
    uint32_t n;           /* bounds without MAXVALUE */
    bool open;            /* the last partition ends at MAXVALUE */
    bool high;            /* a bound has a byte >= 0x80 */
    size_t skip;          /* length of the longest common prefix of all bounds */
    uint64_t *heads;      /* the 8 bytes after it, zero filled */
    struct bytes *bounds; /* borrowed bytes */
    struct signed_bound {
        struct bytes bound;
        uint32_t index;
    } * by_client; /* in the Java client's order */
};

static uint64_t head_of(struct bytes b, size_t skip) {
    return bytes_prefix8(bytes_of(b.p + skip, b.n - skip));
}

static bool has_high(struct bytes b) {
    for (size_t i = 0; i < b.n; i++)
        if (b.p[i] >= 0x80) return true;
    return false;
}

/* ObBytesString.compareTo of the Java client: signed bytes, shorter first. */
static int client_cmp(struct bytes a, struct bytes b) {
    size_t i = bytes_lcp(a, b);
    if (i < a.n && i < b.n) return (int8_t)a.p[i] < (int8_t)b.p[i] ? -1 : 1;
    return (a.n > b.n) - (a.n < b.n);
}

static int compare_signed(const void *a, const void *b) {
    return client_cmp(((const struct signed_bound *)a)->bound, ((const struct signed_bound *)b)->bound);
}

static void release(struct placement *p) {
    struct range_state *s = p->state;
    if (!s) return;
    free(s->heads);
    free(s->bounds);
    free(s->by_client);
    free(s);
}

/* Cuts trailing zeros off a bound. Under binary(N) the server compares the key padded with zeros. For any key, padded or not,
 * trailing zeros of a bound then make no difference, so they are cut off here instead of padding every key. */
static struct bytes comparable(struct bytes bound, uint32_t k_pad) {
    if (k_pad)
        while (bound.n && bound.p[bound.n - 1] == 0) bound.n--;
    return bound;
}

static int prepare(struct placement *p, struct err *err) {
    const struct partitioning *spec = p->spec;
    if (spec->by == BY_TIME) return prepare_times(p, err);
    struct range_state *s = p->state = calloc(1, sizeof *s);
    if (!s) return err_nomem(err, sizeof *s, "RANGE bounds");
    s->open = !spec->bounds[spec->count - 1].p;
    s->n = spec->count - s->open;
    size_t room = (size_t)s->n + 1;
    s->heads = calloc(room, sizeof *s->heads);
    s->bounds = calloc(room, sizeof *s->bounds);
    s->by_client = calloc(room, sizeof *s->by_client);
    if (!s->heads || !s->bounds || !s->by_client) return err_nomem(err, room * 48, "RANGE bounds");
    for (uint32_t i = 0; i < s->n; i++) {
        s->bounds[i] = comparable(spec->bounds[i], spec->k_pad);
        s->by_client[i] = (struct signed_bound){s->bounds[i], i};
        s->high = s->high || has_high(s->bounds[i]);
    }
    s->skip = s->n ? bytes_lcp(s->bounds[0], s->bounds[s->n - 1]) : 0; /* they rise */
    for (uint32_t i = 0; i < s->n; i++) s->heads[i] = head_of(s->bounds[i], s->skip);
    qsort(s->by_client, s->n, sizeof *s->by_client, compare_signed);
    return 0;
}

/* Returns how many bounds are at or below the row. */
static uint32_t count_below(const struct range_state *s, struct bytes row) {
    struct bytes common = {s->n ? s->bounds[0].p : NULL, s->skip};
    size_t same = bytes_lcp(common, row);
    if (same < s->skip) return same == row.n || row.p[same] < common.p[same] ? 0 : s->n;
    uint64_t head = head_of(row, s->skip);
    uint32_t lo = 0, hi = s->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        bool above = s->heads[mid] != head ? s->heads[mid] > head : bytes_cmp(s->bounds[mid], row) > 0;
        if (above)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static enum place_result of_range(const struct placement *p, struct bytes row, uint32_t *index) {
    const struct range_state *s = p->state;
    uint32_t i = count_below(s, key_prefix_of(&p->spec->prefix, row));
    if (i == s->n && !s->open) return PLACE_NO_PARTITION;
    *index = i;
    return PLACE_OK;
}

/* The client sorts the bounds in its own order and takes the first above the key. */
static bool client_differs(const struct placement *p, struct bytes row) {
    const struct range_state *s = p->state;
    if (!s) return false; /* times */
    row = key_prefix_of(&p->spec->prefix, row);
    if (!s->high && !has_high(row)) return false;
    uint32_t lo = 0, hi = s->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (client_cmp(s->by_client[mid].bound, row) > 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    uint32_t theirs = lo < s->n ? s->by_client[lo].index : s->n;
    return theirs != count_below(s, row);
}

static enum place_result of_cell(const struct placement *p, struct bytes row, const struct cell *c, uint32_t *index) {
    return p->spec->by == BY_TIME ? of_time(p, c, index) : of_range(p, row, index);
}

const struct partitioner place_range = {.kind = PARTITION_RANGE,
                                        .word = "range",
                                        .usage = "range:FILE",
                                        .parse = parse,
                                        .prepare = prepare,
                                        .release = release,
                                        .of = of_range,
                                        .of_cell = of_cell,
                                        .client_differs = client_differs};
