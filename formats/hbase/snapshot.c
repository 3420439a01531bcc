#include "formats/hbase/snapshot.h"

#include "base/buf.h"

#include <stdlib.h>

struct snapshot_region *snapshot_add_region(struct snapshot *s, struct err *err) {
    if (grow_array(&s->regions, s->n_regions, sizeof *s->regions, "the list of a snapshot's files", err)) return NULL;
    struct snapshot_region *p = &s->regions[s->n_regions++];
    *p = (struct snapshot_region){0};
    return p;
}

struct snapshot_family *snapshot_add_family(struct snapshot_region *r, struct err *err) {
    if (grow_array(&r->families, r->n_families, sizeof *r->families, "the list of a snapshot's files", err)) return NULL;
    struct snapshot_family *p = &r->families[r->n_families++];
    *p = (struct snapshot_family){0};
    return p;
}

struct snapshot_file *snapshot_add_file(struct snapshot_family *f, struct err *err) {
    if (grow_array(&f->files, f->n_files, sizeof *f->files, "the list of a snapshot's files", err)) return NULL;
    struct snapshot_file *p = &f->files[f->n_files++];
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
