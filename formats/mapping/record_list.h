/* The parts of a list in one field, for "each": each part fills the field `item` of the record, and the fields of its members
 * (item.sku) where the list is a JSON array. */
#ifndef FORMATS_MAPPING_RECORD_LIST_H
#define FORMATS_MAPPING_RECORD_LIST_H

#include "engine/format.h"
#include "formats/mapping/mapping.h"
#include "formats/text/jline_paths.h"
#include "formats/text/jline_scan.h"

/* Parts that one "each" takes of a record. */
enum { RECORD_ITEMS_MAX = 1024 };

/* The fields that are parts of lists, and where in an element they are. */
struct record_list_plan {
    struct jline_paths paths;
    uint32_t *slots; /* by field; JLINE_NONE: another field */
    uint32_t n_fields;
};

/* columns: of the text, by field; UINT32_MAX: none. 0, -1: memory. */
int record_list_plan(struct record_list_plan *plan, const struct mapping_source *source, const uint32_t *columns,
                     struct err *err);
void record_list_plan_free(struct record_list_plan *plan);

/* One list of one record. */
struct record_list {
    struct jline_scan *scan; /* of elements, by the plan's paths */
    struct bytes rest;
    uint8_t separator; /* of text */
    bool is_array;
    uint32_t n; /* parts so far */
};

/* 1; 0: it is no list (*why); -1. text is borrowed until the end of the list. */
int record_list_begin(struct record_list *l, struct jline_scan *scan, struct bytes text, uint8_t separator, struct reason *why,
                      struct err *err);
/* Fills the fields that are parts; item is the one of the part itself. *there false: the list has ended. Texts are borrowed from
 * the list and from memory. 1, 0 (*why), -1. */
int record_list_next(struct record_list *l, const struct record_list_plan *plan, uint32_t item, struct expr_value *fields,
                     uint8_t *met, struct expr_scratch *memory, bool *there, struct reason *why, struct err *err);

#endif
