/* The load files in the manifest of an export. */
#ifndef CMD_OCEANBASE_EXPORT_FILE_H
#define CMD_OCEANBASE_EXPORT_FILE_H

#include "cmd/oceanbase/cell_sums.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/statements.h"

/* Would its rows be in sooner by statements of some hundred rows than by one LOAD DATA? */
bool export_file_is_small(const struct export_file *f);
void export_file_free(struct export_file *f); /* what it owns */
void export_manifest_sort(struct export_manifest *m);
/* Returns what the whole partition of a family holds: zeros when it has no file. */
struct cell_sums export_partition_sums(const struct export_manifest *m, uint32_t family, uint32_t partition);
/* The name to write after PARTITION; NULL: the table is not partitioned. */
const char *export_partition_name(const struct export_manifest *m, uint32_t partition);
struct cell_sums_opts export_sums_opts(const struct export_manifest *m, uint32_t family);
/* Returns how f is loaded; path: of the file as the server sees it, borrowed. */
struct load_source export_load_source(const struct export_manifest *m, const struct export_file *f, const char *path);

#endif
