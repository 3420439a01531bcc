#include "rules/next_drop.h"

#include <stdlib.h>

/* A kept cell goes once now - from > after. */
static void note_moment(int64_t now_ms, int64_t from, int64_t after, int64_t *next) {
    int64_t at;
    if (__builtin_add_overflow(from, after, &at) || at == INT64_MAX || ++at <= now_ms) return;
    if (at < *next) *next = at;
}

void next_drop_note(const struct family_rules *f, int64_t now_ms, const struct cell *c, int64_t *at) {
    int64_t tag_ms;
    if (f->ttl_s > 0 && f->ttl_s != INT32_MAX && f->ttl_s < INT64_MAX / 1000) note_moment(now_ms, c->ts_ms, f->ttl_s * 1000, at);
    if (c->tags.n && cell_ttl_ms(c->tags, &tag_ms)) note_moment(now_ms, c->ts_ms, tag_ms, at);
    if (cell_is_delete(c->type) && f->purge_deletes_after_ms > 0) note_moment(now_ms, c->ts_ms, f->purge_deletes_after_ms, at);
}

struct next_drop {
    struct source base;
    struct source *inner;
    struct family_rules family;
    int64_t now_ms, *at;
};

static int drop_next(struct source *base, struct row_part *part, struct err *err) {
    struct next_drop *n = (struct next_drop *)base;
    int more = source_next(n->inner, part, err);
    for (uint32_t i = 0; more == 1 && i < part->n_cells; i++) next_drop_note(&n->family, n->now_ms, &part->cells[i], n->at);
    return more;
}

static void drop_close(struct source *base) {
    struct next_drop *n = (struct next_drop *)base;
    source_close(n->inner);
    free(n);
}

static const struct source_ops drop_ops = {drop_next, drop_close};

struct source *next_drop_open(struct source *inner, const struct family_rules *family, int64_t now_ms, int64_t *at,
                              struct err *err) {
    struct next_drop *n = malloc(sizeof *n);
    if (!n) {
        source_close(inner);
        return err_nomem(err, sizeof *n, "moments of expiry"), NULL;
    }
    *n = (struct next_drop){{&drop_ops}, inner, *family, now_ms, at};
    return &n->base;
}
