#include "table/placement.h"

#include "base/hash.h"
#include "table/partitioning.h"
#include "table/place_ops.h"

#include <stdlib.h>

static const struct place_ops *const all[] = {&place_none, &place_key,  &place_key_cells, &place_range,
                                              &place_time, &place_list, &place_two_level};

struct placement *placement_new(const struct partitioning *p, struct err *err) {
    struct placement *pl = calloc(1, sizeof *pl);
    if (!pl) return err_nomem(err, sizeof *pl, "the placement"), NULL;
    pl->spec = p;
    for (size_t i = 0; i < countof(all); i++)
        if (all[i]->kind == p->kind && all[i]->by_cell == (p->by != BY_ROW)) pl->ops = all[i];
    if (!pl->ops || p->count == 0) {
        err_set(err, ERR_INTERNAL, "no partitioner for kind %d with %u partitions", (int)p->kind, (unsigned)p->count);
        goto fail;
    }
    pl->splits_rows = partitioning_splits_rows(p);
    if (pl->ops->prepare && pl->ops->prepare(pl, err)) goto fail;
    return pl;
fail:
    placement_free(pl);
    return NULL;
}

void placement_free(struct placement *p) {
    if (!p) return;
    if (p->ops && p->ops->release) p->ops->release(p);
    free(p);
}

uint32_t placement_count(const struct placement *p) {
    return p->spec->count;
}

enum place_result placement_of(const struct placement *p, struct bytes row, uint32_t *index) {
    return p->splits_rows ? PLACE_BY_CELL : p->ops->of(p, row, index);
}

enum place_result placement_of_cell(const struct placement *p, struct bytes row, const struct cell *c, uint32_t *index) {
    return p->ops->of_cell ? p->ops->of_cell(p, row, c, index) : p->ops->of(p, row, index);
}

bool placement_splits_rows(const struct placement *p) {
    return p->splits_rows;
}

enum place_result placement_run(const struct placement *p, const struct row_part *part, uint32_t from, uint32_t *n,
                                uint32_t *index) {
    *index = 0;
    *n = part->n_cells - from;
    if (!p->splits_rows) return p->ops->of(p, part->row, index);
    enum place_result first = placement_of_cell(p, part->row, &part->cells[from], index);
    for (uint32_t i = from + 1; i < part->n_cells; i++) {
        uint32_t other = 0;
        if (placement_of_cell(p, part->row, &part->cells[i], &other) == first && other == *index) continue;
        *n = i - from;
        break;
    }
    return first;
}

enum place_result placement_check(const struct placement *p, const struct row_part *part, uint32_t partition, uint32_t *index) {
    enum place_result r = PLACE_OK;
    for (uint32_t i = 0, n; i < part->n_cells; i += n) {
        r = placement_run(p, part, i, &n, index);
        if (r != PLACE_OK || *index != partition) break;
    }
    return r;
}

const char *placement_why(enum place_result r) {
    switch (r) {
    case PLACE_OK: return "placed";
    case PLACE_HASH_MIN: return "the key's hash is INT64_MIN: OceanBase refuses the row (error 4016)";
    case PLACE_NO_PARTITION: return "the key lies at or above the last RANGE bound: no partition holds it (error 1526)";
    case PLACE_NOT_LISTED: return "the key stands in no LIST partition and there is no DEFAULT (error 1526)";
    case PLACE_BY_CELL: return "the partition depends on qualifier or timestamp";
    }
    return "unknown";
}

bool placement_client_differs(const struct placement *p, struct bytes row) {
    return p->ops->client_differs && p->ops->client_differs(p, row);
}

int64_t placement_key_hash(struct bytes key) {
    return (int64_t)murmur64a(key.p, key.n, 0);
}
