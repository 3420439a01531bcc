#include "cmd/verify/check/check.h"

#include "base/fs.h"
#include "cmd/verify/check/check_file.h"
#include "cmd/verify/check/check_manifest.h"
#include "cmd/verify/check/check_night.h"
#include "cmd/verify/check/check_total.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct run {
    const struct job *job;
    const char *dir;
    const struct manifest *m;
    const struct placement *placement;
    bool quick;
    struct problems *problems;
    struct check_total total;
    uint64_t done, bytes;
};

/* Is there a file to open? What is there but cannot be looked at is no finding. */
static bool file_there(struct run *r, const struct manifest_file *f, const char *path, struct err *err) {
    struct stat st, target;
    unsigned long long cells = f->tally.cells;
    if (lstat(path, &st) || (S_ISLNK(st.st_mode) && stat(path, &target))) {
        if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
            problems_add(r->problems, PROBLEM_MISSING, path, "not there, the manifest lists %llu cells in it", cells);
        else
            err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
        return false;
    }
    if (S_ISLNK(st.st_mode)) {
        problems_add(r->problems, PROBLEM_COSMETIC, path, "a symbolic link: the file lies outside of the dataset");
        st = target;
    }
    if (!S_ISREG(st.st_mode)) {
        problems_add(r->problems, PROBLEM_MISSING, path, "not a file, the manifest lists %llu cells in it", cells);
        return false;
    }
    if ((uint64_t)st.st_size != f->file_bytes)
        problems_add(r->problems, PROBLEM_DAMAGED, path, "%lld bytes, the manifest says %llu", (long long)st.st_size,
                     (unsigned long long)f->file_bytes);
    return true;
}

static void note_passed(void *arg, uint64_t bytes) {
    struct run *r = arg;
    const struct progress *p = &r->job->progress;
#pragma omp critical(check_book)
    {
        r->done += bytes;
        if (p->report) p->report(p->arg, "check", r->done < r->bytes ? r->done : r->bytes, r->bytes);
    }
}

/* A quick look takes the manifest's word for what only reading tells. */
static void book(struct run *r, const struct manifest_file *f, const struct check_file_result *c) {
    struct check_partition *p = &r->total.out->partitions[(size_t)f->family * r->m->table.partitioning.count + f->partition];
    struct check_file_result seen = *c;
    if (r->quick) {
        seen.kv_bytes = f->kv_bytes;
        seen.tally.digest = f->tally.digest;
    }
#pragma omp critical(check_book)
    {
        p->files++;
        p->cells += seen.tally.cells;
        p->bytes += seen.file_bytes;
        p->kv_bytes += seen.kv_bytes;
        p->rows += seen.rows;
        digest_add(&p->digest, seen.tally.digest);
    }
    check_total_add(&r->total, &seen);
}

static void file_task(struct run *r, const struct manifest_file *f) {
    struct err mine = {0};
    struct check_file_result c = {0};
    char *path = check_total_ended(&r->total) || stop_check(r->job->stop, &mine) ? NULL : fs_join(r->dir, f->path, &mine);
    if (path && file_there(r, f, path, &mine)) {
        struct check_file_opts o = check_file_opts_of(r->job, path, r->quick, r->problems);
        o.expected = f;
        o.now_ms = r->m->now_ms;
        o.family = r->m->table.families[f->family].name;
        o.rules = &r->m->table.families[f->family].rules;
        o.names = r->m->table.partitioning.names;
        o.placement = r->placement;
        o.passed = note_passed;
        o.arg = r;
        check_file(&o, &c, &mine);
        if (c.opened) book(r, f, &c);
    }
    free(path);
    if (mine.code) check_total_error(&r->total, &mine);
}

static int largest_first(const void *x, const void *y) {
    const struct manifest_file *a = *(const struct manifest_file *const *)x, *b = *(const struct manifest_file *const *)y;
    if (a->file_bytes != b->file_bytes) return a->file_bytes > b->file_bytes ? -1 : 1;
    return strcmp(a->path, b->path);
}

static int check_files(struct run *r, struct err *err) {
    size_t n = r->m->n_files;
    const struct manifest_file **files = calloc(n + 1, sizeof *files);
    if (!files) return err_nomem(err, n * sizeof *files, "the list of files");
    for (size_t i = 0; i < n; i++) {
        files[i] = &r->m->files[i];
        r->bytes += r->m->files[i].file_bytes;
    }
    qsort(files, n, sizeof *files, largest_first);
#pragma omp parallel num_threads(job_readers(r->job))
#pragma omp single
    for (size_t i = 0; i < n; i++) {
        const struct manifest_file *f = files[i];
#pragma omp task firstprivate(f)
        file_task(r, f);
    }
    free(files);
    return 0;
}

int check_dataset(const struct job *job, const char *dir, const struct manifest *m, bool quick, struct problems *problems,
                  struct check_result *out, struct err *err) {
    struct run r = {.job = job, .dir = dir, .m = m, .quick = quick, .problems = problems, .total.out = out};
    *out = (struct check_result){0};
    struct placement *placement = placement_new(&m->table.partitioning, err);
    if (!placement) return -1;
    r.placement = placement;
    out->partitions = calloc((size_t)m->table.n_families * m->table.partitioning.count + 1, sizeof *out->partitions);
    if (!out->partitions) {
        placement_free(placement);
        return err_nomem(err, 0, "partitions");
    }
    check_manifest(dir, m, problems);
    check_night(dir, m, problems, &r.total.ends);
    if (check_folders(dir, m, problems, &r.total.first)) out->unread++;
    check_files(&r, &r.total.ends);
    placement_free(placement);
    return check_total_end(&r.total, err);
}

void check_result_free(struct check_result *r) {
    free(r->partitions);
    *r = (struct check_result){0};
}
