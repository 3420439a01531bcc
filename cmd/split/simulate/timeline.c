#include "cmd/split/simulate/timeline.h"

#include <stdlib.h>

static bool before(const struct moment *a, const struct moment *b) {
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

static void swap(struct timeline *t, size_t i, size_t k) {
    struct moment m = t->p[i];
    t->p[i] = t->p[k];
    t->p[k] = m;
}

int timeline_put(struct timeline *t, struct moment m, struct err *err) {
    if (t->n == t->cap) {
        size_t cap = t->cap ? 2 * t->cap : 64;
        struct moment *p = realloc(t->p, cap * sizeof *p);
        if (!p) return err_nomem(err, cap * sizeof *p, "what is going to happen");
        t->p = p;
        t->cap = cap;
    }
    m.order = t->order++;
    size_t i = t->n++;
    t->p[i] = m;
    for (; i && before(&t->p[i], &t->p[(i - 1) / 2]); i = (i - 1) / 2) swap(t, i, (i - 1) / 2);
    return 0;
}

const struct moment *timeline_next(const struct timeline *t) {
    return t->n ? &t->p[0] : NULL;
}

struct moment timeline_take(struct timeline *t) {
    struct moment m = t->p[0];
    t->p[0] = t->p[--t->n];
    for (size_t i = 0, k; (k = 2 * i + 1) < t->n; i = k) {
        if (k + 1 < t->n && before(&t->p[k + 1], &t->p[k])) k++;
        if (!before(&t->p[k], &t->p[i])) break;
        swap(t, i, k);
    }
    return m;
}

void timeline_free(struct timeline *t) {
    free(t->p);
    *t = (struct timeline){0};
}
