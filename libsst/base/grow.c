/* Growing arrays: the pointer is read and written as bytes, since its type is the caller's. */
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

static int resize(void *array, size_t capacity, size_t item_bytes, const char *what, struct err *err) {
    void *items;
    memcpy(&items, array, sizeof items);
    void *grown = reallocarray(items, capacity, item_bytes);
    if (!grown) return err_nomem(err, (unsigned long long)capacity * item_bytes, what);
    memcpy(array, &grown, sizeof grown);
    return 0;
}

int grow_array(void *array, size_t n, size_t item_bytes, const char *what, struct err *err) {
    if (n & (n - 1)) return 0;
    return resize(array, n ? 2 * n : 1, item_bytes, what, err);
}

int grow_capacity(void *array, size_t *capacity, size_t item_bytes, const char *what, struct err *err) {
    size_t doubled = *capacity ? 2 * *capacity : 8;
    if (resize(array, doubled, item_bytes, what, err)) return -1;
    *capacity = doubled;
    return 0;
}
