#include "pipeline/check.h"

#include "base/fs.h"
#include "pipeline/check_manifest.h"

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
    struct check_result *out;
    struct err err;   /* ends the run */
    struct err first; /* of a file that could not be read */
    uint64_t done, total;
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
        if (p->report) p->report(p->arg, "check", r->done < r->total ? r->done : r->total, r->total);
    }
}

static void book(struct run *r, const struct manifest_file *f, const struct check_file_result *c) {
    struct check_partition *p = &r->out->partitions[(size_t)f->family * r->m->table.partitioning.count + f->partition];
    uint64_t kv = r->quick ? f->kv_bytes : c->kv_bytes;
    struct digest d = r->quick ? f->tally.digest : c->tally.digest;
#pragma omp critical(check_book)
    {
        p->files++;
        p->cells += c->tally.cells;
        p->bytes += c->file_bytes;
        p->kv_bytes += kv;
        p->rows += c->rows;
        digest_add(&p->digest, d);
        r->out->files++;
        r->out->cells += c->tally.cells;
        r->out->file_bytes += c->file_bytes;
        r->out->kv_bytes += kv;
        r->out->rows += c->rows;
        r->out->blocks += c->blocks;
        digest_add(&r->out->digest, d);
    }
}

/* Others may be readable: only what concerns the whole run ends it. */
static void take_error(struct run *r, const struct err *e) {
#pragma omp critical(check_error)
    {
        err_keep(e->code == ERR_INPUT || e->code == ERR_UNSUPPORTED ? &r->first : &r->err, e);
        r->out->unread++;
    }
}

static bool has_ended(struct run *r) {
    bool ended;
#pragma omp critical(check_error)
    ended = r->err.code != ERR_NONE;
    return ended;
}

static void file_task(struct run *r, const struct manifest_file *f) {
    struct err mine = {0};
    struct check_file_result c = {0};
    char *path = has_ended(r) || stop_check(r->job->stop, &mine) ? NULL : fs_join(r->dir, f->path, &mine);
    if (path && file_there(r, f, path, &mine)) {
        struct check_file_opts o = check_file_opts_of(r->job, path, r->quick, r->problems);
        o.expected = f;
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
    if (mine.code) take_error(r, &mine);
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
        r->total += r->m->files[i].file_bytes;
    }
    qsort(files, n, sizeof *files, largest_first);
#pragma omp parallel num_threads(r->job->threads)
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
    struct run r = {.job = job, .dir = dir, .m = m, .quick = quick, .problems = problems, .out = out};
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
    if (check_folders(dir, m, problems, &r.first)) out->unread++;
    check_files(&r, &r.err);
    placement_free(placement);
    err_keep(err, &r.err);
    err_keep(err, &r.first);
    return err->code ? -1 : 0;
}

void check_result_free(struct check_result *r) {
    free(r->partitions);
    *r = (struct check_result){0};
}
