/* The value of an exported record: a row's cells, in one of two forms that the bytes themselves tell apart.
 *   0.96 and later  varint length, protobuf Result: 1 repeated Cell, 2 associated_cell_count (hbase: ResultSerialization)
 *                   Cell: 1 row, 2 family, 3 qualifier, 4 timestamp, 5 type, 6 value, 7 tags; what is absent is empty
 *   up to 0.94      i32 total, then per cell i32 length and KeyValue bytes (Writable Result); no cells: 00000000
 * Both say how long they are: only one of the two can be as long as the value is. */
#ifndef FORMATS_SEQFILE_HBASE_RESULT_H
#define FORMATS_SEQFILE_HBASE_RESULT_H

#include "base/err.h"
#include "cell/cell.h"

struct hbase_result {
    struct bytes rest;
    size_t size; /* of the value: places in messages are counted from its start */
    bool writable;
    uint64_t cells, announced; /* taken so far; associated_cell_count */
};

struct result_cell {
    struct bytes row, family;
    struct cell cell; /* seq and rank are 0; a type that no byte holds is 0 */
};

/* Everything is borrowed from value. ERR_INPUT says what is wrong, without naming file or record. 0, -1. */
int hbase_result_open(struct hbase_result *r, struct bytes value, struct err *err);
/* 1 = *c filled, whatever its type and lengths are; 0 = no more; -1 = damaged. */
int hbase_result_next(struct hbase_result *r, struct result_cell *c, struct err *err);

#endif
