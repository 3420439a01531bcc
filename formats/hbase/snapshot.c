#include "formats/hbase/snapshot.h"

#include <stdlib.h>

/* Room for one more: arrays grow where their number is a power of two. */
static void *grow(void *items, size_t n, size_t item_bytes, struct err *err) {
    if (n & (n - 1)) return items;
    size_t bytes;
    void *p = __builtin_mul_overflow(n ? 2 * n : 1, item_bytes, &bytes) ? NULL : realloc(items, bytes);
    if (!p) err_nomem(err, 2 * n * item_bytes, "the list of a snapshot's files");
    return p;
}

struct snapshot_region *snapshot_add_region(struct snapshot *s, struct err *err) {
    struct snapshot_region *p = grow(s->regions, s->n_regions, sizeof *p, err);
    if (!p) return NULL;
    s->regions = p;
    p += s->n_regions++;
    *p = (struct snapshot_region){0};
    return p;
}

struct snapshot_family *snapshot_add_family(struct snapshot_region *r, struct err *err) {
    struct snapshot_family *p = grow(r->families, r->n_families, sizeof *p, err);
    if (!p) return NULL;
    r->families = p;
    p += r->n_families++;
    *p = (struct snapshot_family){0};
    return p;
}

struct snapshot_file *snapshot_add_file(struct snapshot_family *f, struct err *err) {
    struct snapshot_file *p = grow(f->files, f->n_files, sizeof *p, err);
    if (!p) return NULL;
    f->files = p;
    p += f->n_files++;
    *p = (struct snapshot_file){0};
    return p;
}

static void free_family(struct snapshot_family *f) {
    for (size_t i = 0; i < f->n_files; i++) {
        free(f->files[i].name);
        reference_free(&f->files[i].reference);
    }
    free(f->files);
    free(f->name);
}

static void free_region(struct snapshot_region *r) {
    for (size_t i = 0; i < r->n_families; i++) free_family(&r->families[i]);
    free(r->families);
    region_info_free(&r->info);
}

void snapshot_free(struct snapshot *s) {
    for (size_t i = 0; i < s->n_regions; i++) free_region(&s->regions[i]);
    free(s->regions);
    hbase_table_free(&s->table);
    free(s->name);
    free(s->ns);
    free(s->table_name);
    *s = (struct snapshot){0};
}
