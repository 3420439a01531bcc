/* LIST COLUMNS over K or a prefix of it: the partition that lists the value, or DEFAULT.
 * Values are sorted once, in prepare; a row is then found by binary search. */
#include "table/key_prefix.h"
#include "table/partitioner.h"

#include <stdlib.h>

struct list_entry {
    struct bytes value; /* borrowed */
    uint32_t leaf;
};

struct list_state {
    struct list_entry *entries; /* ascending */
    size_t n;
    uint32_t other; /* the DEFAULT partition; the number of partitions if there is none */
};

static int compare(const void *a, const void *b) {
    return bytes_cmp(((const struct list_entry *)a)->value, ((const struct list_entry *)b)->value);
}

static void release(struct placement *p) {
    struct list_state *s = p->state;
    if (s) free(s->entries);
    free(s);
}

static int prepare(struct placement *p, struct err *err) {
    const struct partitioning *spec = p->spec;
    struct list_state *s = p->state = calloc(1, sizeof *s);
    if (!s) return err_nomem(err, sizeof *s, "LIST values");
    if (spec->k_pad) return err_set(err, ERR_USAGE, "LIST with K binary(%u) is not supported; make it varbinary", spec->k_pad);
    size_t n = 0;
    s->other = spec->count;
    for (uint32_t i = 0; i < spec->count; i++) {
        n += spec->lists[i].n;
        if (spec->lists[i].is_default) s->other = i;
    }
    s->entries = calloc(n + 1, sizeof *s->entries);
    if (!s->entries) return err_nomem(err, n * sizeof *s->entries, "LIST values");
    for (uint32_t i = 0; i < spec->count; i++)
        for (uint32_t k = 0; k < spec->lists[i].n; k++) s->entries[s->n++] = (struct list_entry){spec->lists[i].values[k], i};
    qsort(s->entries, s->n, sizeof *s->entries, compare);
    return 0;
}

static enum place_result of_list(const struct placement *p, struct bytes row, uint32_t *index) {
    const struct list_state *s = p->state;
    struct list_entry key = {key_prefix_of(&p->spec->prefix, row), 0};
    const struct list_entry *e = s->n ? bsearch(&key, s->entries, s->n, sizeof key, compare) : NULL;
    *index = e ? e->leaf : s->other;
    return *index < p->spec->count ? PLACE_OK : PLACE_NOT_LISTED;
}

const struct partitioner place_list = {.kind = PARTITION_LIST, .prepare = prepare, .release = release, .of = of_list};
