/* Turns cells of a caller into row parts with ranks: a later cell is newer. A part is passed on as it is if its cells are in
 * order and fit one part of the library; otherwise its cells go one by one, which makes no difference to a sorter. */
#include "api/api_put.h"

#include "engine/memory_plan.h"

#include <stdlib.h>

enum { THREADS_MAX = 1024 };

int api_put_cell(struct api_put *p, const sst_cell *cell, api_taker *take, void *arg, struct err *err) {
    struct cell one;
    struct row_part part;
    if (api_part_of(cell, &one, &part, err)) return -1;
    one.rank = rank_of(0, p->n + 1);
    if (take(arg, &part, err)) return -1;
    p->n++;
    return 0;
}

static sst_cell cell_of(const sst_part *part, const sst_part_cell *c) {
    return (sst_cell){.size = sizeof(sst_cell),
                      .row = part->row,
                      .family = part->family,
                      .qualifier = c->qualifier,
                      .value = c->value,
                      .tags = c->tags,
                      .timestamp = c->timestamp,
                      .sequence = c->sequence,
                      .type = c->type};
}

static int put_singly(struct api_put *p, const sst_part *part, api_taker *take, void *arg, struct err *err) {
    for (uint32_t i = 0; i < part->n; i++) {
        const sst_cell cell = cell_of(part, &part->cells[i]);
        if (api_put_cell(p, &cell, take, arg, err)) return -1;
    }
    return 0;
}

/* Fills p->cells. 1: they are a part of the library's; 0: they must go one by one; -1. */
static int take_cells(struct api_put *p, const sst_part *part, struct err *err) {
    size_t bytes = 0;
    if (!part->n || part->n > PART_MAX_CELLS) return 0;
    while (p->room < part->n)
        if (grow_capacity(&p->cells, &p->room, sizeof *p->cells, "cells", err)) return -1;
    for (uint32_t i = 0; i < part->n; i++) {
        const sst_cell cell = cell_of(part, &part->cells[i]);
        struct row_part one;
        if (api_part_of(&cell, &p->cells[i], &one, err)) return -1;
        p->cells[i].rank = rank_of(0, p->n + part->n - i); /* of equal cells the first one is newer */
        bytes += cell.qualifier.size + cell.value.size + cell.tags.size;
        if (i && cell_cmp(&p->cells[i - 1], &p->cells[i], TIE_BY_SEQUENCE) > 0) return 0;
    }
    return bytes <= PART_MAX_BYTES;
}

int api_put_part(struct api_put *p, const sst_part *part, api_taker *take, void *arg, struct err *err) {
    int whole = take_cells(p, part, err);
    if (whole <= 0) return whole ? -1 : put_singly(p, part, take, arg, err);
    const struct row_part made = {.row = api_taken(part->row),
                                  .family = api_taken(part->family),
                                  .cells = p->cells,
                                  .n_cells = part->n,
                                  .first = part->row_starts != 0};
    if (take(arg, &made, err)) return -1;
    p->n += part->n;
    return 0;
}

void api_put_free(struct api_put *p) {
    free(p->cells);
}

int api_job_check(const struct job *job, struct err *err) {
    if (job->threads > THREADS_MAX) return err_set(err, ERR_USAGE, "%u threads: at most %d", job->threads, THREADS_MAX);
    if (job->memory_bytes >= MEMORY_FLOOR_BYTES) return 0;
    return err_set(err, ERR_USAGE, "memory_bytes is %llu: at least %d are needed", (unsigned long long)job->memory_bytes,
                   (int)MEMORY_FLOOR_BYTES);
}
