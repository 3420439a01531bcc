/* The rows that an export holds for one partition, in the order of the table's primary key (K, Q, T), out of its load files:
 * several data files, one after the other, and files of very long lines beside them. */
#ifndef CMD_OCEANBASE_LOAD_ROWS_H
#define CMD_OCEANBASE_LOAD_ROWS_H

#include "base/stop.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/kqvt.h"

struct load_rows;

struct load_rows_opts {
    const char *dir;
    const struct export_manifest *m;
    uint32_t family, partition;
    const struct stop *stop;
};

struct load_rows *load_rows_open(const struct load_rows_opts *o, struct err *err);
/* 1 = a row, valid until the next call; 0 = end; -1 = error: a file is damaged, out of order or not the manifest's. */
int load_rows_next(struct load_rows *r, const struct kqvt_row **row, struct err *err);
/* Checks that the sums of all rows are those of the manifest; ERR_INPUT: the files were damaged since it was written. */
int load_rows_check(const struct load_rows_opts *o, const struct cell_sums *read, struct err *err);
void load_rows_close(struct load_rows *r);

/* Compares by primary key: K and Q as unsigned bytes, T as a number. */
int load_rows_compare(const struct kqvt_row *a, const struct kqvt_row *b);

#endif
