/* The sums of cells as the database computes them (cmd/oceanbase/check_sql.h), and what it takes to ask for parts of a table. */
#ifndef CMD_OCEANBASE_SUMS_QUERY_H
#define CMD_OCEANBASE_SUMS_QUERY_H

#include "cmd/oceanbase/cell_sums.h"
#include "cmd/oceanbase/connection.h"

/* Where to look: a partition of a table, or all of it. */
struct sums_place {
    const char *table, *partition; /* SQL names; partition NULL = the whole table */
    struct cell_sums_opts opts;
};

/* where: a condition for WHERE, or NULL. */
int sums_query(struct connection *c, const struct sums_place *p, const char *where, struct cell_sums *out, struct err *err);
/* Rows only: cheap, the database need not read values. */
int sums_query_rows(struct connection *c, const struct sums_place *p, uint64_t *rows, struct err *err);

#endif
