/* Defines tables: families with their column lengths and version rules, and the partitioning they share. Built from OceanBase DDL
 * (ddl_parse) or from hand options (table_handmade); what is built owns all it points to. */
#ifndef TABLE_TABLE_H
#define TABLE_TABLE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "table/partitioning.h"

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

/* A time to live as text: seconds, with units (90d, '1 DAYS 2 HOURS'), or FOREVER, which is 0. false: it is none, or not from 1
 * to UINT32_MAX - 1 seconds. (table/ttl_text.c) */
bool ttl_parse(struct bytes text, uint32_t *seconds);

struct family {
    char *name;
    char *sql_table;       /* as in the DDL, e.g. htable1$family1; NULL when handmade */
    uint32_t k_max, q_max; /* declared lengths in bytes */
    uint64_t v_max;
    char *v_type;        /* "varbinary(1048576)", "longblob"; NULL when handmade */
    bool has_ttl_column; /* the table has a bigint column TTL (cell TTL in ms) */
    bool has_ttl_option; /* … a table option TTL, by which the server deletes rows */
    bool has_generated;  /* … a generated column, or has_computed: direct load does not work on it */
    bool has_computed;   /* … a column with a default such as CURRENT_TIMESTAMP, for which direct load waits without end */
    bool is_padded;      /* K, Q or V is binary(N): what is read back is not what was written */
    struct family_rules rules;
    struct family_rules hbase_rules; /* the source's own, where the target has stricter ones; versions 0: they are `rules` */
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

/* Copies deep; *out is replaced and owns all it points to. */
int table_copy(const struct table *src, struct table *out, struct err *err);

/* Returns what HBase goes by in this family. */
const struct family_rules *family_hbase_rules(const struct family *f);
/* Some family, or one that is still to be added, has NEW_VERSION_BEHAVIOR. */
bool table_has_new_version_behavior(const struct table *t);

void table_free(struct table *t);
/* Index of a family by name, or -1. */
int table_family(const struct table *t, struct bytes name);
/* Returns the first of n families whose name is this one but for case, or this one; -1: none. */
int table_family_without_case(const struct table *t, uint32_t n, const char *name);
/* ERR_USAGE: who names a family that the table lacks. Lists those that it has, and the one that may be meant. */
int table_lacks_family(const struct table *t, struct bytes name, const char *who, struct err *err);

/* A table without DDL: families from names (may be 0, added later by table_add_family), HBase's own limits as lengths. */
int table_handmade(struct table *out, struct err *err);
int table_add_family(struct table *t, struct bytes name, struct err *err);
/* rank[i]: the place of family i by name. Families found while reading are in the order in which threads found them. */
void table_rank_families(const struct table *t, uint32_t *rank);
int table_place_families(struct table *t, const uint32_t *rank, struct err *err);

#endif
