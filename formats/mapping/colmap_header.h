/* The names of the header. */
#ifndef FORMATS_MAPPING_COLMAP_HEADER_H
#define FORMATS_MAPPING_COLMAP_HEADER_H

#include "base/bytes.h"
#include "base/err.h"
#include "formats/mapping/colmap.h"

/* --columns auto or auto:FAMILY, which needs a header. */
bool colmap_is_auto(const char *columns);
/* Returns whether an item picks its column by a name, which only a header says: id=HBASE_ROW_KEY. An '=' after a colon is part of
 * a qualifier. NULL: false. */
bool colmap_names_columns(const char *columns);

/* option: for messages. */
int colmap_find_header(const struct colmap_opts *o, const char *option, struct bytes name, uint32_t *column, struct err *err);
/* Checks that this column can go into a family by its name. */
int colmap_check_rest(const struct colmap_opts *o, uint32_t column, struct err *err);
/* Returns in *family the family of --columns auto: the one it names, else the only one of the table. */
int colmap_auto_family(const struct colmap_opts *o, struct bytes *family, struct err *err);

#endif
