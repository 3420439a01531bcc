/* Inputs that are partitioned differently from the base of a nightly compaction. Each is brought into the base's partitioning
 * first, by the engine and with the rules of obkv-split apply, so that the base's files can be reused as on any other night. The
 * copies are temporary: they lie below --temp-dir or the output until the merge has read them. */
#include "cmd/common/input_watch.h"
#include "cmd/common/target.h"
#include "cmd/compact/moved_inputs.h"

#include "base/fd.h"
#include "base/fs.h"
#include "base/temp_dir.h"
#include "dataset/manifest_order.h"
#include "engine/build_run.h"
#include "hfile/hfile_writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- progress: reading and writing all such inputs are one phase ---- */

struct moving {
    const struct progress *outer;
    uint64_t before, of, all; /* bytes: of earlier inputs, of this one, of all */
};

static void report_moving(void *arg, const char *phase, uint64_t done, uint64_t total) {
    const struct moving *m = arg;
    if (progress_is_aside(phase)) {
        m->outer->report(m->outer->arg, phase, done, total);
        return;
    }
    double share = !total ? 0 : done < total ? (double)done / (double)total : 1;
    double half = strcmp(phase, "read") ? 1 : 0;
    m->outer->report(m->outer->arg, "repartition", m->before + (uint64_t)((double)m->of * (half + share) / 2), m->all);
}

/* ---- one input ---- */

static uint64_t file_bytes_of(const struct manifest *m) {
    uint64_t bytes = 0;
    for (size_t k = 0; k < m->n_files; k++) bytes += m->files[k].file_bytes;
    return bytes;
}

/* Copies the results of reading back to the list that the manifest names. */
static void return_results(const struct input *from, struct input *to, size_t n) {
    for (size_t k = 0; k < n; k++) {
        uint32_t group = to[k].group;
        to[k] = from[k];
        to[k].group = group;
    }
}

static struct output_opts output_for(const struct output_opts *output, const char *dir) {
    struct output_opts o = *output;
    o.dir = dir;
    o.hfile.codec = hfile_write_defaults().codec; /* read once, and soon: what packs quickly */
    o.hfile.bloom = HFILE_BLOOM_NONE;
    o.by_family = NULL;
    o.n_by_family = 0;
    return o;
}

static int write_moved(struct target *target, const struct moved_plan *plan, struct reject_log *rejects, struct input *files,
                       size_t n, const struct job *job, const struct output_opts *output, struct build_result *r,
                       struct err *err) {
    const struct reject_limit judged_later = {.percent = 100};
    struct input_list read = {.inputs = files, .n = (uint32_t)n};
    struct build_opts b = {.job = job,
                           .inputs = files,
                           .n_inputs = (uint32_t)n,
                           .n_groups = 1,
                           .read = *plan->read,
                           .placement = target->placement,
                           .rejects = rejects,
                           .reject_limit = &judged_later,
                           .tie = TIE_BY_SEQUENCE,
                           .output = *output};
    b.read.temp_dir = job->temp_dir;
    reject_log_begin_list(rejects);
    return build_run(&b, r, err) || input_list_check_cells(&read, err) ? -1 : 0;
}

/* The copy as an input of the merge. */
static int list_moved(struct environment *env, struct target *target, struct moved_input *m, const char *dir, uint32_t group,
                      struct err *err) {
    m->m = (struct manifest){.table = target->table, .files = m->result.files.files, .n_files = m->result.files.n};
    manifest_order_make(&m->m);
    m->files = calloc(m->m.n_files + 1, sizeof *m->files);
    if (!m->files) return err_nomem(err, m->m.n_files * sizeof *m->files, "the list of inputs");
    for (size_t k = 0; k < m->m.n_files; k++) {
        const struct manifest_file *f = &m->m.files[k];
        m->files[k] = (struct input){
            .path = fs_join(dir, f->path, err), .format_name = "hfile", .group = group, .file_bytes = f->file_bytes};
        if (!m->files[k].path) return -1;
        m->resident += sizeof *f + sizeof *m->files + 2 * strlen(m->files[k].path) + f->first_row.n + f->last_row.n;
    }
    env->job.resident_bytes += m->resident;
    return 0;
}

/* Reading changes what it is given: it gets a copy of the list. */
static int move_one(struct environment *env, struct target *target, struct input *files, size_t n, const struct moving *at,
                    const struct moved_plan *plan, struct reject_log *rejects, struct moved_input *m, const char *dir,
                    struct err *err) {
    struct job job = env->job;
    const struct output_opts output = output_for(plan->output, dir);
    struct input *copy = calloc(n + 1, sizeof *copy);
    if (!copy) return err_nomem(err, n * sizeof *copy, "the list of inputs");
    if (n) memcpy(copy, files, n * sizeof *copy);
    for (size_t k = 0; k < n; k++) copy[k].group = 0;
    if (job.progress.report) job.progress = (struct progress){report_moving, (void *)at};
    int rc = fs_mkdirs(dir, err) || write_moved(target, plan, rejects, copy, n, &job, &output, &m->result, err) ? -1 : 0;
    if (!rc) return_results(copy, files, n);
    free(copy);
    return rc;
}

/* ---- all of them ---- */

/* Records of the whole run, for a limit in percent: those of the other inputs are the cells of their manifests. */
static uint64_t records_of(const struct moved_plan *plan) {
    uint64_t cells = 0;
    for (uint32_t i = 0; i < plan->n; i++)
        for (size_t k = 0; k < plan->inputs[i].manifest->n_files; k++) cells += plan->inputs[i].manifest->files[k].tally.cells;
    return cells;
}

static int move_all(struct environment *env, struct target *target, const struct moved_plan *plan, struct moved_inputs *out,
                    struct err *err) {
    struct moving at = {.outer = &env->job.progress};
    for (uint32_t i = 0; i < plan->n; i++)
        if (plan->moves[i]) at.all += file_bytes_of(plan->inputs[i].manifest);
    for (uint32_t i = 0; i < plan->n; i++) {
        size_t n = plan->inputs[i].manifest->n_files;
        struct moved_input *m = &out->of[i];
        if (!plan->moves[i]) continue;
        char *dir = fs_printf(err, "%s/%u", out->dir, i);
        at.of = file_bytes_of(plan->inputs[i].manifest);
        m->moved = true;
        int rc = dir ? move_one(env, target, plan->inputs[i].files, n, &at, plan, out->rejects, m, dir, err) : -1;
        if (!rc) rc = list_moved(env, target, m, dir, i, err);
        free(dir);
        if (rc) return -1;
        ledger_add(&out->sum, &m->result.ledger);
        if (reject_limit_check(plan->reject_limit, out->rejects, out->sum.records_rejected, records_of(plan), err)) return -1;
        at.before += at.of;
        out->n_moved++;
        out->temp_bytes += file_bytes_of(&m->m);
        out->rows_client_misplaces += m->result.rows_client_misplaces;
    }
    return 0;
}

int moved_inputs_make(struct environment *env, struct target *target, const struct moved_plan *plan, struct moved_inputs *out,
                      struct err *err) {
    const struct reject_limit any = {.percent = 100};
    bool some = false;
    for (uint32_t i = 0; i < plan->n; i++) some |= plan->moves[i];
    if (!some) return 0;
    if (!env->job.temp_dir) environment_temp_elsewhere(env); /* a dry run has no output */
    out->rejects = plan->rejects ? plan->rejects : (out->own_rejects = reject_log_new(&any, NULL, NULL, err));
    if (!out->rejects) return -1;
    out->n = plan->n;
    out->of = calloc(plan->n, sizeof *out->of);
    if (!out->of) return err_nomem(err, plan->n * sizeof *out->of, "the list of inputs");
    return temp_dir_make(env->job.temp_dir, "repartitioned", &out->dir, &out->fd, err) ? -1
                                                                                       : move_all(env, target, plan, out, err);
}

void moved_inputs_count(const struct moved_inputs *m, struct build_result *r) {
    const struct ledger *sum = &m->sum;
    r->ledger.records_read += sum->records_read - sum->records_accepted;
    r->ledger.records_rejected += sum->records_rejected;
    r->ledger.records_skipped += sum->records_skipped;
    tally_add(&r->ledger.in, sum->rejected);
    tally_add(&r->ledger.rejected, sum->rejected);
    r->rows_client_misplaces += m->rows_client_misplaces;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct sorter_stats *sort = &m->of[i].result.sort;
        r->sort.spilled_bytes += sort->spilled_bytes;
        r->sort.rounds += sort->rounds;
        r->sort.merge_passes += sort->merge_passes;
    }
}

static void free_one(struct environment *env, struct moved_input *m) {
    if (!m->moved) return;
    for (size_t k = 0; m->files && k < m->m.n_files; k++) free((char *)(uintptr_t)m->files[k].path);
    for (size_t k = 0; k < m->result.files.n; k++) disk_quota_give(&env->quota, m->result.files.files[k].file_bytes);
    free(m->files);
    build_result_free(&m->result);
    env->job.resident_bytes -= m->resident;
}

int moved_inputs_free(struct environment *env, struct moved_inputs *m, struct err *err) {
    int rc = m->dir ? fs_remove_tree(m->dir, err) : 0;
    for (uint32_t i = 0; m->of && i < m->n; i++) free_one(env, &m->of[i]);
    if (m->dir) fd_close(m->fd);
    reject_log_free(m->own_rejects);
    m->rejects = m->own_rejects = NULL;
    free(m->of);
    free(m->dir);
    m->of = NULL;
    m->dir = NULL;
    return rc;
}
