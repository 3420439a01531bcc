/* Chooses the files of the dataset that an export has to read: --partitions, and the families and rows of a selection, by what
 * the manifest says of each file. The others leave the manifest at hand; their cells are counted as it counts them, and not
 * read. */

#include "cmd/common/table_options.h"
#include "cmd/export/export_choice.h"
#include "select/selection_make.h"

#include <stdlib.h>

static bool takes_file(const struct export_task *e, const bool *chosen, const struct manifest_file *f) {
    const struct row_range *ranges;
    struct bytes now, first = buf_bytes(&f->first_row), last = buf_bytes(&f->last_row);
    size_t n = selection_ranges(e->o.selection, &ranges);
    if (chosen && !chosen[f->partition]) return false;
    if (!selection_family(e->o.selection, bytes_str(e->m.table.families[f->family].name), &now)) return false;
    for (size_t i = 0; i < n; i++)
        if (bytes_cmp(ranges[i].start, last) <= 0 && (!ranges[i].stop.p || bytes_cmp(first, ranges[i].stop) < 0)) return true;
    return !n;
}

int export_choose(struct export_task *e, struct err *err) {
    bool *chosen;
    size_t n = 0;
    int rc = partition_options_choose(&e->asked->partitions, &e->m.table.partitioning, e->dataset, &chosen, err);
    for (size_t i = 0; !rc && i < e->m.n_files; i++) {
        struct manifest_file f = e->m.files[i];
        bool taken = takes_file(e, chosen, &f);
        if (!taken) tally_add(&e->o.passed, f.tally);
        if (taken) { /* those that are left go to the end */
            e->m.files[i] = e->m.files[n];
            e->m.files[n++] = f;
        }
    }
    for (size_t i = n; !rc && i < e->m.n_files; i++) manifest_file_free(&e->m.files[i]);
    if (!rc) e->m.n_files = n;
    free(chosen);
    return rc;
}

json_t *export_partitions_json(const struct export_options *o) {
    json_t *j = json_array();
    for (unsigned i = 0; i < o->partitions.n; i++) json_array_append_new(j, json_string(o->partitions.item[i]));
    return j;
}
