/* Cells of the value of an exported record, in either form of Result. */
#ifndef FORMATS_SEQFILE_HBASE_RESULT_H
#define FORMATS_SEQFILE_HBASE_RESULT_H

#include "base/bytes.h"
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
