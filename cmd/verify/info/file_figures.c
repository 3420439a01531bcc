#include "cmd/verify/info/file_figures.h"

#include <stdlib.h>

struct worker {
    struct block_sums blocks;
    struct cell_stats cells;
};

static int look_at(const struct file_figures *s, struct figures_file *f, struct worker *w, struct err *err) {
    struct hfile *h = hfile_open(f->path, job_block_limit(s->job, job_readers(s->job)), err);
    struct block_sums mine = {0};
    int rc = h ? block_sums_add(&mine, h, err) : -1;
    if (!rc) {
        f->data = block_sums_data(&mine);
        f->cells = hfile_info(h)->cells;
        f->file_bytes = hfile_info(h)->file_bytes;
        block_sums_merge(&w->blocks, &mine);
    }
    if (!rc && s->read_cells) rc = cell_stats_add(&w->cells, h, s->job->stop, err);
    hfile_close(h);
    return rc;
}

static void work(struct file_figures *s, struct err *err) {
    struct err mine = {0};
    struct worker *w = calloc(1, sizeof *w);
    if (!w) err_nomem(&mine, sizeof *w, "sums over files");
#pragma omp for schedule(dynamic, 1)
    for (size_t i = 0; i < s->n; i++) {
        bool failed;
#pragma omp atomic read
        failed = s->failed;
        if (failed || mine.code || (stop_check(s->job->stop, &mine) == 0 && look_at(s, &s->files[i], w, &mine) == 0)) continue;
#pragma omp atomic write
        s->failed = true;
    }
#pragma omp critical(figures_merge)
    {
        err_keep(err, &mine);
        if (w) block_sums_merge(&s->blocks, &w->blocks);
        if (w && cell_stats_merge(&s->cells, &w->cells, &mine)) err_keep(err, &mine);
    }
    if (w) cell_stats_free(&w->cells);
    free(w);
}

int file_figures_run(struct file_figures *s, struct err *err) {
    struct err first = {0};
#pragma omp parallel num_threads(job_readers(s->job))
    work(s, &first);
    err_keep(err, &first);
    return first.code ? -1 : 0;
}

void file_figures_free(struct file_figures *s) {
    cell_stats_free(&s->cells);
}
