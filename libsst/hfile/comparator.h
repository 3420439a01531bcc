/* Names of HBase's comparators as trailers and bloom filters store them, and what order each stands for. */
#ifndef HFILE_COMPARATOR_H
#define HFILE_COMPARATOR_H

#include "base/bytes.h"

enum comparator_kind {
    COMPARATOR_CELLS,  /* the order of table data: kv_key_cmp */
    COMPARATOR_META,   /* hbase:meta and -ROOT- */
    COMPARATOR_RAW,    /* plain bytes */
    COMPARATOR_UNKNOWN /* not a name HBase has used */
};

#define COMPARATOR_CELLS_NAME "org.apache.hadoop.hbase.CellComparatorImpl"

enum comparator_kind comparator_by_name(struct bytes name);

#endif
