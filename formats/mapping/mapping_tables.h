/* Tables for lookup. */
#ifndef FORMATS_MAPPING_MAPPING_TABLES_H
#define FORMATS_MAPPING_MAPPING_TABLES_H

#include "base/bytes.h"
#include "base/err.h"
#include "formats/mapping/lookup_table.h"
#include "formats/mapping/mapping.h"

/* "tables" of the document; the digest of each file is noted in it. */
int mapping_take_tables(struct mapping *m, const struct mapping_defaults *d, struct err *err);
/* expr_names.table; arg: struct mapping_names. */
int mapping_find_table(void *arg, struct bytes table, struct bytes column, struct lookup_use *use, struct err *err);
/* Returns what the tables hold in memory as long as the mapping is there. */
size_t mapping_tables_bytes(const struct mapping *m);

#endif
