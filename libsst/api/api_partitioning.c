/* Partitionings for callers: built from a word or DDL, then asked for rows. What is built stays as it is, so any thread may
 * ask. */
#include "api/api.h"
#include "table/ddl.h"
#include "table/placement.h"

#include <stdlib.h>

int api_partitioning_prepare(sst_partitioning *p, struct err *err) {
    p->placement = placement_new(&p->table.partitioning, err);
    if (!p->placement || partitioning_describe(&p->table.partitioning, &p->text, err)) return -1;
    return buf_put_byte(&p->text, 0, err);
}

static sst_partitioning *new_partitioning(struct err *err) {
    sst_partitioning *p = calloc(1, sizeof *p);
    if (!p) err_nomem(err, sizeof *p, "a partitioning");
    return p;
}

/* rc: whether the partitioning could be read. */
static sst_partitioning *prepared(sst_partitioning *p, int rc, struct err *err) {
    if (p && !rc && !api_partitioning_prepare(p, err)) return p;
    sst_partitioning_close(p);
    return NULL;
}

sst_partitioning *sst_partitioning_parse(const char *word, sst_error *error) {
    struct err *err = api_begin(error);
    sst_partitioning *p = new_partitioning(err);
    return prepared(p, p ? partitioning_parse(word, &p->table.partitioning, &p->table.warnings, err) : -1, err);
}

sst_partitioning *sst_partitioning_from_ddl(const char *text, size_t size, sst_error *error) {
    struct err *err = api_begin(error);
    sst_partitioning *p = new_partitioning(err);
    return prepared(p, p ? ddl_parse("DDL", text, size, &p->table, err) : -1, err);
}

void sst_partitioning_close(sst_partitioning *partitioning) {
    if (!partitioning) return;
    placement_free(partitioning->placement);
    table_free(&partitioning->table);
    buf_free(&partitioning->text);
    free(partitioning);
}

uint32_t sst_partitioning_count(const sst_partitioning *partitioning) {
    return partitioning->table.partitioning.count;
}

const char *sst_partitioning_name(const sst_partitioning *partitioning, uint32_t index) {
    const struct partitioning *p = &partitioning->table.partitioning;
    return index < p->count ? p->names[index] : NULL;
}

const char *sst_partitioning_text(const sst_partitioning *partitioning) {
    return (const char *)partitioning->text.p;
}

int sst_partitioning_splits_rows(const sst_partitioning *partitioning) {
    return placement_splits_rows(partitioning->placement);
}

static int place_error(enum place_result r, struct err *err) {
    if (r == PLACE_OK) return 0;
    return err_set(err, r == PLACE_BY_CELL ? ERR_USAGE : ERR_INPUT, "%s", placement_why(r));
}

int sst_partition_of_row(const sst_partitioning *partitioning, const void *row, size_t row_size, uint32_t *index,
                         sst_error *error) {
    struct err *err = api_begin(error);
    *index = 0;
    return place_error(placement_of(partitioning->placement, bytes_of(row, row_size), index), err);
}

int sst_partition_of_cell(const sst_partitioning *partitioning, const sst_cell *cell, uint32_t *index, sst_error *error) {
    struct err *err = api_begin(error);
    struct cell one;
    struct row_part part;
    *index = 0;
    if (api_part_of(cell, &one, &part, err)) return -1;
    return place_error(placement_of_cell(partitioning->placement, part.row, &one, index), err);
}

int64_t sst_key_hash(const void *row, size_t row_size) {
    return placement_key_hash(bytes_of(row, row_size));
}
