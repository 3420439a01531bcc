/* Defines partitionings: how one is parsed and printed as text, how it is built piece by piece, and the rules that every source
 * of one must keep. */
#ifndef TABLE_PARTITIONING_H
#define TABLE_PARTITIONING_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

enum { PARTITIONS_MAX = 8192 };      /* leaves; measured: 8193 are refused with error 1499 */
enum { PARTITION_NAME_BYTES = 256 }; /* 64 characters */

enum partition_kind { PARTITION_NONE, PARTITION_KEY, PARTITION_RANGE, PARTITION_LIST, PARTITION_TWO_LEVEL, PARTITION_OTHER };

/* The parts of a cell that a level of partitioning reads. All but the first kind divide a row. */
enum partition_by {
    BY_ROW,    /* K, or the prefix */
    BY_COLUMN, /* KEY(K, Q) */
    BY_CELL,   /* KEY(K, Q, T), or KEY(): the whole primary key */
    BY_TIME    /* RANGE over a bigint generated as ABS(T) or -T: milliseconds since 1970 */
};

/* substring(K, pos, len) as the server computes it: pos 1-based, negative from the end, bytes. With a delimiter it is
 * substring_index(K, delimiter, pos): what precedes the pos-th delimiter, or follows it when counted from the end. */
enum { PREFIX_DELIMITER_BYTES = 16 };
struct key_prefix {
    bool on; /* false: K itself */
    int64_t pos;
    bool has_len;
    int64_t len;
    char delimiter[PREFIX_DELIMITER_BYTES]; /* "" = substring */
};

/* LIST: the values of one partition. */
struct list_values {
    struct bytes *values;
    uint32_t n;
    bool is_default; /* takes values that are in no other list */
};

struct partitioning {
    enum partition_kind kind;
    enum partition_by by;
    uint32_t count;            /* >= 1; of leaves */
    uint32_t k_pad;            /* K is binary(N): the server places the key padded with zeros to N; 0 = varbinary */
    struct key_prefix prefix;  /* BY_ROW */
    struct bytes *bounds;      /* RANGE: count entries, ascending; entry with p == NULL (last only) = MAXVALUE. BY_TIME: 8 bytes,
                                 big-endian, sign bit flipped */
    char **names;              /* count entries: leaf names in DDL order */
    struct list_values *lists; /* LIST: count entries */
    struct partitioning *levels; /* TWO_LEVEL: the partitions, then their subpartitions: one template, or one for each */
    uint32_t n_levels;
    bool is_template; /* TWO_LEVEL: one level of subpartitions stands for all */
    char *notation;   /* OTHER: as given to --partition, which says all about it; else NULL */
};

/* Results of asking for the partition of a row or cell. */
enum place_result {
    PLACE_OK = 0,
    PLACE_HASH_MIN,     /* hash is INT64_MIN: the server refuses the row */
    PLACE_NO_PARTITION, /* at or above the last RANGE bound */
    PLACE_NOT_LISTED,   /* in no LIST partition */
    PLACE_BY_CELL       /* asked for a row, where the partition depends on qualifier or timestamp */
};

void partitioning_free(struct partitioning *p);
/* `none`, `key:97`, `key:97:substring(1,4)`, `key:97:K,Q`, `key:97:K,Q,T`, `ddl:FILE` (the partitions of a CREATE TABLE),
 * `sql:TEXT` (what follows PARTITION BY, over K, Q, T and G, the time), `range:FILE` (one bound a line, `hex:` prefix for hex; or
 * a dump of the catalogue's part_name and b_high_bound_val). */
int partitioning_parse(const char *spec, struct partitioning *out, struct buf *warnings, struct err *err);
/* Copies deep. */
int partitioning_copy(const struct partitioning *src, struct partitioning *out, struct err *err);
bool partitioning_eq(const struct partitioning *a, const struct partitioning *b);
/* RANGE with a bound byte >= 0x80: what table.client_order_differs says. */
bool partitioning_client_differs(const struct partitioning *p);
/* One line for people: `KEY(substring(K,1,4)) PARTITIONS 97`. */
int partitioning_describe(const struct partitioning *p, struct buf *out, struct err *err);

/* One more leaf at the end; copies. name NULL = p<index>; bound NULL = none (KEY); bound->p NULL = MAXVALUE. */
int partitioning_add(struct partitioning *p, const struct bytes *name, const struct bytes *bound, struct err *err);
/* LIST: values of the partition added last; copies. DEFAULT has none. */
int partitioning_add_list(struct partitioning *p, const struct bytes *name, struct err *err);
int partitioning_add_value(struct partitioning *p, const struct bytes *value, struct err *err); /* NULL = DEFAULT */
/* TWO_LEVEL: levels are filled; makes count and names, those of a template being <partition>s<subpartition>. */
int partitioning_join(struct partitioning *p, struct err *err);
/* The subpartitions of partition i of a TWO_LEVEL. */
const struct partitioning *partitioning_below(const struct partitioning *p, uint32_t i);
/* Returns whether the partitioning uses a prefix of K, or the time. Then the table needs a generated column. */
bool partitioning_is_generated(const struct partitioning *p);
/* Cells of one row may be in several partitions. */
bool partitioning_splits_rows(const struct partitioning *p);
bool partitioning_list_eq(const struct list_values *a, const struct list_values *b);
int partitioning_check_lists(const struct partitioning *p, struct err *err);
/* A bound of BY_TIME, and back. */
void partitioning_put_time(int64_t v, uint8_t out[8]);
int64_t partitioning_take_time(struct bytes bound);
/* RANGE: no empty bound, strictly rising, MAXVALUE only last. LIST: no value twice. No name twice. ERR_USAGE says which. */
int partitioning_check(const struct partitioning *p, struct err *err);
/* The bound for a message: text when it is printable ASCII, else hex, shortened. */
void partitioning_show_bound(struct bytes bound, char out[80]);
/* Bounds that are not valid UTF-8: OceanBase 4.3.5 refuses them in CREATE TABLE (error 1366). */
uint32_t partitioning_count_not_utf8(const struct partitioning *p);

#endif
