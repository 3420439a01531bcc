/* Sorts the files of a manifest, and finds those of a partition. Who asks for each partition of many datasets must not pass all
 * files of all of them each time: 64 shards of 3,000 files have half a billion such steps. */
#include "dataset/manifest_order.h"

#include <stdlib.h>

static int place_order(const struct manifest_file *a, uint32_t family, uint32_t partition) {
    if (a->family != family) return a->family < family ? -1 : 1;
    return (a->partition > partition) - (a->partition < partition);
}

static int file_order(const void *x, const void *y) {
    const struct manifest_file *a = x, *b = y;
    int c = place_order(a, b->family, b->partition);
    return c ? c : (a->number > b->number) - (a->number < b->number);
}

void manifest_order_make(struct manifest *m) {
    if (m->n_files) qsort(m->files, m->n_files, sizeof *m->files, file_order);
}

bool manifest_order_is(const struct manifest *m) {
    for (size_t i = 1; i < m->n_files; i++)
        if (file_order(&m->files[i - 1], &m->files[i]) > 0) return false;
    return true;
}

/* Returns the first file of this partition, or of a later one. */
static size_t find_first(const struct manifest *m, uint32_t family, uint32_t partition) {
    size_t low = 0, high = m->n_files;
    while (low < high) {
        size_t at = low + (high - low) / 2;
        if (place_order(&m->files[at], family, partition) < 0)
            low = at + 1;
        else
            high = at;
    }
    return low;
}

void manifest_order_find(const struct manifest *m, bool in_order, int family, uint32_t partition, size_t *first, size_t *end) {
    *first = family < 0 || !in_order ? 0 : find_first(m, (uint32_t)family, partition);
    *end = family < 0 ? 0 : !in_order ? m->n_files : *first;
    while (family >= 0 && in_order && *end < m->n_files && !place_order(&m->files[*end], (uint32_t)family, partition)) (*end)++;
}
