/* What a selection consists of, for the files of this room: filled from options and checked by selection_make.c, and then read
 * by any number of threads (selector.c). */
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
    struct range_list rows, prefixes; /* as given */
    struct range_list ranges;         /* both, by selection_end */
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

/* false: there is no lock. */
bool family_list_init(struct family_list *l);
void family_list_free(struct family_list *l);
/* The name as kept, which lives as long as the list; p == NULL: there is no room or no memory for it. */
struct bytes family_list_note(struct family_list *l, struct bytes name);
/* As selection_family, without noting that it was asked of. */
bool selection_takes_family(const struct selection *s, struct bytes family, struct bytes *now);
/* A copy that lives as long as s. */
int selection_keep(struct selection *s, struct bytes b, struct bytes *out, struct err *err);
int range_list_add(struct range_list *l, struct row_range r, struct err *err);
/* Ascending, joined where they meet. */
void range_list_order(struct range_list *l);
/* What is in both, which are in order. */
int range_list_meet(const struct range_list *a, const struct range_list *b, struct range_list *out, struct err *err);
bool range_list_holds(const struct range_list *l, struct bytes row);
bool glob_fits(const struct glob *g, struct bytes text);
/* Reads one, of which text ends at the first unescaped byte of `ends` or at its end; *text moves there. */
int glob_parse(struct bytes *text, const char *ends, struct glob *out, struct err *err);
void glob_free(struct glob *g);

#endif
