/* Many files checked side by side: those of a dataset against its manifest, those of an HBase table or snapshot against their
 * regions; each by check_file. A file that cannot be read does not stop the check of the others. */
#include "cmd/common/input_watch.h"
#include "cmd/verify/check/check.h"

#include "base/fs.h"
#include "cmd/common/inputs.h"
#include "cmd/verify/check/check_file.h"
#include "cmd/verify/check/check_manifest.h"
#include "engine/memory_plan.h"
#include "formats/hbase/metadata.h"
#include "hfile/pack_member.h"
#include "table/placement.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- sums and errors of all files, by many threads ---- */

struct total {
    struct check_result *out;
    struct err ends;  /* ends the run */
    struct err first; /* of a file that could not be read: others may be readable */
    pthread_mutex_t lock;
};

static void add_file(struct total *s, const struct check_file_result *c) {
    struct check_result *out = s->out;
    pthread_mutex_lock(&s->lock);
    out->files++;
    out->cells += c->tally.cells;
    out->file_bytes += c->file_bytes;
    out->kv_bytes += c->kv_bytes;
    out->rows += c->rows;
    out->blocks += c->blocks;
    digest_add(&out->digest, c->tally.digest);
    pthread_mutex_unlock(&s->lock);
}

static void add_error(struct total *s, const struct err *e) {
    pthread_mutex_lock(&s->lock);
    err_keep(e->code == ERR_INPUT || e->code == ERR_UNSUPPORTED ? &s->first : &s->ends, e);
    s->out->unread++;
    pthread_mutex_unlock(&s->lock);
}

static bool has_ended(struct total *s) {
    pthread_mutex_lock(&s->lock);
    bool ended = s->ends.code != ERR_NONE;
    pthread_mutex_unlock(&s->lock);
    return ended;
}

/* Ends the total. 0, or -1 with the error that counts. */
static int end_total(struct total *s, struct err *err) {
    pthread_mutex_destroy(&s->lock);
    err_keep(err, &s->ends);
    err_keep(err, &s->first);
    return err->code ? -1 : 0;
}

/* ---- the files of a dataset ---- */

struct check_run {
    const struct job *job;
    const char *dir;
    const struct manifest *m;
    const struct placement *placement;
    bool quick, skip_reused;
    const bool *chosen;
    struct check_findings *findings;
    struct total total;
    uint64_t done, bytes;
};

static bool is_quick(const struct check_run *r, const struct manifest_file *f) {
    return r->quick || (r->skip_reused && f->taken != LINK_NONE);
}

/* Returns whether there is a file to open. One that exists but cannot be read is no finding. */
static bool file_there(struct check_run *r, const struct manifest_file *f, const char *path, struct err *err) {
    struct stat st, target;
    unsigned long long cells = f->tally.cells;
    if (r->m->n_packs ? pack_member_stat(path, &st) : lstat(path, &st) || (S_ISLNK(st.st_mode) && stat(path, &target))) {
        if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
            check_findings_add(r->findings, FINDING_MISSING, path, "missing; the manifest lists %llu cells in it", cells);
        else
            err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
        return false;
    }
    if (S_ISLNK(st.st_mode)) {
        check_findings_add(r->findings, FINDING_COSMETIC, path, "a symbolic link: the file is outside the dataset");
        st = target;
    }
    if (!S_ISREG(st.st_mode)) {
        check_findings_add(r->findings, FINDING_MISSING, path, "not a file; the manifest lists %llu cells in it", cells);
        return false;
    }
    if ((uint64_t)st.st_size != f->file_bytes)
        check_findings_add(r->findings, FINDING_DAMAGED, path, "%lld bytes, the manifest says %llu", (long long)st.st_size,
                           (unsigned long long)f->file_bytes);
    return true;
}

static void note_passed(void *arg, uint64_t bytes) {
    struct check_run *r = arg;
    const struct progress *p = &r->job->progress;
    pthread_mutex_lock(&r->total.lock);
    r->done += bytes;
    if (p->report) p->report(p->arg, "check", r->done < r->bytes ? r->done : r->bytes, r->bytes);
    pthread_mutex_unlock(&r->total.lock);
}

/* A quick check takes the manifest's word for what only reading shows. */
static void add_to_partition(struct check_run *r, const struct manifest_file *f, const struct check_file_result *c) {
    struct check_partition *p = &r->total.out->partitions[(size_t)f->family * r->m->table.partitioning.count + f->partition];
    struct check_file_result seen = *c;
    if (is_quick(r, f)) {
        seen.kv_bytes = f->kv_bytes;
        seen.tally.digest = f->tally.digest;
    }
    pthread_mutex_lock(&r->total.lock);
    p->files++;
    r->total.out->skipped += is_quick(r, f);
    p->cells += seen.tally.cells;
    p->bytes += seen.file_bytes;
    p->kv_bytes += seen.kv_bytes;
    p->rows += seen.rows;
    digest_add(&p->digest, seen.tally.digest);
    pthread_mutex_unlock(&r->total.lock);
    add_file(&r->total, &seen);
}

static void file_task(struct check_run *r, const struct manifest_file *f) {
    struct err mine = {0};
    struct check_file_result c = {0};
    struct input_watch watch = {0};
    char *path = has_ended(&r->total) || stop_check(r->job->stop, &mine) ? NULL : fs_join(r->dir, f->path, &mine);
    if (path && file_there(r, f, path, &mine) && !input_watch_add(&watch, path, WATCH_DATASET, &mine)) {
        struct check_file_opts o = check_file_opts_of(r->job, path, is_quick(r, f), r->findings);
        o.expected = f;
        o.now_ms = r->m->now_ms;
        o.settings = r->m->settings;
        o.family = r->m->table.families[f->family].name;
        o.rules = &r->m->table.families[f->family].rules;
        o.names = r->m->table.partitioning.names;
        o.placement = r->placement;
        o.passed = note_passed;
        o.arg = r;
        (void)input_watch_end(&watch, check_file(&o, &c, &mine), &mine);
        if (c.opened) add_to_partition(r, f, &c);
    }
    input_watch_free(&watch);
    free(path);
    if (mine.code) add_error(&r->total, &mine);
}

/* Files that hold more of their family come first: no thread is left alone with a large one, and families, whose bytes take
 * more or less time each, are checked in turn, so that the bytes already checked show how much time is left. */
static int largest_share_first(const void *x, const void *y, void *family_bytes) {
    const struct manifest_file *a = *(const struct manifest_file *const *)x, *b = *(const struct manifest_file *const *)y;
    const uint64_t *of = family_bytes;
    double share_a = (double)a->file_bytes / (double)of[a->family], share_b = (double)b->file_bytes / (double)of[b->family];
    if (a->file_bytes && b->file_bytes && share_a != share_b) return share_a > share_b ? -1 : 1;
    if (!a->file_bytes != !b->file_bytes) return a->file_bytes ? -1 : 1;
    return strcmp(a->path, b->path);
}

static int sort_files(const struct check_run *r, const struct manifest_file **files, size_t n, struct err *err) {
    uint64_t *family_bytes = calloc(r->m->table.n_families + 1, sizeof *family_bytes);
    if (!family_bytes) return err_nomem(err, r->m->table.n_families * sizeof *family_bytes, "the list of files");
    for (size_t i = 0; i < n; i++) family_bytes[files[i]->family] += files[i]->file_bytes;
    qsort_r(files, n, sizeof *files, largest_share_first, family_bytes);
    free(family_bytes);
    return 0;
}

static int check_files(struct check_run *r, struct err *err) {
    size_t n = 0;
    const struct manifest_file **files = calloc(r->m->n_files + 1, sizeof *files);
    if (!files) return err_nomem(err, r->m->n_files * sizeof *files, "the list of files");
    for (size_t i = 0; i < r->m->n_files; i++) {
        const struct manifest_file *f = &r->m->files[i];
        if (r->chosen && !r->chosen[f->partition]) continue;
        files[n++] = f;
        if (!is_quick(r, f)) r->bytes += f->file_bytes;
    }
    if (sort_files(r, files, n, err)) {
        free(files);
        return -1;
    }
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

/* Checks what belongs to no partition: the manifest, the night, stray directories. */
static void check_whole(struct check_run *r) {
    check_manifest(r->dir, r->m, r->findings);
    (void)check_night(r->dir, r->m, r->findings, &r->total.ends);
    if (check_directories(r->dir, r->m, r->findings, &r->total.first)) r->total.out->unread++;
}

int check_dataset(const struct check_opts *o, const char *dir, const struct manifest *m, struct check_findings *findings,
                  struct check_result *out, struct err *err) {
    struct check_run r = {.job = o->job,
                          .dir = dir,
                          .m = m,
                          .quick = o->quick,
                          .skip_reused = o->skip_reused,
                          .chosen = o->chosen,
                          .findings = findings,
                          .total = {.out = out, .lock = PTHREAD_MUTEX_INITIALIZER}};
    *out = (struct check_result){0};
    struct placement *placement = placement_new(&m->table.partitioning, err);
    if (!placement) return -1;
    r.placement = placement;
    out->partitions = calloc((size_t)m->table.n_families * m->table.partitioning.count + 1, sizeof *out->partitions);
    if (!out->partitions) {
        placement_free(placement);
        return err_nomem(err, 0, "partitions");
    }
    if (!o->chosen || o->chosen[0]) check_whole(&r);
    (void)check_files(&r, &r.total.ends);
    placement_free(placement);
    return end_total(&r.total, err);
}

void check_result_free(struct check_result *r) {
    free(r->partitions);
    *r = (struct check_result){0};
}

struct tree_run {
    const struct job *job;
    const struct store_files *files;
    bool quick;
    struct check_findings *findings;
    struct total total;
};

/* The whole file, also where only a half of it is seen: then it may hold rows of a sibling. */
static void store_file_task(struct tree_run *r, const struct store_file *f) {
    const struct region_info *region = &r->files->regions[f->region];
    struct check_file_opts o = check_file_opts_of(r->job, f->path, r->quick, r->findings);
    struct check_file_result c = {0};
    struct input_watch watch = {0};
    struct err mine = {0};
    o.family = r->files->table.families[f->family].name;
    if (f->half == STORE_WHOLE) {
        o.start_row = buf_bytes(&region->start);
        o.stop_row = buf_bytes(&region->end);
    }
    if (has_ended(&r->total) || stop_check(r->job->stop, &mine) || input_watch_add(&watch, f->path, WATCH_STORE, &mine))
        return add_error(&r->total, &mine);
    if (f->has_crc && !r->quick && crc_file_check(f->path, &mine) < 0 && mine.code == ERR_INPUT && !mine.sys) {
        check_findings_add(r->findings, FINDING_DAMAGED, f->path, "%s", mine.text);
        mine = (struct err){0};
    }
    if (!mine.code) (void)input_watch_end(&watch, check_file(&o, &c, &mine), &mine);
    input_watch_free(&watch);
    if (c.opened) add_file(&r->total, &c);
    if (mine.code) add_error(&r->total, &mine);
}

static int by_path(const void *x, const void *y) {
    const struct store_file *a = *(const struct store_file *const *)x, *b = *(const struct store_file *const *)y;
    int c = strcmp(a->path, b->path);
    return c ? c : (a->half != STORE_WHOLE) - (b->half != STORE_WHOLE);
}

int check_tree(const struct job *job, const struct store_files *files, bool quick, struct check_findings *findings,
               struct check_result *out, struct err *err) {
    struct tree_run r = {.job = job,
                         .files = files,
                         .quick = quick,
                         .findings = findings,
                         .total = {.out = out, .lock = PTHREAD_MUTEX_INITIALIZER}};
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
        store_file_task(&r, f);
    }
    free(list);
    return end_total(&r.total, err);
}
