/* Makes a selection, and says what there is no need to read for it; s may be NULL: all is taken. */
#ifndef SELECT_SELECTION_MAKE_H
#define SELECT_SELECTION_MAKE_H

#include "base/bytes.h"
#include "base/err.h"
#include "select/selection.h"

struct selection;

struct selection *selection_new(struct err *err);
void selection_free(struct selection *s); /* NULL is fine */

/* a,b=c,*: family a, b as c, and all others. All other options name families as they are in the input. */
int selection_add_families(struct selection *s, const char *list, struct err *err);
/* START:STOP, start included, stop not; either may be empty, and is text or hex:6162. */
int selection_add_rows(struct selection *s, const char *text, struct err *err);
/* Text or hex:6162. */
int selection_add_prefix(struct selection *s, const char *text, struct err *err);
/* [family:]pattern,… with * and ? for any bytes and any byte; \ takes the meaning from the next character, \xNN is a byte. */
int selection_add_qualifiers(struct selection *s, const char *list, struct err *err);
/* from included, to not. */
void selection_set_times(struct selection *s, int64_t from_ms, int64_t to_ms);
/* Rows whose hash (the upper half of their XXH3-64) is in this share of all hashes, above 0 and at most 1. */
void selection_set_sample(struct selection *s, double share);
/* Divides family:pattern=HOW: *how is borrowed from text. */
int selection_mask_how(const char *text, const char **how, struct err *err);
/* Values of the columns of text, up to its =, become what ops makes of them. Takes ownership of arg, also on failure. */
int selection_add_mask(struct selection *s, const char *text, const struct mask_ops *ops, void *arg, struct err *err);

/* All is said: what cannot select anything is ERR_USAGE. */
int selection_end(struct selection *s, struct err *err);
/* Steps through the items of lists that no cell was of that selectors, by now freed, took: families, families with a new name,
 * columns, masks. *at begins with 0; false: there are no more. *text is as given, without what becomes of a value. */
bool selection_unmet(const struct selection *s, size_t *at, const char **option, struct bytes *text);
/* Makes a selection that chooses as s from what a run with s has written: families by their new names, nothing is changed
 * again. */
struct selection *selection_of_result(const struct selection *s, struct err *err);

/* Returns whether anything of this family is taken. *now: its name in the output, borrowed. */
bool selection_family(const struct selection *s, struct bytes family, struct bytes *now);
/* Ascending, with gaps in between. 0: all rows. */
size_t selection_ranges(const struct selection *s, const struct row_range **ranges);
/* Returns whether a cell may be taken whose timestamp is from first_ms to last_ms. "Latest" (INT64_MAX) may become any; nothing
 * follows from no range. */
bool selection_times(const struct selection *s, int64_t first_ms, int64_t last_ms);

/* As selection_family, without noting that it was asked of. */
bool selection_takes_family(const struct selection *s, struct bytes family, struct bytes *now);
/* A copy that lives as long as s. */
int selection_keep(struct selection *s, struct bytes b, struct bytes *out, struct err *err);

#endif
