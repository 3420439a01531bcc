/* Queries that compute the sums of cells inside the database. */
#ifndef CMD_OCEANBASE_CHECK_SQL_H
#define CMD_OCEANBASE_CHECK_SQL_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/oceanbase/cell_sums.h"

/* The rows of a table that are summed. */
struct check_query {
    const char *table;
    const char *const *partitions; /* n_partitions 0: the whole table */
    size_t n_partitions;
    struct cell_sums_opts opts;
    uint64_t snapshot, since; /* as of a moment; only rows that were written after one; 0: now, all */
    const char *where;        /* a condition, without since; NULL: none */
    const char *first;        /* columns before the sums, each with a comma; NULL: none */
    unsigned parallel;        /* 0: not said */
    /* Sums of each partition, after its number in the server, which computes it of the key: "p, " comes first. NULL: of all. */
    const char *database;
    bool subpartitions;
};

/* Writes the query, without ';'. */
int check_sql_put_query(struct buf *out, const struct check_query *q, struct err *err);
/* Writes the snapshot that is read, after the table's name; 0: nothing. */
int check_sql_put_snapshot(struct buf *out, uint64_t snapshot, struct err *err);

/* One partition of a table with what it should hold. */
struct check_want {
    const char *partition; /* NULL: the table is not partitioned */
    struct cell_sums sums;
};
/* A script whose result is the partitions that differ, and a last row with the number compared. */
int check_sql_put_script(struct buf *out, const char *table, const struct check_want *want, size_t n,
                         const struct cell_sums_opts *o, struct err *err);

#endif
