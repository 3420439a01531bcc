/* Makes a selection of cells from options: see select/selection.h and docs/selection.md. */
#ifndef CMD_COMMON_SELECTION_OPTIONS_H
#define CMD_COMMON_SELECTION_OPTIONS_H

#include "base/err.h"
#include "cmd/common/options.h"
#include "select/selection_state.h"
#include "table/table.h"

#include <jansson.h>

/* *out is NULL if nothing is selected or changed. ERR_USAGE names the option that is malformed, or selects nothing. */
int selection_options_make(const struct selection_options *o, struct selection **out, struct err *err);
/* One --mask: FAMILY:QUALIFIER=HOW. */
int selection_mask_add(struct selection *s, const char *text, struct err *err);
/* The name of the first option of a selection that was given; NULL: none. */
const char *selection_options_given(const struct selection_options *o);
/* Returns the ranges of rows of a selection that chooses nothing else; 0: there are none, or more is chosen. */
size_t selection_options_ranges(const struct selection_options *o, const struct selection *s, const struct row_range **ranges);
/* The options as they were given: part of the settings of a run. NULL: they are not UTF-8. */
json_t *selection_options_json(const struct selection_options *o);
/* Families that are not taken go, others get their names in the output. s may be NULL. */
int selection_options_families(const struct selection *s, struct table *t, struct err *err);

#endif
