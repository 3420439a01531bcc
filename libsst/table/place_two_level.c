/* Partitions of partitions: the upper level chooses one, its own subpartitions choose the leaf. */
#include "table/place_ops.h"
#include "table/placement.h"
#include "table/partitioning.h"

#include <stdlib.h>

struct two_level {
    struct placement **levels; /* as in the partitioning */
    uint32_t n;
    uint32_t *first; /* by upper partition: its first leaf */
};

static void release(struct placement *p) {
    struct two_level *s = p->state;
    if (!s) return;
    for (uint32_t i = 0; s->levels && i < s->n; i++) placement_free(s->levels[i]);
    free(s->levels);
    free(s->first);
    free(s);
}

static int prepare(struct placement *p, struct err *err) {
    const struct partitioning *spec = p->spec, *upper = &spec->levels[0];
    struct two_level *s = p->state = calloc(1, sizeof *s);
    if (!s) return err_nomem(err, sizeof *s, "partitions");
    s->n = spec->n_levels;
    s->levels = calloc(s->n, sizeof *s->levels);
    s->first = calloc(upper->count, sizeof *s->first);
    if (!s->levels || !s->first) return err_nomem(err, s->n * sizeof *s->levels, "partitions");
    for (uint32_t i = 0; i < s->n; i++)
        if (!(s->levels[i] = placement_new(&spec->levels[i], err))) return -1;
    for (uint32_t i = 1; i < upper->count; i++) s->first[i] = s->first[i - 1] + partitioning_below(spec, i - 1)->count;
    return 0;
}

static const struct placement *below(const struct placement *p, uint32_t i) {
    const struct two_level *s = p->state;
    return s->levels[p->spec->is_template ? 1 : i + 1];
}

static enum place_result of_cell(const struct placement *p, struct bytes row, const struct cell *c, uint32_t *index) {
    const struct two_level *s = p->state;
    uint32_t part = 0, sub = 0;
    enum place_result r = placement_of_cell(s->levels[0], row, c, &part);
    if (r == PLACE_OK) r = placement_of_cell(below(p, part), row, c, &sub);
    if (r == PLACE_OK) *index = s->first[part] + sub;
    return r;
}

static enum place_result of_row(const struct placement *p, struct bytes row, uint32_t *index) {
    return of_cell(p, row, NULL, index);
}

static bool client_differs(const struct placement *p, struct bytes row) {
    const struct two_level *s = p->state;
    uint32_t part = 0;
    if (placement_client_differs(s->levels[0], row)) return true;
    return !placement_splits_rows(s->levels[0]) && placement_of(s->levels[0], row, &part) == PLACE_OK &&
           placement_client_differs(below(p, part), row);
}

const struct place_ops place_two_level = {.kind = PARTITION_TWO_LEVEL,
                                          .prepare = prepare,
                                          .release = release,
                                          .of = of_row,
                                          .of_cell = of_cell,
                                          .client_differs = client_differs};
