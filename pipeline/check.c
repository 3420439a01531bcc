#include "pipeline/check.h"

#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct run {
    const struct job *job;
    const char *dir;
    const struct manifest *m;
    const struct placement *placement;
    bool quick;
    struct problems *problems;
    struct check_result *out;
    struct err err;
    uint64_t done, total;
};

/* The ledgers as the manifest tells them, and the files against them. */
static void check_ledgers(struct run *r) {
    struct err e = {0};
    struct tally files = {0};
    if (!r->m->sealed)
        problems_add(r->problems, PROBLEM_DAMAGED, "%s/MANIFEST.json: edited or damaged: its checksum differs", r->dir);
    if (ledger_check(&r->m->ledger, &e)) problems_add(r->problems, PROBLEM_COUNT, "MANIFEST.json: %s", e.text);
    for (size_t i = 0; i < r->m->n_files; i++) tally_add(&files, r->m->files[i].tally);
    const struct tally *w = ledger_written(&r->m->ledger);
    if (w->cells != files.cells || !digest_eq(w->digest, files.digest))
        problems_add(r->problems, PROBLEM_COUNT,
                     "MANIFEST.json: the files hold %llu cells, the ledger says %llu were written (or digests differ)",
                     (unsigned long long)files.cells, (unsigned long long)w->cells);
}

/* Files of one partition follow each other without overlap, numbered from 0. */
static void check_sequence(struct run *r) {
    const struct manifest_file *prev = NULL;
    for (size_t i = 0; i < r->m->n_files; prev = &r->m->files[i++]) {
        const struct manifest_file *f = &r->m->files[i];
        bool same = prev && prev->family == f->family && prev->partition == f->partition;
        if (f->number != (same ? prev->number + 1 : 0))
            problems_add(r->problems, PROBLEM_METADATA, "%s: its number does not follow", f->path);
        if (bytes_cmp(buf_bytes(&f->first_row), buf_bytes(&f->last_row)) > 0)
            problems_add(r->problems, PROBLEM_ORDER, "%s: first row lies behind last row", f->path);
        if (same && bytes_cmp(buf_bytes(&prev->last_row), buf_bytes(&f->first_row)) >= 0)
            problems_add(r->problems, PROBLEM_ORDER, "%s and %s overlap", prev->path, f->path);
    }
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every file in a family folder is bulk-loaded by HBase: one that the manifest does not know is a finding. */
static int check_family_folder(struct run *r, const char *family, DIR *d, char *const *listed, struct err *err) {
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        char *path = fs_join(family, e->d_name, err);
        if (!path) return -1;
        if (!bsearch(&path, listed, r->m->n_files, sizeof *listed, by_text))
            problems_add(r->problems, PROBLEM_METADATA, "%s/%s: not in the manifest", r->dir, path);
        free(path);
    }
    return 0;
}

static bool has_family(const struct manifest *m, const char *name) {
    return table_family(&m->table, bytes_str(name)) >= 0;
}

static int check_folder(struct run *r, const char *name, char *const *listed, struct err *err) {
    char *path = fs_join(r->dir, name, err);
    if (!path) return -1;
    DIR *d = opendir(path);
    int rc = 0;
    if (d && has_family(r->m, name))
        rc = check_family_folder(r, name, d, listed, err);
    else
        problems_add(r->problems, PROBLEM_METADATA, "%s: not in the manifest", path);
    if (d) closedir(d);
    free(path);
    return rc;
}

static int check_folders(struct run *r, struct err *err) {
    DIR *top = opendir(r->dir);
    char **listed = calloc(r->m->n_files + 1, sizeof *listed);
    int rc = 0;
    if (!top) rc = err_sys(err, ERR_INPUT, errno, "%s", r->dir);
    if (!listed) rc = err_nomem(err, r->m->n_files * sizeof *listed, "the list of files");
    for (size_t i = 0; !rc && i < r->m->n_files; i++) listed[i] = r->m->files[i].path;
    if (!rc) qsort(listed, r->m->n_files, sizeof *listed, by_text);
    for (struct dirent *e; !rc && (e = readdir(top));)
        if (e->d_name[0] != '.' && e->d_name[0] != '_' && strcmp(e->d_name, "MANIFEST.json"))
            rc = check_folder(r, e->d_name, listed, err);
    if (top) closedir(top);
    free(listed);
    return rc;
}

static bool file_there(struct run *r, const struct manifest_file *f, const char *path) {
    struct stat st;
    if (stat(path, &st)) {
        problems_add(r->problems, PROBLEM_MISSING, "%s: not there, the manifest lists %llu cells in it", path,
                     (unsigned long long)f->tally.cells);
        return false;
    }
    if ((uint64_t)st.st_size == f->file_bytes) return true;
    problems_add(r->problems, PROBLEM_DAMAGED, "%s: %lld bytes, the manifest says %llu", path, (long long)st.st_size,
                 (unsigned long long)f->file_bytes);
    return false;
}

static void book(struct run *r, const struct manifest_file *f, const struct check_file_result *c) {
#pragma omp critical(check_book)
    {
        struct check_partition *p = &r->out->partitions[(size_t)f->family * r->m->table.partitioning.count + f->partition];
        uint64_t kv = r->quick ? f->kv_bytes : c->kv_bytes;
        p->files++;
        p->cells += c->tally.cells;
        p->bytes += c->file_bytes;
        p->kv_bytes += kv;
        r->out->cells += c->tally.cells;
        r->out->file_bytes += c->file_bytes;
        r->out->kv_bytes += kv;
        digest_add(&r->out->digest, r->quick ? f->tally.digest : c->tally.digest);
        r->done += f->file_bytes;
        if (r->job->progress.report) r->job->progress.report(r->job->progress.arg, "check", r->done, r->total);
    }
}

static void file_task(struct run *r, const struct manifest_file *f) {
    struct err mine = {0};
    struct check_file_result c = {0};
    char *path = stop_check(r->job->stop, &mine) ? NULL : fs_join(r->dir, f->path, &mine);
    if (path && file_there(r, f, path)) {
        struct check_file_opts o = {.job = r->job,
                                    .path = path,
                                    .expected = f,
                                    .family = r->m->table.families[f->family].name,
                                    .placement = r->placement,
                                    .problems = r->problems,
                                    .quick = r->quick,
                                    .range_bytes = 4 << 20,
                                    .block_limit = r->job->memory_bytes / 8 / r->job->threads};
        if (!check_file(&o, &c, &mine)) book(r, f, &c);
    }
    free(path);
    if (!mine.code) return;
#pragma omp critical(check_error)
    err_keep(&r->err, &mine);
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
    for (size_t i = 0; i < m->n_files; i++) r.total += m->files[i].file_bytes;
    check_ledgers(&r);
    check_sequence(&r);
    if (check_folders(&r, &r.err)) goto out;
#pragma omp parallel num_threads(job->threads)
#pragma omp single
    for (size_t i = 0; i < m->n_files; i++) {
        const struct manifest_file *f = &m->files[i];
#pragma omp task firstprivate(f)
        file_task(&r, f);
    }
out:
    placement_free(placement);
    err_keep(err, &r.err);
    return r.err.code ? -1 : 0;
}

void check_result_free(struct check_result *r) {
    free(r->partitions);
    *r = (struct check_result){0};
}
