#include "cmd/split/simulate/key_sampler.h"

#include "cmd/split/simulate/seeded.h"

#include <stdlib.h>

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

/* Of each two neighbours one stays and stands for both. */
static int halve(struct key_sampler *s, struct err *err) {
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
    uint64_t stretches = (s->bytes - s->stretch + s->step - 1) / s->step; /* a large cell may lie in many */
    if (key_profile_add(&s->marks, row, stretches * s->step, err)) return -1;
    if (s->marks.n == KEY_SAMPLER_MARKS && halve(s, err)) return -1;
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
