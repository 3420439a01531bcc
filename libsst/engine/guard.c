#include "engine/guard.h"

#include <stdlib.h>

enum { PARTS_BETWEEN_LOOKS = 256 };

struct guard {
    struct source base;
    struct source *inner;
    void *owned;
    const struct stop *stop;
    unsigned parts;
};

static int guard_next(struct source *base, struct row_part *part, struct err *err) {
    struct guard *g = (struct guard *)base;
    if (++g->parts % PARTS_BETWEEN_LOOKS == 0 && stop_check(g->stop, err)) return -1;
    return source_next(g->inner, part, err);
}

static void guard_close(struct source *base) {
    struct guard *g = (struct guard *)base;
    source_close(g->inner);
    free(g->owned);
    free(g);
}

static const struct source_ops guard_ops = {guard_next, guard_close};

struct source *guard_open(struct source *inner, void *owned, const struct stop *stop, struct err *err) {
    struct guard *g = inner ? malloc(sizeof *g) : NULL;
    if (!g) {
        if (inner) err_nomem(err, sizeof *g, "a source");
        source_close(inner);
        free(owned);
        return NULL;
    }
    *g = (struct guard){{&guard_ops}, inner, owned, stop, 0};
    return &g->base;
}
