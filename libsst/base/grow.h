/* Arrays that are filled one item after the other. Their capacity need not be kept: it is the number of items, rounded up to a
 * power of two. So an array grows when that number is 0 or a power of two, and doubles then: n items cost at most 2 n copies. */
#ifndef BASE_GROW_H
#define BASE_GROW_H

#include "base/err.h"

#include <stddef.h>

/* Makes room for one more behind the first n items. `array` is the address of the pointer to them, which points to NULL or to
 * what this function (or malloc, with room for a power of two) has made; free it with free. `what` names it when memory runs
 * out: 0, or -1 with ERR_LIMIT and the array as it was. */
int grow_array(void *array, size_t n, size_t item_bytes, const char *what, struct err *err);
/* The same where the capacity is kept, for arrays that are emptied and filled again and again: it doubles (8 at least). */
int grow_capacity(void *array, size_t *capacity, size_t item_bytes, const char *what, struct err *err);

#endif
