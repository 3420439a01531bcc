#include "cmd/split/simulate/key_profile.h"

#include "base/buf.h"

#include <stdlib.h>

struct bytes key_profile_row(const struct key_profile *p, uint32_t i) {
    return bytes_of(p->text.p + p->marks[i].at, p->marks[i].n);
}

static int add_mark(struct key_profile *p, struct bytes row, uint64_t bytes, struct err *err) {
    if (p->n == p->cap && grow_capacity(&p->marks, &p->cap, sizeof *p->marks, "samples of keys", err)) return -1;
    if (p->text.n + row.n > UINT32_MAX) return err_set(err, ERR_LIMIT, "samples of keys over 4 GB");
    uint32_t at = (uint32_t)p->text.n;
    if (buf_put(&p->text, row.p, row.n, err)) return -1;
    p->marks[p->n++] = (struct key_mark){at, (uint32_t)row.n, bytes};
    return 0;
}

int key_profile_add(struct key_profile *p, struct bytes row, uint64_t bytes, struct err *err) {
    if (p->n && bytes_eq(key_profile_row(p, p->n - 1), row)) return p->marks[p->n - 1].bytes += bytes, 0;
    return add_mark(p, row, bytes, err);
}

static uint64_t sum(const struct key_profile *p) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < p->n; i++) bytes += p->marks[i].bytes;
    return bytes;
}

/* A mark of the parts under merge. */
struct merged {
    const struct key_profile *part;
    uint32_t mark;
};

static int by_row(const void *a, const void *b) {
    const struct merged *x = a, *y = b;
    return bytes_cmp(key_profile_row(x->part, x->mark), key_profile_row(y->part, y->mark));
}

/* Equally heavy stretches; the row in the middle of a stretch stands for it. First and last stay. */
static int thin(const struct merged *all, uint32_t n, uint64_t bytes, struct key_profile *out, struct err *err) {
    uint64_t step = bytes / KEY_PROFILE_MARKS + 1, held = 0, done = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t own = all[i].part->marks[all[i].mark].bytes;
        uint64_t middle = (done + step - 1 - step / 2) / step * step + step / 2; /* the first one from here on */
        bool in_middle = middle < done + own;
        done += own;
        held += own;
        if (i && i + 1 < n && !in_middle) continue;
        if (key_profile_add(out, key_profile_row(all[i].part, all[i].mark), held, err)) return -1;
        held = 0;
    }
    return 0;
}

int key_profile_merge(const struct key_profile *const *parts, uint32_t n, struct key_profile *out, struct err *err) {
    uint32_t marks = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        marks += parts[i]->n;
        bytes += sum(parts[i]);
    }
    struct merged *all = malloc((marks + 1) * sizeof *all);
    if (!all) return err_nomem(err, marks * sizeof *all, "samples of keys");
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t m = 0; m < parts[i]->n; m++) all[k++] = (struct merged){parts[i], m};
    qsort(all, marks, sizeof *all, by_row);
    int rc = thin(all, marks, bytes, out, err);
    free(all);
    return rc;
}

int key_profile_clip(const struct key_profile *p, struct bytes first, struct bytes last, struct key_profile *out, double *share,
                     struct err *err) {
    uint64_t all = sum(p), taken = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        struct bytes row = key_profile_row(p, i);
        if (bytes_cmp(row, first) < 0 || (last.n && bytes_cmp(row, last) >= 0)) continue;
        if (key_profile_add(out, row, p->marks[i].bytes, err)) return -1;
        taken += p->marks[i].bytes;
    }
    *share = all ? (double)taken / (double)all : 0;
    return 0;
}

bool key_profile_middle(const struct key_profile *p, struct bytes *row) {
    uint64_t half = sum(p) / 2, done = 0;
    uint32_t i = 0;
    while (i + 1 < p->n && (done += p->marks[i].bytes) <= half) i++;
    if (!i || i + 1 >= p->n) return false; /* rows differ, so these alone are the first's or the last's */
    *row = key_profile_row(p, i);
    return true;
}

size_t key_profile_memory(const struct key_profile *p) {
    return p->text.cap + p->cap * sizeof *p->marks;
}

void key_profile_free(struct key_profile *p) {
    buf_free(&p->text);
    free(p->marks);
    *p = (struct key_profile){0};
}
