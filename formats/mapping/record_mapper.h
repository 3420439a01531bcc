/* Makes the cells of one record after the other by a mapping. */
#ifndef FORMATS_MAPPING_RECORD_MAPPER_H
#define FORMATS_MAPPING_RECORD_MAPPER_H

#include "base/err.h"
#include "cell/cell.h"
#include "engine/format.h"
#include "formats/mapping/expr.h"
#include "formats/mapping/record_map.h"
#include "formats/text/jline_scan.h"

enum { RECORD_PARTS_MAX = 256 };

/* One thread's memory for records. */
struct record_mapper {
    const struct record_map *map;
    struct expr_value *fields; /* to be filled: one for each column of map->columns; null where the field is */
    struct row_part *parts;    /* what the last record became … */
    uint32_t n_parts, n_rows;  /* … and how many rows; 0: its conditions leave it out */
    struct expr_scratch scratch;
    struct jline_scan elements; /* of lists that are JSON arrays */
    struct cell *cells;
    struct loose_cell *loose;
    uint8_t *ttl_tags; /* TTL_TAG_BYTES a row */
    uint32_t n_cells;
    void *memory;
};

int record_mapper_init(struct record_mapper *m, const struct record_map *map, struct err *err);
void record_mapper_free(struct record_mapper *m);
/* rank: of its first row; the others follow. 1, 0 refused (*why), -1 error. */
int record_mapper_run(struct record_mapper *m, uint64_t rank, struct reason *why, struct err *err);

#endif
