/* The delete statements in the manifest of an export. */
#ifndef CMD_OCEANBASE_EXPORT_DELETES_H
#define CMD_OCEANBASE_EXPORT_DELETES_H

#include "base/err.h"
#include "cmd/oceanbase/delete_sql.h"
#include "cmd/oceanbase/export_manifest.h"
#include "table/table.h"

int export_deletes_add(struct export_deletes *d, const struct export_delete_file *f, struct err *err); /* owns its memory */
void export_deletes_sort(struct export_deletes *d);
void export_deletes_free(struct export_deletes *d);
/* Returns the file of deletes of a partition; NULL: it has no markers. */
const struct export_delete_file *export_deletes_of(const struct export_deletes *d, uint32_t family, uint32_t partition);
/* All markers; by: of each type. */
uint64_t export_deletes_markers(const struct export_deletes *d, uint64_t by[DELETE_TYPES]);
json_t *export_deletes_markers_json(const uint64_t by[DELETE_TYPES]);
json_t *export_deletes_json(const struct export_deletes *d, const struct table *t);
int export_deletes_parse(const json_t *list, const struct table *t, struct export_deletes *d, struct err *err);

#endif
