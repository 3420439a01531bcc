/* Computes the sums that a partition of the target should have: those of the export's manifest, or of its rows where the
 * manifest has no strong ones. */
#include "cmd/verify/target/compare_export.h"

#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/load_rows.h"

static int sum_rows(const struct compare_opts *o, pthread_mutex_t *lock, const struct sums_place *place,
                    struct compare_partition *p, uint32_t partition, struct err *err) {
    struct load_rows_opts ro = {.family = p->family, .partition = partition, .stop = o->stop};
    pthread_mutex_lock(lock);
    int rc = o->files(o->arg, p->family, partition, &ro.dir, &ro.m, err);
    pthread_mutex_unlock(lock);
    struct load_rows *rows = rc ? NULL : load_rows_open(&ro, err);
    const struct kqvt_row *row;
    struct cell_sums sums = {0};
    int got = rows ? 1 : -1;
    while (got > 0 && (got = load_rows_next(rows, &row, err)) > 0) cell_sums_row(&sums, row, &place->opts);
    load_rows_close(rows);
    if (got < 0 || load_rows_check(&ro, &sums, err)) return -1;
    cell_sums_add(&p->a, &sums);
    return 0;
}

/* Returns in p->a the sums in the export's manifest; the strong half is computed here if it was not then. */
int compare_export_sums(const struct compare_opts *o, pthread_mutex_t *lock, const struct sums_place *place,
                        struct compare_partition *p, struct err *err) {
    uint32_t first = p->partition, end = first + 1;
    if (!o->by_partition) {
        first = 0;
        end = o->m->table.partitioning.count;
    }
    for (uint32_t i = first; i < end; i++) {
        struct cell_sums s = export_partition_sums(o->m, p->family, i);
        cell_sums_add(&p->a, &s);
    }
    if (!o->strong) {
        p->a.md5_sum = 0;
        p->a.md5_xor = 0;
    }
    if (!o->strong || o->m->strong) return 0;
    p->a = (struct cell_sums){0};
    for (uint32_t i = first; i < end; i++)
        if (sum_rows(o, lock, place, p, i, err)) return -1;
    return 0;
}
