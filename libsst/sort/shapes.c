#include "sort/shapes.h"

#include <stdlib.h>

static bool same(const struct shape *a, struct bytes family, const struct bytes *qualifiers, uint32_t n) {
    if (a->n != n || !bytes_eq(a->family, family)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!bytes_eq(a->qualifiers[i], qualifiers[i])) return false;
    return true;
}

/* A spare byte behind each name keeps the pointers of empty and equal qualifiers apart: cells are matched by pointer. */
static struct bytes keep(uint8_t **p, struct bytes name) {
    struct bytes kept = {*p, name.n};
    if (name.n) memcpy(*p, name.p, name.n);
    *p += name.n + 1;
    return kept;
}

static struct shape *shape_new(struct bytes family, const struct bytes *qualifiers, uint32_t n, struct err *err) {
    size_t size = sizeof(struct shape) + n * sizeof(struct bytes) + family.n + 1;
    for (uint32_t i = 0; i < n; i++) size += qualifiers[i].n + 1;
    struct shape *s = calloc(1, size);
    if (!s) return err_nomem(err, size, "a record shape"), NULL;
    struct bytes *names = (struct bytes *)(s + 1);
    uint8_t *p = (uint8_t *)(names + n);
    s->family = keep(&p, family);
    for (uint32_t i = 0; i < n; i++) names[i] = keep(&p, qualifiers[i]);
    for (uint32_t i = 1; i < n; i++) s->repeats |= bytes_eq(names[i - 1], names[i]);
    s->qualifiers = names;
    s->n = n;
    return s;
}

/* The list never moves: other threads read it while an input is opened. */
static int grow(struct shape_set *s, struct err *err) {
    if (s->n == SHAPES_MAX) return err_set(err, ERR_LIMIT, "more than %d different column sequences in one run", SHAPES_MAX);
    if (s->shapes) return 0;
    s->shapes = calloc(SHAPES_MAX, sizeof(struct shape *));
    return s->shapes ? 0 : err_nomem(err, SHAPES_MAX * sizeof(struct shape *), "record shapes");
}

int shape_add(struct shape_set *s, struct bytes family, const struct bytes *qualifiers, uint32_t n, uint32_t *id,
              struct err *err) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (!same(s->shapes[i], family, qualifiers, n)) continue;
        *id = i + 1;
        return 0;
    }
    if (grow(s, err)) return -1;
    struct shape *added = shape_new(family, qualifiers, n, err);
    if (!added) return -1;
    s->shapes[s->n++] = added;
    *id = s->n;
    return 0;
}

void shape_set_free(struct shape_set *s) {
    for (uint32_t i = 0; i < s->n; i++) free(s->shapes[i]);
    free(s->shapes);
    *s = (struct shape_set){0};
}
