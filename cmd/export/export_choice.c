/* Which files of the dataset an export has to read: --partitions, and the families and rows of a selection, by what the manifest
 * says of each file. The others leave the manifest at hand; their cells are counted as it counts them, and not read. */
#include "cmd/export/export_tool.h"

#include "base/text.h"
#include "cmd/common/input_shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of a partition by its name, else by its number; UINT32_MAX: no such partition. */
static uint32_t find_partition(const struct partitioning *p, struct bytes text) {
    u128 number;
    for (uint32_t i = 0; i < p->count; i++)
        if (bytes_eq(bytes_str(p->names[i]), text)) return i;
    return decimal_parse_u128(text, &number) && number < p->count ? (uint32_t)number : UINT32_MAX;
}

/* J/M: every M-th partition from the J-th on, as obkv-split join divides them. A partition may have such a name. */
static int choose_share(const struct export_task *e, struct bytes text, bool *chosen, struct err *err) {
    char share[32];
    uint32_t number, of;
    if (text.n >= sizeof share) return err_set(err, ERR_USAGE, "--partitions: expected J/M, such as 3/7");
    snprintf(share, sizeof share, "%.*s", (int)text.n, (const char *)text.p);
    if (shard_number_parse("partitions", share, &number, &of, err)) return -1;
    for (uint32_t i = number - 1; i < e->m.table.partitioning.count; i += of) chosen[i] = true;
    return 0;
}

static int choose_partitions(const struct export_task *e, const char *list, bool *chosen, struct err *err) {
    const struct partitioning *p = &e->m.table.partitioning;
    for (const char *at = list;; at++) {
        const char *end = strchrnul(at, ',');
        const struct bytes text = bytes_of(at, (size_t)(end - at));
        uint32_t i = find_partition(p, text);
        if (i < p->count)
            chosen[i] = true;
        else if (memchr(text.p, '/', text.n)) {
            if (choose_share(e, text, chosen, err)) return -1;
        } else
            return err_set(err, ERR_USAGE, "--partitions: %s has no partition '%.*s': it has %u, from %s to %s", e->dataset,
                           (int)(end - at), at, p->count, p->names[0], p->names[p->count - 1]);
        if (!*(at = end)) return 0;
    }
}

static bool takes_file(const struct export_task *e, const bool *chosen, const struct manifest_file *f) {
    const struct row_range *ranges;
    struct bytes now, first = buf_bytes(&f->first_row), last = buf_bytes(&f->last_row);
    size_t n = selection_ranges(e->s->selection, &ranges);
    if (chosen && !chosen[f->partition]) return false;
    if (!selection_family(e->s->selection, bytes_str(e->m.table.families[f->family].name), &now)) return false;
    for (size_t i = 0; i < n; i++)
        if (bytes_cmp(ranges[i].start, last) <= 0 && (!ranges[i].stop.p || bytes_cmp(first, ranges[i].stop) < 0)) return true;
    return !n;
}

int export_choose(struct export_task *e, struct err *err) {
    const struct opt_list *asked = &e->asked->partitions;
    bool *chosen = asked->n ? calloc(e->m.table.partitioning.count, sizeof *chosen) : NULL;
    int rc = asked->n && !chosen ? err_nomem(err, e->m.table.partitioning.count, "partitions") : 0;
    for (unsigned i = 0; !rc && i < asked->n; i++) rc = choose_partitions(e, asked->item[i], chosen, err);
    size_t n = 0;
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
