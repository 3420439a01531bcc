/* Reads the lines of a batch before it is sent as sorted. A server that sorts nothing notices most files that are not, but not
 * all: lines that go to different threads of it are not compared. Checksums do not show it where somebody has edited a file
 * and its manifest. */
#include "cmd/load/load_sorted.h"

#include "cmd/oceanbase/load_rows.h"

#include <stdlib.h>

static int check_part(const struct load_files_opts *o, struct export_file *files, const struct load_part *p, struct err *err) {
    struct export_manifest only = *o->m; /* its files are read, and only these */
    only.files = files;
    only.n_files = p->n;
    const struct load_rows_opts ro = {.dir = o->dir, .m = &only, .family = p->family, .partition = p->partition, .stop = o->stop};
    struct load_rows *rows = load_rows_open(&ro, err);
    const struct kqvt_row *row;
    int got = rows ? 1 : -1;
    while (got > 0) got = load_rows_next(rows, &row, err);
    load_rows_close(rows);
    return got;
}

int load_sorted_check(const struct load_files_opts *o, const struct load_batch *b, struct err *err) {
    struct export_file *files = calloc(b->n, sizeof *files);
    size_t *first = calloc(b->n_parts, sizeof *first);
    if (!files || !first) {
        free(files);
        free(first);
        return err_nomem(err, b->n * sizeof *files, "the files of a batch");
    }
    for (size_t i = 0; i < b->n; i++) files[i] = *b->files[i]->file; /* borrows what it points to */
    for (size_t i = 1; i < b->n_parts; i++) first[i] = first[i - 1] + b->parts[i - 1].n;
#pragma omp parallel for schedule(dynamic, 1) num_threads(o->target.parallel)
    for (size_t i = 0; i < b->n_parts; i++) {
        struct err own = {0};
        bool failed;
#pragma omp critical(load_sorted)
        failed = err->code;
        if (failed || !check_part(o, files + first[i], &b->parts[i], &own)) continue;
#pragma omp critical(load_sorted)
        err_keep(err, &own);
    }
    free(files);
    free(first);
    return err->code ? -1 : 0;
}
