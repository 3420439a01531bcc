/* Has the database compute the sums of cells. */
#ifndef CMD_OCEANBASE_SUMS_QUERY_H
#define CMD_OCEANBASE_SUMS_QUERY_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/oceanbase/cell_sums.h"

struct connection;

/* The present as a moment at which tables can be read from now on; 0: the server cannot do that. */
int connection_snapshot(struct connection *c, uint64_t *snapshot, struct err *err);

/* Where to look: a partition of a table, or all of it. */
struct sums_place {
    const char *table, *partition; /* SQL names; partition NULL = the whole table */
    struct cell_sums_opts opts;
    uint64_t snapshot; /* at which moment; 0: now */
};

/* After the table's name. */
int sums_put_snapshot(struct buf *sql, const struct sums_place *p, struct err *err);

/* where: a condition for WHERE, or NULL. */
int sums_query(struct connection *c, const struct sums_place *p, const char *where, struct cell_sums *out, struct err *err);
/* Of many partitions of a table, in few statements. */
struct sums_places {
    const char *table;
    const char *const *partitions; /* one NULL: the whole table */
    size_t n;
    struct cell_sums_opts opts;
    uint64_t snapshot;
    uint64_t since; /* only rows that were written after this moment; 0: all */
};
/* out[i]: of partitions[i]. */
int sums_query_each(struct connection *c, const struct sums_places *p, struct cell_sums *out, struct err *err);
/* Rows only: cheap, the database need not read values. */
int sums_query_rows(struct connection *c, const struct sums_place *p, uint64_t *rows, struct err *err);

#endif
