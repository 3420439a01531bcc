/* The rows that delete markers hide, as statements. */
#ifndef CMD_OCEANBASE_DELETE_SQL_H
#define CMD_OCEANBASE_DELETE_SQL_H

#include "base/buf.h"
#include "cell/cell.h"

enum { DELETE_TYPES = 4, DELETE_BATCH = 200, DELETE_BATCH_BYTES = 1 << 20 };

/* Delete, DeleteColumn, DeleteFamily, DeleteFamilyVersion: their place in counts. */
unsigned delete_sql_type(uint8_t type);
const char *delete_sql_type_name(unsigned i);

struct delete_place {
    const char *table, *partition; /* SQL names; partition NULL: the table has none, or is not OceanBase's */
    /* Where markers of single versions come, versions beyond the newest so many are deleted first, lest they return; 0: they are
     * not. Those whose own TTL is over at now_ms do not count. */
    uint32_t versions;
    bool ttl_column;
    int64_t now_ms;
};

/* Markers of one partition on their way into statements. Zero-initialise. */
struct delete_batch {
    struct buf where[DELETE_TYPES];
    struct buf columns[DELETE_TYPES]; /* of markers of single versions; of those of a family, rows */
    unsigned n[DELETE_TYPES];         /* in where */
    uint64_t markers[DELETE_TYPES], statements;
};

/* Statements that are full are appended to out, a line each; what is left by delete_sql_end. */
int delete_sql_add(struct delete_batch *b, const struct delete_place *p, struct bytes row, const struct cell *c, struct buf *out,
                   struct err *err);
int delete_sql_end(struct delete_batch *b, const struct delete_place *p, struct buf *out, struct err *err);
/* Counts from 0 again; nothing may be left. */
void delete_sql_clear(struct delete_batch *b);
void delete_sql_free(struct delete_batch *b);

/* "DELETE FROM `t` PARTITION (`p`) WHERE "; other verbs: "SELECT K, Q, T". */
int delete_sql_put_head(struct buf *out, const struct delete_place *p, const char *verb, struct err *err);
/* Returns whether the condition of a line of ours asks for versions beyond the newest, not for what a marker hides. */
bool delete_sql_is_surplus(struct bytes where);
/* Returns in *where what follows the head in a line of ours (without its end). false: the line is none of this head. */
bool delete_sql_condition(struct bytes line, struct bytes head, struct bytes *where);

#endif
