/* A table that expressions look values up in: lookup('categories', parent, 'name'). It is a CSV file with a header, held in
 * memory: its text, unescaped in place, with the fields pointing into it, and a hash table over the key column.
 *
 *   lookup_table_parse -> lookup_table_column -> per record: lookup_table_get -> lookup_table_free
 *
 * Read-only after it was loaded, so many threads may look into it. */
#ifndef FORMATS_MAPPING_LOOKUP_TABLE_H
#define FORMATS_MAPPING_LOOKUP_TABLE_H

#include "base/bytes.h"
#include "base/err.h"

enum { LOOKUP_COLUMNS_MAX = 1024, LOOKUP_FILE_BYTES_MAX = 256 << 20 };

struct lookup_table { /* zero-initialise */
    char *path;       /* for messages */
    uint8_t *text;    /* owned */
    size_t n_text;
    struct bytes *fields; /* [record][column]; the first record is the header */
    uint32_t n_columns, n_records, key;
    uint32_t *slots; /* records by the hash of their keys, 0: free */
    uint32_t mask;
};

/* The column of a call of lookup(). */
struct lookup_use {
    const struct lookup_table *table;
    uint32_t column;
};

/* The text is copied; name stands for its path in messages. t must be freed, whatever is returned. -1:
 * ERR_USAGE says file, line and what is wrong. */
int lookup_table_parse(struct lookup_table *t, const char *name, struct bytes text, char delimiter, struct bytes key,
                       struct err *err);
/* Finds a column; false: there is none of this name. */
bool lookup_table_column(const struct lookup_table *t, struct bytes name, uint32_t *column);
/* p == NULL: no record has this key. */
struct bytes lookup_table_get(const struct lookup_table *t, struct bytes key, uint32_t column);
/* Returns what it holds in memory. */
size_t lookup_table_bytes(const struct lookup_table *t);
void lookup_table_free(struct lookup_table *t);

#endif
