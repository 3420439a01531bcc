/* The columns that expressions name. */
#ifndef FORMATS_MAPPING_MAPPING_COLUMNS_H
#define FORMATS_MAPPING_MAPPING_COLUMNS_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "formats/mapping/expr.h"
#include "formats/mapping/mapping.h"

struct mapping_names {
    struct mapping_source *source; /* whose columns are meant; fields are added to it */
    const struct mapping *mapping; /* whose tables are meant */
    bool has_item;                 /* the cell has "each": item is its part */
    bool uses_names;               /* of a header */
    const struct json_place *at;   /* of the expression being compiled */
    struct err *err;
};

/* "$2": *column is 1. false: name is no position. */
bool mapping_position(struct bytes name, uint32_t *column);
/* The list "columns" of source v. */
int mapping_take_columns(const struct mapping_names *p, struct mapping *m, const json_t *v, const struct json_place *at);
/* expr_names.find; arg: struct mapping_names. */
/* The field that is the part of a list. */
int mapping_add_item(struct mapping_names *p, uint32_t *field);
int mapping_find_name(void *arg, struct bytes name, uint32_t *field, enum expr_type *type, struct err *err);

#endif
