/* One partition that holds every row.
 * The smallest partitioner: docs/add-a-partitioner.md begins with it. */
#include "table/partitioner.h"

static int parse(const char *spec, const char *args, struct partitioning *out, struct buf *warnings, struct err *err) {
    (void)warnings;
    if (args) return err_set(err, ERR_USAGE, "partitioning '%s': none takes no arguments", spec);
    return partitioning_add(out, NULL, NULL, err);
}

static enum place_result of_none(const struct placement *p, struct bytes row, uint32_t *index) {
    (void)p;
    (void)row;
    *index = 0;
    return PLACE_OK;
}

const struct partitioner place_none = {.kind = PARTITION_NONE, .word = "none", .usage = "none", .parse = parse, .of = of_none};
