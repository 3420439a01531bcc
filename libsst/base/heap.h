/* A binary heap: an array of pointers whose first one is before all others. Inline, so that the comparison is, too. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* Strictly before; arg is the caller's. */
typedef bool heap_before(const void *a, const void *b, const void *arg);

/* items[i] has moved back, or is new there: to where it belongs among those below it. */
static inline void heap_sink(void *items, size_t n, size_t i, heap_before *before, const void *arg) {
    void **at = items, *x = at[i];
    for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
        if (kid + 1 < n && before(at[kid + 1], at[kid], arg)) kid++;
        if (!before(at[kid], x, arg)) break;
        at[i] = at[kid];
    }
    at[i] = x;
}

/* All of them, in any order before. */
static inline void heap_make(void *items, size_t n, heap_before *before, const void *arg) {
    for (size_t i = n / 2; i-- > 0;) heap_sink(items, n, i, before, arg);
}

/* There is room for one more. */
static inline void heap_push(void *items, size_t *n, void *x, heap_before *before, const void *arg) {
    void **at = items;
    size_t i = (*n)++;
    for (; i && before(x, at[(i - 1) / 2], arg); i = (i - 1) / 2) at[i] = at[(i - 1) / 2];
    at[i] = x;
}

/* Takes the first one out; there is one. */
static inline void *heap_pop(void *items, size_t *n, heap_before *before, const void *arg) {
    void **at = items, *first = at[0];
    at[0] = at[--*n];
    if (*n > 1) heap_sink(items, *n, 0, before, arg);
    return first;
}

#endif
