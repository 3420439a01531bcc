/* Maps text columns to cells: ImportTsv's --columns notation compiled into a plan.
 *
 *   HBASE_ROW_KEY,cf:name,cf,HBASE_TS_KEY,HBASE_CELL_TTL,-     by position ("cf" = empty qualifier, "-" = skipped)
 *   HBASE_ROW_KEY:hex,OBKV_OP,cf:name                          the key in hex; put, delete_family … per record
 *   id=HBASE_ROW_KEY,name=cf:name                              by header name; columns not named are skipped
 *   id=HBASE_ROW_KEY,note=-,*=cf                               the others are cells of cf, by their names
 *   auto:cf                                                    *=cf, and columns called HBASE_… stand for themselves
 *
 * Source: HBase ImportTsv (TsvParser); "-", names and keys are ours. */
#ifndef FORMATS_MAPPING_COLMAP_H
#define FORMATS_MAPPING_COLMAP_H

#include "base/bytes.h"
#include "base/err.h"
#include "formats/mapping/expr_program.h"
#include "select/selection_state.h"
#include "sort/record.h"
#include "table/table.h"

#define COLMAP_NONE UINT32_MAX

/* A cell of every record. Slots of a family are adjacent, in the order of its shape. */
struct colmap_slot {
    uint32_t column;        /* of the text, from 0 */
    struct bytes qualifier; /* the shape's own copy */
};

struct colmap_family {
    struct bytes name; /* the shape's own copy */
    uint32_t shape;
    uint32_t first, n; /* its slots */
};

/* The row key as an expression (--key). */
struct colmap_key {
    struct expr *program; /* NULL: the row key is a column */
    uint32_t *columns;    /* of the text, by field of the program */
    uint32_t n_columns;
};

struct colmap {
    uint32_t n_columns;    /* of the text: items, or fields of the header */
    uint32_t needed;       /* a record with fewer fields lacks its key, timestamp or TTL */
    uint32_t row, ts, ttl; /* columns; COLMAP_NONE: not mapped (row: then there is a key) */
    uint32_t op;           /* what becomes of the row: see docs/formats/csv.md */
    bool row_is_hex;
    struct colmap_key key;
    struct colmap_slot *slots;
    uint32_t n_slots;
    struct colmap_family *families; /* ascending by name */
    uint32_t n_families;
};

struct colmap_opts {
    const char *columns;
    const char *key;            /* an expression, then no item is HBASE_ROW_KEY; NULL: one is */
    const char *path;           /* of the input, for messages; NULL: none is open */
    const struct bytes *header; /* field names of the first record; NULL: no header */
    uint32_t n_header;
    bool empty_input;                  /* not even a header: names cannot be looked up, and need not be */
    struct table *table;               /* families that may be named; NULL: any */
    bool open_families;                /* unknown families are added to table */
    const struct selection *selection; /* families that it does not take need not be the table's; NULL: all are taken */
    struct shape_set *shapes;
};

/* ERR_USAGE names the item and what would be right. *m is emptied on failure. */
int colmap_parse(struct colmap *m, const struct colmap_opts *o, struct err *err);
void colmap_free(struct colmap *m);

#endif
