#include "cmd/verify/check/check_tree.h"

#include "formats/hbase/metadata.h"
#include "cmd/verify/check/check_file.h"
#include "cmd/verify/check/check_total.h"

#include <stdlib.h>
#include <string.h>

struct tree_run {
    const struct job *job;
    const struct store_files *files;
    bool quick;
    struct problems *problems;
    struct check_total total;
};

/* The whole file, also where only a half of it is seen: then it may hold rows of a sibling. */
static void file_task(struct tree_run *r, const struct store_file *f) {
    const struct region_info *region = &r->files->regions[f->region];
    struct check_file_opts o = check_file_opts_of(r->job, f->path, r->quick, r->problems);
    struct check_file_result c = {0};
    struct err mine = {0};
    o.family = r->files->table.families[f->family].name;
    if (f->half == STORE_WHOLE) {
        o.start_row = buf_bytes(&region->start);
        o.stop_row = buf_bytes(&region->end);
    }
    if (check_total_ended(&r->total) || stop_check(r->job->stop, &mine)) return check_total_error(&r->total, &mine);
    if (f->has_crc && !r->quick && crc_file_check(f->path, &mine) < 0 && mine.code == ERR_INPUT && !mine.sys) {
        problems_add(r->problems, PROBLEM_DAMAGED, f->path, "%s", mine.text);
        mine = (struct err){0};
    }
    if (!mine.code) check_file(&o, &c, &mine);
    if (c.opened) check_total_add(&r->total, &c);
    if (mine.code) check_total_error(&r->total, &mine);
}

static int by_path(const void *x, const void *y) {
    const struct store_file *a = *(const struct store_file *const *)x, *b = *(const struct store_file *const *)y;
    int c = strcmp(a->path, b->path);
    return c ? c : (a->half != STORE_WHOLE) - (b->half != STORE_WHOLE);
}

int check_tree(const struct job *job, const struct store_files *files, bool quick, struct problems *problems,
               struct check_result *out, struct err *err) {
    struct tree_run r = {.job = job, .files = files, .quick = quick, .problems = problems, .total.out = out};
    *out = (struct check_result){0};
    const struct store_file **list = calloc(files->n_files + 1, sizeof *list);
    if (!list) return err_nomem(err, files->n_files * sizeof *list, "the list of files");
    for (size_t i = 0; i < files->n_files; i++) list[i] = &files->files[i];
    qsort(list, files->n_files, sizeof *list, by_path);
#pragma omp parallel num_threads(job_readers(job))
#pragma omp single
    for (size_t i = 0; i < files->n_files; i++) {
        const struct store_file *f = list[i];
        if (i && !strcmp(list[i - 1]->path, f->path)) continue; /* two halves of one file */
#pragma omp task firstprivate(f)
        file_task(&r, f);
    }
    free(list);
    return check_total_end(&r.total, err);
}
