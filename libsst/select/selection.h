/* Selects what a run takes of its inputs: families, rows, a range of time, qualifiers, a sample of the rows; and changes what it
 * takes: other names of families, masked values. Formats know of it only which rows and families there is no need to read.
 *
 *   selection_new -> selection_add_… , selection_set_… -> selection_end -> per thread: a selector
 *
 * If one option is given several times, any may fit; of different ones all must. */
#ifndef SELECT_SELECTION_H
#define SELECT_SELECTION_H

#include "base/err.h"
#include "cell/cell.h"

/* ---- what is taken. Texts are those of the options; ERR_USAGE says what is wrong with them ---- */

struct selection_fault {
    char text[200];
};

/* Operations of a mask, which replaces a value. Results live until the memory is reset, which is before each record. */
struct mask_ops {
    int (*begin)(void **memory, struct err *err); /* of one thread; NULL: it needs none */
    void (*reset)(void *memory);
    void (*end)(void *memory);
    /* 1: *value is the new one, p == NULL: there is to be no cell; 0: the value does not fit (*why); -1. */
    int (*run)(const void *arg, void *memory, const struct row_part *part, const struct cell *c, struct bytes *value,
               struct selection_fault *why, struct err *err);
    void (*drop)(void *arg); /* with the selection */
};

/* ---- what there is no need to read; s may be NULL: all is taken ---- */

struct row_range {
    struct bytes start, stop; /* stop not included; p == NULL: open */
};

#endif
