/* What an export's manifest says of one partition or file. */
#include "cmd/oceanbase/export_manifest.h"

/* The first file at or behind the partition. */
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
    return (struct load_source){.table = family->sql_table,
                                .partition = export_partition_name(m, f->partition),
                                .path = path,
                                .compression = m->compression,
                                .ttl_column = family->has_ttl_column,
                                .generated = family->has_generated,
                                .big = f->big};
}
