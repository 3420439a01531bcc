/* Has the database compute the sums of cells. */
#ifndef CMD_OCEANBASE_SUMS_QUERY_H
#define CMD_OCEANBASE_SUMS_QUERY_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/oceanbase/cell_sums.h"
#include "table/partitioning.h"

struct connection;

/* The present as a moment at which tables can be read from now on; 0: the server cannot do that. */
int connection_snapshot(struct connection *c, uint64_t *snapshot, struct err *err);

/* The rows that are summed: a partition of a table, or all of it. */
struct sums_place {
    const char *table, *partition; /* SQL names; partition NULL = the whole table */
    struct cell_sums_opts opts;
    uint64_t snapshot; /* at which moment; 0: now */
};

/* where: a condition for WHERE, or NULL. */
int sums_query(struct connection *c, const struct sums_place *p, const char *where, struct cell_sums *out, struct err *err);
/* Partitions of a table, many of which one statement sums up. */
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
/* Partitions of a table that one scan sums up, which is sooner done. The server knows them there only as the numbers that it
 * gives to partitions: so what they should hold must be known. */
struct sums_scan {
    struct sums_places places;
    const char *database;
    const struct partitioning *partitioning;
    const struct cell_sums *want; /* of each place */
    unsigned parallel;
};
/* fits[i]: places.partitions[i] holds want[i]. false: it does not, or this server cannot say; ask sums_query_each. */
int sums_query_fit(struct connection *c, const struct sums_scan *s, bool *fits, struct err *err);
/* now[i]: of places.partitions[i]. One scan shows those that hold want[i]; the others are asked for what they hold. */
int sums_query_scan(struct connection *c, const struct sums_scan *s, struct cell_sums *now, struct err *err);
bool sums_fit(const struct cell_sums_opts *o, const struct cell_sums *now, struct cell_sums want);
/* The rows of all these partitions together, n 0: of the whole table. Cheap: the database need not read values. */
int sums_query_rows(struct connection *c, const struct sums_places *p, uint64_t *rows, struct err *err);

#endif
