#include "cmd/split/simulate/timeline.h"

#include "base/buf.h"
#include "base/heap.h"

#include <stdlib.h>

static bool before(const void *x, const void *y, const void *arg) {
    const struct moment *a = x, *b = y;
    (void)arg;
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

int timeline_put(struct timeline *t, struct moment m, struct err *err) {
    if (grow_array(&t->p, t->n, sizeof m, "what is going to happen", err)) return -1;
    m.order = t->order++;
    heap_push(t->p, t->n++, sizeof m, &m, before, NULL);
    return 0;
}

const struct moment *timeline_next(const struct timeline *t) {
    return t->n ? &t->p[0] : NULL;
}

struct moment timeline_take(struct timeline *t) {
    struct moment m;
    heap_pop(t->p, t->n--, sizeof m, &m, before, NULL);
    return m;
}

void timeline_free(struct timeline *t) {
    free(t->p);
    *t = (struct timeline){0};
}
