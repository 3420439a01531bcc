/* Describes how the bytes of a memstore or store file spread over its rows: a systematic sample of rows, each standing for so
 * many bytes.
 *
 *   bytes in the order of arrival  |--x----|----x--|x------|-----x-|   one byte of each stretch is drawn: the row it is in
 *   too many marks                 |--x------------|x--------------|   stretches double, one of two neighbours stays
 *
 * A memstore's sample is sorted when it is flushed; merged files thin theirs by weight. First and last row are always exact. */
#include "cmd/split/simulate/key_profile.h"

#include "base/buf.h"
#include "base/hash.h"

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
    if (p->n && bytes_eq(key_profile_row(p, p->n - 1), row)) {
        p->marks[p->n - 1].bytes += bytes;
        return 0;
    }
    return add_mark(p, row, bytes, err);
}

static uint64_t sum_bytes(const struct key_profile *p) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < p->n; i++) bytes += p->marks[i].bytes;
    return bytes;
}

/* A mark of the parts under merge. */
struct profile_mark {
    const struct key_profile *part;
    uint32_t mark;
};

static int by_mark(const void *a, const void *b) {
    const struct profile_mark *x = a, *y = b;
    return bytes_cmp(key_profile_row(x->part, x->mark), key_profile_row(y->part, y->mark));
}

/* Equally heavy stretches; the row in the middle of a stretch stands for it. First and last stay. */
static int thin_marks(const struct profile_mark *all, uint32_t n, uint64_t bytes, struct key_profile *out, struct err *err) {
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
        bytes += sum_bytes(parts[i]);
    }
    struct profile_mark *all = malloc((marks + 1) * sizeof *all);
    if (!all) return err_nomem(err, marks * sizeof *all, "samples of keys");
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t m = 0; m < parts[i]->n; m++) all[k++] = (struct profile_mark){parts[i], m};
    qsort(all, marks, sizeof *all, by_mark);
    int rc = thin_marks(all, marks, bytes, out, err);
    free(all);
    return rc;
}

int key_profile_clip(const struct key_profile *p, struct bytes first, struct bytes last, struct key_profile *out, double *share,
                     struct err *err) {
    uint64_t all = sum_bytes(p), taken = 0;
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
    uint64_t half = sum_bytes(p) / 2, done = 0;
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

enum { FIRST_STEP = 64 };

static void begin_stretch(struct key_sampler *s, uint64_t at) {
    s->stretch = at;
    s->pick = at + splitmix_next(&s->random) % s->step;
}

void key_sampler_begin(struct key_sampler *s, uint64_t seed) {
    s->random = seed;
    s->bytes = s->rows_seen = 0;
    s->step = FIRST_STEP;
    begin_stretch(s, 0);
}

/* Keeps one of each two neighbouring marks, which stands for both. */
static int halve_marks(struct key_sampler *s, struct err *err) {
    struct key_profile all = s->marks, kept = {0};
    int rc = 0;
    for (uint32_t i = 0; !rc && i < all.n; i += 2) {
        bool pair = i + 1 < all.n;
        uint32_t one = i + (pair && splitmix_next(&s->random) & 1);
        rc = key_profile_add(&kept, key_profile_row(&all, one), all.marks[i].bytes + (pair ? all.marks[i + 1].bytes : 0), err);
    }
    key_profile_free(&all);
    s->marks = kept;
    s->step *= 2;
    return rc;
}

static int note_ends(struct key_sampler *s, struct bytes row, struct err *err) {
    if (!s->rows_seen++) return buf_copy(&s->first, row, err) || buf_copy(&s->last, row, err) ? -1 : 0;
    if (bytes_cmp(row, buf_bytes(&s->first)) < 0) return buf_copy(&s->first, row, err);
    if (bytes_cmp(row, buf_bytes(&s->last)) > 0) return buf_copy(&s->last, row, err);
    return 0;
}

int key_sampler_put(struct key_sampler *s, struct bytes row, uint64_t bytes, struct err *err) {
    if (note_ends(s, row, err)) return -1;
    s->bytes += bytes;
    if (s->pick >= s->bytes) return 0;
    uint64_t stretches = (s->bytes - s->stretch + s->step - 1) / s->step; /* a large cell may be in many */
    if (key_profile_add(&s->marks, row, stretches * s->step, err)) return -1;
    if (s->marks.n == KEY_SAMPLER_MARKS && halve_marks(s, err)) return -1;
    begin_stretch(s, s->stretch + stretches * s->step > s->bytes ? s->stretch + stretches * s->step : s->bytes);
    return 0;
}

struct sampled {
    struct bytes row;
    uint64_t bytes;
};

static int by_row(const void *a, const void *b) {
    return bytes_cmp(((const struct sampled *)a)->row, ((const struct sampled *)b)->row);
}

static int sorted(const struct key_sampler *s, struct sampled *all, struct key_profile *out, struct err *err) {
    uint32_t n = 0;
    all[n++] = (struct sampled){buf_bytes(&s->first), 1};
    for (uint32_t i = 0; i < s->marks.n; i++) all[n++] = (struct sampled){key_profile_row(&s->marks, i), s->marks.marks[i].bytes};
    all[n++] = (struct sampled){buf_bytes(&s->last), 1};
    qsort(all, n, sizeof *all, by_row);
    for (uint32_t i = 0; i < n; i++)
        if (key_profile_add(out, all[i].row, all[i].bytes, err)) return -1;
    return 0;
}

int key_sampler_take(struct key_sampler *s, struct key_profile *out, struct err *err) {
    struct sampled *all = s->rows_seen ? malloc((s->marks.n + 2) * sizeof *all) : NULL;
    if (s->rows_seen && !all) return err_nomem(err, (s->marks.n + 2) * sizeof *all, "samples of keys");
    int rc = all ? sorted(s, all, out, err) : 0;
    free(all);
    uint64_t random = s->random;
    key_sampler_free(s);
    s->random = random;
    return rc;
}

size_t key_sampler_memory(const struct key_sampler *s) {
    return key_profile_memory(&s->marks) + s->first.cap + s->last.cap;
}

void key_sampler_free(struct key_sampler *s) {
    key_profile_free(&s->marks);
    buf_free(&s->first);
    buf_free(&s->last);
    *s = (struct key_sampler){0};
}
