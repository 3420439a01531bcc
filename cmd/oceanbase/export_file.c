/* The load files of an export: their order, those of one partition and what these hold together, and how each is loaded.
 * They are sorted by family and partition, so those of a partition are found by bisection. */
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/export_manifest.h"

#include <stdlib.h>

bool export_file_is_small(const struct export_file *f) {
    enum { SMALL_ROWS = 10000 };
    return !f->big && f->sums.rows <= SMALL_ROWS && f->text_bytes <= EXPORT_SMALL_BYTES;
}

void export_file_free(struct export_file *f) {
    free(f->path);
    buf_free(&f->first_key);
    buf_free(&f->last_key);
}

static int file_order(const void *x, const void *y) {
    const struct export_file *a = x, *b = y;
    if (a->family != b->family) return a->family < b->family ? -1 : 1;
    if (a->partition != b->partition) return a->partition < b->partition ? -1 : 1;
    if (a->big != b->big) return a->big ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

void export_manifest_sort(struct export_manifest *m) {
    if (m->n_files) qsort(m->files, m->n_files, sizeof *m->files, file_order);
}

/* The first file of the partition or one after it. */
static size_t first_file(const struct export_manifest *m, uint32_t family, uint32_t partition) {
    size_t lo = 0, hi = m->n_files;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct export_file *f = &m->files[mid];
        if (f->family < family || (f->family == family && f->partition < partition))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

struct cell_sums export_partition_sums(const struct export_manifest *m, uint32_t family, uint32_t partition) {
    struct cell_sums sums = {0};
    for (size_t i = first_file(m, family, partition); i < m->n_files; i++) {
        if (m->files[i].family != family || m->files[i].partition != partition) break;
        cell_sums_add(&sums, &m->files[i].sums);
    }
    return sums;
}

const char *export_partition_name(const struct export_manifest *m, uint32_t partition) {
    return m->table.partitioning.kind == PARTITION_NONE ? NULL : m->table.partitioning.names[partition];
}

struct cell_sums_opts export_sums_opts(const struct export_manifest *m, uint32_t family) {
    return (struct cell_sums_opts){.strong = m->strong, .ttl_column = m->table.families[family].has_ttl_column};
}

struct load_source export_load_source(const struct export_manifest *m, const struct export_file *f, const char *path) {
    const struct family *family = &m->table.families[f->family];
    const char *const *name = (const char *const *)&m->table.partitioning.names[f->partition];
    const bool partitioned = m->table.partitioning.kind != PARTITION_NONE;
    return (struct load_source){.table = family->sql_table,
                                .partitions = partitioned ? name : NULL,
                                .n_partitions = partitioned,
                                .path = path,
                                .compression = m->compression,
                                .ttl_column = family->has_ttl_column,
                                .generated = family->has_generated,
                                .big = f->big};
}
