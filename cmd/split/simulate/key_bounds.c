#include "cmd/split/simulate/key_bounds.h"

#include "base/buf.h"
#include "cell/cell.h"

#include <stdlib.h>

int key_bounds_add(struct key_bounds *b, struct bytes row, struct err *err) {
    if (b->n == REGIONS_MAX - 1) return err_set(err, ERR_USAGE, "more than %d regions", REGIONS_MAX);
    if (grow_array(&b->list, b->n, sizeof *b->list, "bounds of regions", err)) return -1;
    b->list[b->n] = (struct buf){0};
    return buf_copy(&b->list[b->n++], row, err);
}

static int by_bytes(const void *a, const void *b) {
    return bytes_cmp(buf_bytes(a), buf_bytes(b));
}

int key_bounds_end(struct key_bounds *b, struct err *err) {
    if (!b->n) return 0;
    qsort(b->list, b->n, sizeof *b->list, by_bytes);
    b->heads = malloc(b->n * sizeof *b->heads);
    if (!b->heads) return err_nomem(err, b->n * sizeof *b->heads, "bounds of regions");
    for (uint32_t i = 0; i < b->n; i++) {
        if (!b->list[i].n) return err_set(err, ERR_USAGE, "an empty bound: the first region begins there anyway");
        if (i && !by_bytes(&b->list[i - 1], &b->list[i])) return err_set(err, ERR_USAGE, "a bound is given twice");
        b->heads[i] = bytes_prefix8(buf_bytes(&b->list[i]));
    }
    return 0;
}

void key_bounds_free(struct key_bounds *b) {
    for (uint32_t i = 0; i < b->n; i++) buf_free(&b->list[i]);
    free(b->list);
    free(b->heads);
    *b = (struct key_bounds){0};
}

uint32_t key_bounds_find(const struct key_bounds *b, struct bytes row) {
    uint64_t head = bytes_prefix8(row);
    uint32_t low = 0, high = b->n; /* bounds that are not above the row */
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        bool above = b->heads[mid] != head ? b->heads[mid] > head : bytes_cmp(buf_bytes(&b->list[mid]), row) > 0;
        if (above)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}
