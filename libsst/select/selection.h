/* What a run takes of its inputs: families, rows, a range of time, qualifiers, a sample of the rows; and how it changes what it
 * takes: other names of families, masked values. Formats know of it only which rows and families there is no need to read.
 *
 *   selection_new -> selection_add_… , selection_set_… -> selection_end -> per thread: a selector
 *
 * Of one option given several times any may fit; of different ones all must. */
#ifndef SELECT_SELECTION_H
#define SELECT_SELECTION_H

#include "base/err.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"

struct selection;
struct selection *selection_new(struct err *err);
void selection_free(struct selection *s); /* NULL is fine */

/* ---- what is taken. Texts are those of the options; ERR_USAGE says what is wrong with them ---- */

/* a,b */
int selection_add_families(struct selection *s, const char *list, struct err *err);
/* A=B: what was of family A is of family B. All other options name families as they are in the input. */
int selection_add_rename(struct selection *s, const char *text, struct err *err);
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

struct selection_fault {
    char text[200];
};

/* What becomes of a value. Results live until the memory is reset, which is before each record. */
struct mask_ops {
    int (*begin)(void **memory, struct err *err); /* of one thread; NULL: it needs none */
    void (*reset)(void *memory);
    void (*end)(void *memory);
    /* 1: *value is the new one, p == NULL: there is to be no cell; 0: the value does not fit (*why); -1. */
    int (*run)(const void *arg, void *memory, const struct row_part *part, const struct cell *c, struct bytes *value,
               struct selection_fault *why, struct err *err);
    void (*drop)(void *arg); /* with the selection */
};
/* Divides family:pattern=HOW: *how is borrowed from text. */
int selection_mask_how(const char *text, const char **how, struct err *err);
/* Values of the columns of text, up to its =, become what ops makes of them. Takes ownership of arg, also on failure. */
int selection_add_mask(struct selection *s, const char *text, const struct mask_ops *ops, void *arg, struct err *err);

/* All is said: what cannot select anything is ERR_USAGE. */
int selection_end(struct selection *s, struct err *err);
/* Steps through the items of lists that no cell was of that selectors, by now freed, took: families, families with a new name,
 * columns, masks. *at begins with 0; false: there are no more. *text is as given, without what becomes of a value. */
bool selection_unmet(const struct selection *s, size_t *at, const char **option, struct bytes *text);
/* The families that selection_family or a selector was asked of, in order. Only while no other thread asks. */
const struct bytes *selection_families(const struct selection *s, size_t *n);
/* Steps through the families that items name and that none of them is. *at begins with 0; false: there are no more. */
bool selection_absent(const struct selection *s, size_t *at, struct bytes *name);
/* The same choice of what a run with it has written: families by their new names, nothing is changed again. */
struct selection *selection_of_result(const struct selection *s, struct err *err);

/* ---- what there is no need to read; s may be NULL: all is taken ---- */

/* false: nothing of this family is taken. *now: its name in the output, borrowed. */
bool selection_family(const struct selection *s, struct bytes family, struct bytes *now);
struct row_range {
    struct bytes start, stop; /* stop not included; p == NULL: open */
};
/* Ascending, with gaps in between. 0: all rows. */
size_t selection_ranges(const struct selection *s, const struct row_range **ranges);

/* Would a selector take this cell, whatever a mask makes of it? "Latest" (INT64_MAX) may become any time. */
bool selection_takes(const struct selection *s, const struct row_part *part, const struct cell *c);
/* May a cell be taken whose timestamp is one of these? "Latest" (INT64_MAX) may become any; nothing follows from no range. */
bool selection_times(const struct selection *s, int64_t first_ms, int64_t last_ms);

/* ---- a selection at work in one thread ----
 * Row parts go in, and what is taken of them comes out, renamed and masked.
 *
 *   selector_new -> per record: selector_begin -> selector_take, for each of its parts -> … -> selector_free */

struct selector;
/* latest_ms: the timestamp of cells that say "latest". */
struct selector *selector_new(const struct selection *s, int64_t latest_ms, struct err *err);
void selector_free(struct selector *s); /* NULL is fine */

/* A record of so many cells: what was taken of the one before is no longer valid. */
int selector_begin(struct selector *s, size_t cells, struct err *err);
/* 1: *out is what is taken of part: part itself where nothing was left out or masked, apart from the family; 0: nothing of it;
 * SELECTOR_REFUSES: a value does not fit its mask (*why); -1. What is not taken is added to *left, as it was. */
enum { SELECTOR_REFUSES = 2 };
int selector_take(struct selector *s, const struct row_part *part, struct row_part *out, struct tally *left,
                  struct selection_fault *why, struct err *err);

#endif
