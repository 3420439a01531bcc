#include "table/partitioning.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

void partitioning_free(struct partitioning *p) {
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->bounds) free((void *)p->bounds[i].p);
        if (p->names) free(p->names[i]);
    }
    free(p->bounds);
    free(p->names);
    *p = (struct partitioning){0};
}

static char *copy_name(struct bytes s, struct err *err) {
    char *t = malloc(s.n + 1);
    if (!t) return err_nomem(err, s.n + 1, "a name"), NULL;
    if (s.n) memcpy(t, s.p, s.n);
    t[s.n] = 0;
    return t;
}

static char *number_name(uint32_t i, struct err *err) {
    char t[16];
    snprintf(t, sizeof t, "p%u", (unsigned)i);
    return copy_name(bytes_str(t), err);
}

static int copy_bound(struct bytes src, struct bytes *out, struct err *err) {
    *out = (struct bytes){NULL, 0};
    if (!src.p) return 0;
    uint8_t *t = malloc(src.n + 1);
    if (!t) return err_nomem(err, src.n + 1, "a partition bound");
    memcpy(t, src.p, src.n);
    *out = (struct bytes){t, src.n};
    return 0;
}

int partitioning_number_names(struct partitioning *p, struct err *err) {
    p->names = calloc(p->count, sizeof *p->names);
    if (!p->names) return err_nomem(err, p->count * sizeof *p->names, "partition names");
    for (uint32_t i = 0; i < p->count; i++)
        if (!(p->names[i] = number_name(i, err))) return -1;
    return 0;
}

/* Both arrays grow together, to powers of two. */
static int grow(struct partitioning *p, bool with_bounds, struct err *err) {
    if (p->count & (p->count - 1)) return 0;
    size_t cap = p->count ? (size_t)p->count * 2 : 1;
    char **names = realloc(p->names, cap * sizeof *names);
    if (!names) return err_nomem(err, cap * sizeof *names, "partition names");
    p->names = names;
    if (!with_bounds) return 0;
    struct bytes *bounds = realloc(p->bounds, cap * sizeof *bounds);
    if (!bounds) return err_nomem(err, cap * sizeof *bounds, "partition bounds");
    p->bounds = bounds;
    return 0;
}

int partitioning_add(struct partitioning *p, const struct bytes *name, const struct bytes *bound, struct err *err) {
    if (p->count >= PARTITIONS_MAX) return err_set(err, ERR_USAGE, "more than %d partitions", PARTITIONS_MAX);
    if (grow(p, bound != NULL, err)) return -1;
    struct bytes b = {0};
    if (bound && copy_bound(*bound, &b, err)) return -1;
    char *s = name ? copy_name(*name, err) : number_name(p->count, err);
    if (!s) {
        free((void *)b.p);
        return -1;
    }
    if (bound) p->bounds[p->count] = b;
    p->names[p->count++] = s;
    return 0;
}

void partitioning_show_bound(struct bytes bound, char out[80]) {
    bool plain = true;
    for (size_t i = 0; i < bound.n; i++) plain = plain && bound.p[i] >= 0x20 && bound.p[i] < 0x7f;
    if (!bound.p) {
        snprintf(out, 80, "MAXVALUE");
        return;
    }
    if (plain) {
        snprintf(out, 80, "'%.*s'%s", (int)(bound.n < 60 ? bound.n : 60), (const char *)bound.p, bound.n > 60 ? "…" : "");
        return;
    }
    size_t at = (size_t)snprintf(out, 80, "0x");
    for (size_t i = 0; i < bound.n && i < 32; i++) at += (size_t)snprintf(out + at, 80 - at, "%02x", bound.p[i]);
    if (bound.n > 32) snprintf(out + at, 80 - at, "…");
}

static int check_bounds(const struct partitioning *p, struct err *err) {
    char a[80], b[80];
    for (uint32_t i = 0; i < p->count; i++) {
        struct bytes cur = p->bounds[i];
        if (!cur.p) {
            if (i + 1 == p->count) break;
            return err_set(err, ERR_USAGE, "partition %s: MAXVALUE must be the last bound", p->names[i]);
        }
        if (cur.n == 0)
            return err_set(err, ERR_USAGE, "partition %s: the bound is empty, so no row could lie below it", p->names[i]);
        if (i == 0 || bytes_cmp(p->bounds[i - 1], cur) < 0) continue;
        partitioning_show_bound(p->bounds[i - 1], a);
        partitioning_show_bound(cur, b);
        return err_set(err, ERR_USAGE, "partition %s: bound %s does not lie above the one before it, %s", p->names[i], b, a);
    }
    return 0;
}

static int compare_names(const void *a, const void *b) {
    return strcasecmp(*(char *const *)a, *(char *const *)b);
}

static int check_names(const struct partitioning *p, struct err *err) {
    char **sorted = malloc(p->count * sizeof *sorted);
    if (!sorted) return err_nomem(err, p->count * sizeof *sorted, "partition names");
    memcpy(sorted, p->names, p->count * sizeof *sorted);
    qsort(sorted, p->count, sizeof *sorted, compare_names);
    int rc = 0;
    for (uint32_t i = 1; i < p->count && !rc; i++)
        if (!strcasecmp(sorted[i - 1], sorted[i])) rc = err_set(err, ERR_USAGE, "partition name %s stands twice", sorted[i]);
    free(sorted);
    return rc;
}

int partitioning_check(const struct partitioning *p, struct err *err) {
    if (p->count == 0) return err_set(err, ERR_USAGE, "no partition is defined");
    if (p->count > PARTITIONS_MAX)
        return err_set(err, ERR_USAGE, "%u partitions: OceanBase allows at most %d", (unsigned)p->count, PARTITIONS_MAX);
    if (p->kind == PARTITION_RANGE && check_bounds(p, err)) return -1;
    return check_names(p, err);
}

int partitioning_copy(const struct partitioning *src, struct partitioning *out, struct err *err) {
    *out = *src;
    out->count = 0;
    out->bounds = NULL;
    out->names = NULL;
    for (uint32_t i = 0; i < src->count; i++) {
        struct bytes name = bytes_str(src->names[i]);
        if (partitioning_add(out, &name, src->bounds ? &src->bounds[i] : NULL, err)) {
            partitioning_free(out);
            return -1;
        }
    }
    return 0;
}

static bool prefix_eq(struct key_prefix a, struct key_prefix b) {
    if (a.on != b.on) return false;
    if (!a.on) return true;
    return a.pos == b.pos && a.has_len == b.has_len && (!a.has_len || a.len == b.len);
}

bool partitioning_eq(const struct partitioning *a, const struct partitioning *b) {
    if (a->kind != b->kind || a->count != b->count || a->k_pad != b->k_pad) return false;
    if (a->kind == PARTITION_KEY && !prefix_eq(a->prefix, b->prefix)) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (strcmp(a->names[i], b->names[i])) return false;
        if (a->kind != PARTITION_RANGE) continue;
        if (!a->bounds[i].p != !b->bounds[i].p || !bytes_eq(a->bounds[i], b->bounds[i])) return false;
    }
    return true;
}

static int describe_key(const struct partitioning *p, struct buf *out, struct err *err) {
    if (!p->prefix.on) return buf_printf(out, err, "KEY(K) PARTITIONS %u", (unsigned)p->count);
    if (!p->prefix.has_len)
        return buf_printf(out, err, "KEY(substring(K,%lld)) PARTITIONS %u", (long long)p->prefix.pos, (unsigned)p->count);
    return buf_printf(out, err, "KEY(substring(K,%lld,%lld)) PARTITIONS %u", (long long)p->prefix.pos, (long long)p->prefix.len,
                      (unsigned)p->count);
}

static int describe_range(const struct partitioning *p, struct buf *out, struct err *err) {
    char first[80], last[80];
    partitioning_show_bound(p->bounds[0], first);
    partitioning_show_bound(p->bounds[p->count - 1], last);
    if (p->count == 1) return buf_printf(out, err, "RANGE COLUMNS(K) PARTITIONS 1, below %s", first);
    return buf_printf(out, err, "RANGE COLUMNS(K) PARTITIONS %u, first below %s, last below %s", (unsigned)p->count, first, last);
}

int partitioning_describe(const struct partitioning *p, struct buf *out, struct err *err) {
    int rc;
    switch (p->kind) {
    case PARTITION_KEY: rc = describe_key(p, out, err); break;
    case PARTITION_RANGE: rc = describe_range(p, out, err); break;
    default: return buf_printf(out, err, "not partitioned");
    }
    if (!rc && p->k_pad) rc = buf_printf(out, err, ", K binary(%u)", (unsigned)p->k_pad);
    return rc;
}

bool partitioning_client_differs(const struct partitioning *p) {
    if (p->kind != PARTITION_RANGE) return false;
    for (uint32_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->bounds[i].n; k++)
            if (p->bounds[i].p[k] >= 0x80) return true;
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

uint32_t partitioning_count_not_utf8(const struct partitioning *p) {
    uint32_t bad = 0;
    if (p->kind != PARTITION_RANGE) return 0;
    for (uint32_t i = 0; i < p->count; i++) {
        struct bytes b = p->bounds[i];
        for (size_t k = 0, len; k < b.n; k += len)
            if (!(len = utf8_length(b.p + k, b.n - k))) {
                bad++;
                break;
            }
    }
    return bad;
}
