/* How long keys and values are, how large rows, and what kinds of cells there are: of all cells of HFiles. The figures of
 * HFilePrettyPrinter -s, but key lengths are those of every cell (it takes the last one of each row). */
#ifndef INFO_CELL_STATS_H
#define INFO_CELL_STATS_H

#include "base/buf.h"
#include "base/histogram.h"
#include "base/stop.h"
#include "hfile/hfile_reader.h"

struct cell_stats {                            /* zero-initialise */
    struct histogram key_length, value_length; /* of cells: the serialised key, the value */
    struct histogram row_bytes, row_cells;     /* of rows: KeyValue bytes, with tags */
    uint64_t puts, deletes, family_version_deletes, column_deletes, family_deletes, others;
    uint64_t tagged, tag_bytes; /* cells with tags, and bytes of these */
    uint64_t biggest_row_bytes;
    struct buf biggest_row; /* of several as large the first */
};

/* Reads the whole file. */
int cell_stats_add(struct cell_stats *s, const struct hfile *h, const struct stop *stop, struct err *err);
int cell_stats_merge(struct cell_stats *to, const struct cell_stats *from, struct err *err);
void cell_stats_free(struct cell_stats *s);

#endif
