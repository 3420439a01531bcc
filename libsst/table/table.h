/* What a table is: families with their column lengths and version rules, and the partitioning they share.
 * Built from OceanBase DDL (table/ddl.h) or from hand options (table/handmade). */
#ifndef TABLE_TABLE_H
#define TABLE_TABLE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

enum keep_deleted { KEEP_DELETED_FALSE, KEEP_DELETED_TRUE, KEEP_DELETED_TTL };

/* Version rules of a family, HBase's attributes. */
struct family_rules {
    bool versions_given;
    uint32_t versions; /* UINT32_MAX = unlimited */
    uint32_t min_versions;
    int64_t ttl_s; /* 0 = forever */
    enum keep_deleted keep_deleted;
    bool new_version_behavior;
    int64_t purge_deletes_after_ms;
};

struct family {
    char *name;
    char *sql_table;       /* as in the DDL, e.g. htable1$family1; NULL when handmade */
    uint32_t k_max, q_max; /* declared lengths in bytes */
    uint64_t v_max;
    char *v_type;        /* "varbinary(1048576)", "longblob"; NULL when handmade */
    bool has_ttl_column; /* the table has a bigint column TTL (cell TTL in ms) */
    bool has_generated;  /* … a generated column: direct load does not work on it */
    bool is_padded;      /* K, Q or V is binary(N): what is read back is not what was written */
    struct family_rules rules;
    struct family_rules hbase_rules; /* the source's own, where the target has stricter ones; versions 0: they are `rules` */
};

enum partition_kind { PARTITION_NONE, PARTITION_KEY, PARTITION_RANGE, PARTITION_LIST, PARTITION_TWO_LEVEL };

/* What a level of partitioning looks at. All but the first divide a row. */
enum partition_by {
    BY_ROW,    /* K, or the prefix */
    BY_COLUMN, /* KEY(K, Q) */
    BY_CELL,   /* KEY(K, Q, T), or KEY(): the whole primary key */
    BY_TIME    /* RANGE over a bigint generated as ABS(T) or -T: milliseconds since 1970 */
};

/* substring(K, pos, len) as the server computes it: pos 1-based, negative from the end, bytes. With a delimiter it is
 * substring_index(K, delimiter, pos): what stands before the pos-th delimiter, or behind it counted from the end. */
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
    bool is_default; /* takes what stands nowhere else */
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
};

struct table {
    char *name; /* HBase table name: the part before '$' of the SQL table (may hold "ns:"); NULL when handmade */
    struct family *families;
    uint32_t n_families;
    struct partitioning partitioning;
    struct family_rules default_rules; /* of families added by table_add_family */
    char *ddl;                         /* normalised text it came from; NULL when handmade */
    struct buf warnings;               /* one a line */
    bool client_order_differs;         /* RANGE with a bound byte >= 0x80: the Java client looks elsewhere */
};

/* What HBase goes by in this family. */
const struct family_rules *family_hbase_rules(const struct family *f);

void table_free(struct table *t);
void partitioning_free(struct partitioning *p);
/* Index of a family by name, or -1. */
int table_family(const struct table *t, struct bytes name);

/* OceanBase DDL: one CREATE TABLE per family, comments and other statements between them skipped (CREATE TABLEGROUP …).
 * Reads hand-written text and what SHOW CREATE TABLE prints. Refusals are ERR_USAGE with line and what to do. */
int ddl_parse(const char *name_of_input, const char *text, size_t n, struct table *out, struct err *err);
int ddl_parse_file(const char *path, struct table *out, struct err *err);

/* `none`, `key:97`, `key:97:substring(1,4)`, `key:97:K,Q`, `key:97:K,Q,T`, `ddl:FILE` (the partitions of a CREATE TABLE),
 * `sql:TEXT` (what stands behind PARTITION BY, over K, Q, T and G, the time), `range:FILE` (a bound a line, `hex:` prefix for
 * hex; or a dump of the catalogue's part_name and b_high_bound_val). */
int partitioning_parse(const char *spec, struct partitioning *out, struct buf *warnings, struct err *err);
/* Copies deep. */
int partitioning_copy(const struct partitioning *src, struct partitioning *out, struct err *err);
bool partitioning_eq(const struct partitioning *a, const struct partitioning *b);
/* RANGE with a bound byte >= 0x80: what table.client_order_differs says. */
bool partitioning_client_differs(const struct partitioning *p);
/* One line for people: `KEY(substring(K,1,4)) PARTITIONS 97`. */
int partitioning_describe(const struct partitioning *p, struct buf *out, struct err *err);

/* A table without DDL: families from names (may be 0, added later by table_add_family), HBase's own limits as lengths. */
int table_handmade(struct table *out, struct err *err);
int table_add_family(struct table *t, struct bytes name, struct err *err);

#endif
