/* A mapping file, from JSON to struct mapping. */
#ifndef FORMATS_MAPPING_MAPPING_PARSE_H
#define FORMATS_MAPPING_MAPPING_PARSE_H

#include "base/bytes.h"
#include "base/err.h"
#include "formats/mapping/mapping.h"

/* Reads a mapping. NULL: ERR_USAGE with file, line and JSON path. */
struct mapping *mapping_load(const char *path, const struct mapping_defaults *d, struct err *err);
/* As mapping_load, of a text; name stands for the path in messages. */
struct mapping *mapping_parse(const char *name, struct bytes text, const struct mapping_defaults *d, struct err *err);

#endif
