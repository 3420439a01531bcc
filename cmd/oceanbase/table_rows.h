/* Reads the rows of a partition of an OBKV-HBase table, in the order of its primary key. */
#ifndef CMD_OCEANBASE_TABLE_ROWS_H
#define CMD_OCEANBASE_TABLE_ROWS_H

#include "base/err.h"
#include "base/stop.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/kqvt.h"

/* Borrowed; outlives the rows. */
struct table_rows_opts {
    const struct login *login;
    const char *table, *partition; /* SQL names; partition NULL = the whole table */
    bool ttl_column;
    uint64_t snapshot; /* at which moment; 0: now */
    unsigned retries;  /* of a statement that fails for a while, without a row in between */
    const struct stop *stop;
};

struct table_rows;
/* Asks when the first row is wanted. */
struct table_rows *table_rows_open(const struct table_rows_opts *o, struct err *err);
/* 1 = *row is the next one, valid until the next call; 0 = there is none, -1: also where a row cannot be a cell. */
int table_rows_next(struct table_rows *r, struct kqvt_row *row, struct err *err);
/* From another thread: the call that waits for the server fails. Nothing else may be called but table_rows_close. */
void table_rows_interrupt(struct table_rows *r);
void table_rows_close(struct table_rows *r);

#endif
