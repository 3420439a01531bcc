/* A binary heap of items of any type, in an array of the caller: the first item is before all others. Everything is inline, so
 * that the comparison and the size of an item are constants where they are used.
 *
 *              0             children of i: 2 i + 1 and 2 i + 2,
 *            1   2           none of them before i
 *           3 4 5 6                                                    */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { HEAP_ITEM_MAX_BYTES = 128 };

/* Strictly before. a and b are the addresses of items; arg is the caller's. */
typedef bool heap_before(const void *a, const void *b, const void *arg);

#define HEAP_INLINE static inline __attribute__((always_inline))

/* Item i has become larger, or is new there: moves it down to its place. */
HEAP_INLINE void heap_sink(void *items, size_t n, size_t item_bytes, size_t i, heap_before *before, const void *arg) {
    char *at = items, x[HEAP_ITEM_MAX_BYTES];
    memcpy(x, at + i * item_bytes, item_bytes);
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && before(at + (child + 1) * item_bytes, at + child * item_bytes, arg)) child++;
        if (!before(at + child * item_bytes, x, arg)) break;
        memcpy(at + i * item_bytes, at + child * item_bytes, item_bytes);
    }
    memcpy(at + i * item_bytes, x, item_bytes);
}

/* Makes a heap of items in any order. */
HEAP_INLINE void heap_make(void *items, size_t n, size_t item_bytes, heap_before *before, const void *arg) {
    for (size_t i = n / 2; i-- > 0;) heap_sink(items, n, item_bytes, i, before, arg);
}

/* Adds *item. The caller has made room for it after the n items. */
HEAP_INLINE void heap_push(void *items, size_t n, size_t item_bytes, const void *item, heap_before *before, const void *arg) {
    char *at = items;
    size_t i = n;
    for (; i && before(item, at + (i - 1) / 2 * item_bytes, arg); i = (i - 1) / 2)
        memcpy(at + i * item_bytes, at + (i - 1) / 2 * item_bytes, item_bytes);
    memcpy(at + i * item_bytes, item, item_bytes);
}

/* Takes the first of n > 0 items out, into *item: n - 1 are left. */
HEAP_INLINE void heap_pop(void *items, size_t n, size_t item_bytes, void *item, heap_before *before, const void *arg) {
    char *at = items;
    memcpy(item, at, item_bytes);
    if (n > 1) memcpy(at, at + (n - 1) * item_bytes, item_bytes);
    if (n > 2) heap_sink(items, n - 1, item_bytes, 0, before, arg);
}

#endif
