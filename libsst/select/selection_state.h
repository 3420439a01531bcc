/* A selection, for the files of this room: filled from options and checked by selection_make.c, and then read by any number of
 * threads (selector.c). */
#ifndef SELECT_SELECTION_STATE_H
#define SELECT_SELECTION_STATE_H

#include "base/buf.h"
#include "select/selection.h"

#include <pthread.h>

enum { SELECTION_ITEMS_MAX = 4096 /* of each kind */ };

struct selection_name {
    struct bytes name, now; /* now: of a family that gets another one */
};

/* A pattern: bytes, and where it is special. */
enum glob_kind { GLOB_BYTE, GLOB_ANY_BYTE, GLOB_ANY_BYTES };
struct glob {
    uint8_t *bytes, *kinds;
    size_t n;
};

struct selection_column {
    struct bytes text;   /* as given, without what becomes of a value */
    struct bytes family; /* p == NULL: any */
    struct glob qualifier;
    const struct mask_ops *ops; /* NULL: a column that is taken, not one that is masked */
    void *arg;
};

struct range_list {
    struct row_range *x;
    size_t n;
};

/* Names of families, each once: of any thread. */
struct family_list {
    pthread_mutex_t lock;
    bool locked, more; /* locked: there is a lock; more: than could be kept */
    size_t n;
    struct bytes names[FAMILIES_MOST]; /* owned */
};

struct selection {
    struct selection_name *families, *renames;
    size_t n_families, n_renames;
    bool other_families;      /* those that are not named, too */
    struct range_list ranges; /* of rows */
    struct selection_column *columns, *masks;
    size_t n_columns, n_masks;
    int64_t from_ms, to_ms;
    bool times, sampled;
    double sample_below; /* of 2^32 */
    uint8_t *met;        /* families, renames, columns, masks: a selector took a cell of it; NULL: nobody asks */
    size_t n_met;
    struct family_list *asked;
    struct buf **texts; /* what names, rows and patterns point into */
    size_t n_texts;
};

#endif
