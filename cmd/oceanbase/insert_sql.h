/* One row as an INSERT or REPLACE with hex literals, for rows that are put in by hand. */
#ifndef CMD_OCEANBASE_INSERT_SQL_H
#define CMD_OCEANBASE_INSERT_SQL_H

#include "cmd/oceanbase/kqvt.h"

struct insert_target {
    const char *table;
    bool replace, ttl_column;
};

/* A comment with the reason, then the statement, each a line. */
int insert_sql_put(struct buf *out, const struct insert_target *t, const struct kqvt_row *row, const char *reason,
                   struct err *err);

#endif
