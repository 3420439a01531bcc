/* Finds the partition that owns a row: takes the partitioner of a partitioning and asks it. Partitioners are the files place_*.c,
 * listed by make. Partitions of partitions are placed here, as each level is a placement of its own:
 *
 *     row --> levels[0]: upper partition i --> levels[i + 1], or the template levels[1]: k --> leaf first[i] + k */
#include "table/partitioner.h"

#include "base/hash.h"
#include "gen/partitioner_list.h"
#include "table/partitioning.h"
#include "table/placement.h"

#include <stdlib.h>

#define DECLARE(name) extern const struct partitioner name;
PARTITIONER_LIST(DECLARE)
#define REFER(name) &name,
static const struct partitioner *const all[] = {PARTITIONER_LIST(REFER)};

static const struct partitioner two_level;

const struct partitioner *partitioner_at(size_t i) {
    return i < countof(all) ? all[i] : NULL;
}

const struct partitioner *partitioner_named(struct bytes word) {
    for (size_t i = 0; i < countof(all); i++)
        if (all[i]->word && bytes_eq(bytes_str(all[i]->word), word)) return all[i];
    return NULL;
}

/* The word of its notation identifies PARTITION_OTHER. */
static const struct partitioner *find_partitioner(const struct partitioning *p) {
    if (p->kind == PARTITION_TWO_LEVEL) return &two_level;
    if (p->kind == PARTITION_OTHER) return partitioner_named(bytes_of((const uint8_t *)p->notation, strcspn(p->notation, ":")));
    for (size_t i = 0; i < countof(all); i++)
        if (all[i]->kind == p->kind) return all[i];
    return NULL;
}

struct placement *placement_new(const struct partitioning *p, struct err *err) {
    struct placement *pl = calloc(1, sizeof *pl);
    if (!pl) {
        err_nomem(err, sizeof *pl, "the placement");
        return NULL;
    }
    pl->spec = p;
    pl->ops = find_partitioner(p);
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
    case PLACE_NO_PARTITION: return "the key is at or above the last RANGE bound: no partition holds it (error 1526)";
    case PLACE_NOT_LISTED: return "the key is in no LIST partition and there is no DEFAULT (error 1526)";
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

/* ---- two levels ---- */

struct levels {
    struct placement **levels; /* as in the partitioning */
    uint32_t n;
    uint32_t *first; /* by upper partition: its first leaf */
};

static void release(struct placement *p) {
    struct levels *s = p->state;
    if (!s) return;
    for (uint32_t i = 0; s->levels && i < s->n; i++) placement_free(s->levels[i]);
    free(s->levels);
    free(s->first);
    free(s);
}

static int prepare(struct placement *p, struct err *err) {
    const struct partitioning *spec = p->spec, *upper = &spec->levels[0];
    struct levels *s = p->state = calloc(1, sizeof *s);
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
    const struct levels *s = p->state;
    return s->levels[p->spec->is_template ? 1 : i + 1];
}

static enum place_result of_cell(const struct placement *p, struct bytes row, const struct cell *c, uint32_t *index) {
    const struct levels *s = p->state;
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
    const struct levels *s = p->state;
    uint32_t part = 0;
    if (placement_client_differs(s->levels[0], row)) return true;
    return !placement_splits_rows(s->levels[0]) && placement_of(s->levels[0], row, &part) == PLACE_OK &&
           placement_client_differs(below(p, part), row);
}

static const struct partitioner two_level = {.kind = PARTITION_TWO_LEVEL,
                                             .prepare = prepare,
                                             .release = release,
                                             .of = of_row,
                                             .of_cell = of_cell,
                                             .client_differs = client_differs};
