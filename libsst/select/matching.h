/* Matches names and ranges of rows with the items of a selection. */
#ifndef SELECT_MATCHING_H
#define SELECT_MATCHING_H

#include "base/bytes.h"
#include "base/err.h"
#include "select/selection.h"
#include "select/selection_state.h"

int range_list_add(struct range_list *l, struct row_range r, struct err *err);
/* Ascending, joined where they meet. */
void range_list_order(struct range_list *l);
bool range_list_holds(const struct range_list *l, struct bytes row);
bool glob_fits(const struct glob *g, struct bytes text);
/* Reads one, of which text ends at the first unescaped byte of `ends` or at its end; *text moves there. */
int glob_parse(struct bytes *text, const char *ends, struct glob *out, struct err *err);
void glob_free(struct glob *g);

#endif
