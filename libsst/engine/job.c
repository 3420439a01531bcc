/* A source that ends when a stop is requested: it passes on what the source inside yields, and looks for a request every
 * STOP_LOOK_MS. It reads the clock only once in some parts, because a part of a row takes far less time than that. */
#include "engine/job.h"

#include <stdlib.h>

enum { PARTS_BETWEEN_LOOKS = 16 };

struct stoppable {
    struct source base;
    struct source *inner;
    void *owned;
    const struct stop *stop;
    int64_t looked_ms;
    unsigned parts;
};

static int stoppable_next(struct source *base, struct row_part *part, struct err *err) {
    struct stoppable *g = (struct stoppable *)base;
    if (++g->parts % PARTS_BETWEEN_LOOKS == 0 && stop_check_seldom(g->stop, &g->looked_ms, err)) return -1;
    return source_next(g->inner, part, err);
}

static void stoppable_close(struct source *base) {
    struct stoppable *g = (struct stoppable *)base;
    source_close(g->inner);
    free(g->owned);
    free(g);
}

static const struct source_ops stoppable_ops = {stoppable_next, stoppable_close};

struct source *stoppable_open(struct source *inner, void *owned, const struct stop *stop, struct err *err) {
    struct stoppable *g = inner ? malloc(sizeof *g) : NULL;
    if (!g) {
        if (inner) err_nomem(err, sizeof *g, "a source");
        source_close(inner);
        free(owned);
        return NULL;
    }
    *g = (struct stoppable){{&stoppable_ops}, inner, owned, stop, 0, 0};
    return &g->base;
}
