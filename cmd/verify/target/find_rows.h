/* Finds the rows of one partition in which an export and a target differ. */
#ifndef CMD_VERIFY_TARGET_FIND_ROWS_H
#define CMD_VERIFY_TARGET_FIND_ROWS_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cmd/oceanbase/kqvt.h"
#include "cmd/oceanbase/load_rows.h"
#include "cmd/oceanbase/sums_query.h"
#include "cmd/verify/target/compare.h"
#include "table/table.h"

struct connection;

/* The surplus of the target, by its rows; modulo 2^64 where it has less. */
struct descend_surplus {
    uint64_t rows, bytes;
};

struct descend_opts {
    const struct compare_opts *compare;
    struct load_rows_opts rows;
    struct sums_place place;
    int (*found)(void *arg, const struct compare_finding *f, struct err *err);
    void *arg;
    uint64_t *expired, *hidden; /* counted here instead */
    struct descend_surplus *more;
};

int descend_run(struct connection *c, const struct descend_opts *o, struct err *err);

struct target_row {
    struct kqvt_row row;     /* without V */
    uint64_t value_bytes;    /* UINT64_MAX: V is NULL */
    struct bytes value_sum;  /* CRC-32 in decimal, or MD5 in hex */
    struct bytes value_head; /* the first VALUE_HEAD_BYTES of V */
};
enum { VALUE_SUM_BYTES = 33 };

/* Writes the query, without ORDER BY, and without a NUL. */
int target_rows_put_query(struct buf *sql, const struct sums_place *p, struct bytes where, struct err *err);
/* Parses a row of the answer to target_rows_put_query. ERR_INTERNAL. */
int target_row_parse(const struct bytes *fields, unsigned n, struct target_row *out, struct err *err);
/* sum: as value_sum, with a NUL. */
void target_value_sum(struct bytes value, bool strong, char sum[VALUE_SUM_BYTES]);
struct compare_side target_side(const struct target_row *row);
/* Returns whether the row has expired, by the TTL of the family, or its own. */
bool target_row_expired(const struct family *f, int64_t now_ms, const struct kqvt_row *row);

#endif
