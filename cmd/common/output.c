/* The output directory of a run. Before the work: is it finished already, with these settings and inputs? Settings are everything
 * that decides the bytes written, and nothing else. After it: the manifest, and all files under their final names. */
#include "cmd/common/input_list.h"
#include "cmd/common/input_packs.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/opt_value.h"
#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/common/output_settings.h"
#include "cmd/common/target.h"

#include "base/remote.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/stretch_sum.h"
#include "cmd/common/output.h"
#include "cmd/common/warnings.h"
#include "cmd/common/write_options.h"
#include "dataset/dataset_open.h"
#include "dataset/dataset_publish.h"
#include "engine/file_rules.h"
#include "engine/input_reader.h"
#include "engine/memory_plan.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int sum_cells(struct environment *env, const char *path, const struct hfile_view *view, struct tally *t, struct err *err) {
    struct hfile *h = stop_check(&env->stop, err) ? NULL : hfile_open(path, job_block_limit(&env->job, 1), err);
    struct hfile_scan_opts o = {.tally = t, .start_row = view->start_row, .stop_row = view->stop_row};
    struct source *scan = h ? hfile_scan_open(h, &o, err) : NULL;
    struct row_part part;
    int more = -1;
    while (scan && (more = source_next(scan, &part, err)) == 1) {
    }
    source_close(scan);
    hfile_close(h);
    return more;
}

/* The time of change differs, the size does not: did the content? Text has a checksum of its bytes; HFiles are compared by
 * the digest of their cells. */
static int same_content(struct environment *env, const struct input *in, const struct manifest_input *old, bool *same,
                        struct err *err) {
    char hex[17];
    struct tally t = {0};
    if (old->checksum[0] && !in->files) {
        if (old->by_stretches ? stretch_sum_of(in->path, hex, err) : file_sum_of(in->path, hex, err)) return -1;
        *same = !strcmp(hex, old->checksum);
        return 0;
    }
    bool cells = in->files ? !in->files->packed : !strcmp(old->format, "hfile") || !strcmp(old->format, "dataset");
    if (!cells) { /* an archive; a checksum of a kind that is not known */
        *same = false;
        return 0;
    }
    const struct hfile_view rows = {.start_row = in->start_row, .stop_row = in->stop_row};
    int rc = in->files ? 0 : sum_cells(env, in->path, &rows, &t, err);
    for (size_t i = 0; !rc && in->files && i < in->files->n; i++) {
        struct hfile_view view;
        const char *path = in->files->at(in->files->arg, i, &view);
        rc = sum_cells(env, path, &view, &t, err);
    }
    *same = t.cells == old->tally.cells && digest_eq(t.digest, old->tally.digest);
    return rc;
}

/* Sizes and times as they are now; those of a store were read when it was listed. */
static bool size_now(const struct input *in, struct input *now) {
    struct err none = {0};
    *now = *in;
    return in->files || (strcmp(in->path, "-") && !input_stat(now, &none));
}

/* The time of change alone can be set: other bytes of the same length may have it, too. The time of the inode cannot; it changes
 * with names and links as well, and content is read then. Files of datasets get links by compactions, and have manifests. */
static bool same_times(const struct input *in, const struct input *now, const struct manifest_input *old) {
    if (now->mtime_ns != old->mtime_ns || (in->files && strcmp(in->checksum, old->checksum))) return false;
    return in->in_manifest || remote_name(in->path) || now->ctime_ns == old->ctime_ns;
}

static int same_input(struct environment *env, const struct input_list *l, const struct input *in,
                      const struct manifest_input *old, bool *same, struct err *err) {
    struct input now;
    char *path = input_full_path(l, in, err);
    if (!path) return -1;
    int rc = 0;
    *same = size_now(in, &now) && !strcmp(path, old->path) && now.file_bytes == old->file_bytes;
    if (*same && !same_times(in, &now, old)) rc = same_content(env, in, old, same, err);
    free(path);
    return rc;
}

/* 1 same run, 0 another one. *what: the first thing that differs. */
static int same_run(struct environment *env, struct output *output, const struct manifest *m, const struct input_list *in,
                    const char **what, struct err *err) {
    *what = "settings";
    if (!json_equal(output->settings, m->settings)) return 0;
    *what = "inputs";
    if (input_packs_named(in) != m->n_inputs) return 0;
    const struct manifest_shard none = {0}, *mine = output->shard ? output->shard : &none;
    if (mine->number != m->shard.number || mine->of != m->shard.of || strcmp(mine->listing, m->shard.listing)) return 0;
    if ((output->share ? output->share->number : 0) != m->share.number || (output->share ? output->share->of : 0) != m->share.of)
        return 0;
    for (uint32_t i = 0; i < input_packs_named(in); i++) {
        bool same;
        if (same_input(env, in, input_packs_name(in, i), &m->inputs[i], &same, err)) return -1;
        if (!same) return 0;
    }
    return 1;
}

/* A dataset that lost files can be replaced like any other; one without a readable manifest could not be cleared away. */
static int may_replace_damaged(struct environment *env, struct err *err) {
    struct manifest m;
    struct err unreadable = {0};
    if (err->code != ERR_INPUT) return -1;
    if (manifest_load(env->o.out.dir, &m, &unreadable))
        return err_prefix(err, "%s holds a dataset that cannot be read; choose another output directory, or empty it",
                          env->o.out.dir);
    manifest_free(&m);
    if (!env->o.out.overwrite)
        return err_prefix(err, "%s holds a damaged dataset; give --overwrite to replace it, or another output directory",
                          env->o.out.dir);
    report_warn(&env->reporter, WARN_OUTPUT_DAMAGED, 1, "replacing %s, which is damaged: %s", env->o.out.dir, err->text);
    *err = (struct err){0};
    return 0;
}

int output_refuse_finished(const struct environment *env, const char *what, const json_t *made, const json_t *asked,
                           struct err *err) {
    struct buf how = {0};
    if (!made || !manifest_put_differences(&how, made, asked, err))
        err_set(err, ERR_USAGE,
                "%s is finished, but was made with other %s%s%s; give --overwrite to replace it, or another output directory",
                env->o.out.dir, what, how.n ? ": " : "", how.n ? (const char *)how.p : "");
    buf_free(&how);
    return -1;
}

/* A finished output and an input that is gone: it is the input that is missing, whatever the output was made of. */
static int check_inputs_are_there(const struct environment *env, const struct input_list *in, struct err *err) {
    for (uint32_t i = 0; i < in->n; i++) {
        struct stat st;
        const char *path = in->inputs[i].path;
        if (!in->inputs[i].files && strcmp(path, "-") != 0 && stat(path, &st) && errno == ENOENT)
            return err_set(err, ERR_INPUT, "%s: no such file; %s is finished, but what it was made of cannot be compared with it",
                           path, env->o.out.dir);
    }
    return 0;
}

static int check_finished(struct environment *env, struct output *output, const struct input_list *in, bool *done, int *done_code,
                          struct err *err) {
    struct manifest m;
    const char *what;
    if (dataset_open_part(env->o.out.dir, &m, err)) return may_replace_damaged(env, err);
    int same = same_run(env, output, &m, in, &what, err);
    if (same == 1 && env->o.trust.sign_key) {
        const struct signed_list files = signature_list(&m);
        same = signature_is_by(&env->sign_key, env->o.out.dir, &files, &env->job, err);
        what = "signature";
    }
    if (same == 1 && report_strict_earlier(&env->reporter, env->o.out.dir, m.warnings, err)) same = -1;
    if (same == 1) {
        report_say(&env->reporter, "%s was finished with the same settings and inputs; nothing to do", env->o.out.dir);
        *done_code = output_success_code(&m.ledger);
        *done = true;
    }
    if (!same && !env->o.out.overwrite)
        same = check_inputs_are_there(env, in, err) ? -1 : output_refuse_finished(env, what, m.settings, output->settings, err);
    manifest_free(&m);
    return same < 0 ? -1 : 0;
}

static const char *report_dir(void *arg, struct err *err) {
    struct output *output = arg;
    return outdir_need_report(&output->out, err) ? NULL : output->out.report;
}

int output_begin(struct environment *env, struct output *output, enum outdir_state state, struct err *err) {
    bool cleaned;
    if (outdir_open(&output->out, env->o.out.dir, &cleaned, err)) return -1;
    output->out_open = true;
    env->unfinished = &output->out;
    if (state != OUTDIR_FINISHED && dataset_is(env->o.out.dir, err))
        return err_set(err, ERR_BUSY, "%s was finished by another run while this one began; try again", env->o.out.dir);
    if (!env->job.temp_dir) env->job.temp_dir = output->out.tmp;
    disk_need_begin(&env->need, output->out.path, env->job.temp_dir, env->job.threads);
    if (cleaned)
        report_say(&env->reporter, "%s held the files of an unfinished run; removed them, starting again", env->o.out.dir);
    return 0;
}

int output_open(struct environment *env, struct intake *intake, struct target *target, struct output *output, const char *command,
                const struct input_list *in, bool *done, int *done_code, struct err *err) {
    enum outdir_state state;
    *done = false;
    if (!env->o.out.dir || !env->o.out.dir[0]) return err_set(err, ERR_USAGE, "no output given; give -o DIR");
    if (env->o.write.like && !output->like.n) {
        struct input_opts example = environment_input_opts(env);
        if (like_read(env->o.write.like, &example, &output->like, err)) return -1;
    }
    output->settings = output_settings(env, intake, target, output, command);
    if (json_memory_check(err)) return -1;
    if (!output->settings) return err_set(err, ERR_USAGE, "options must be valid UTF-8");
    if (outdir_look(env->o.out.dir, &state, err)) return -1;
    if (state == OUTDIR_FINISHED && check_finished(env, output, in, done, done_code, err)) return -1;
    if (*done || env->o.out.dry_run) return 0;
    if (output_begin(env, output, state, err)) return -1;
    intake->rejects = reject_log_new(&intake->reject_limit, report_dir, output, err);
    if (intake->rejects) reject_log_name(intake->rejects, env->job.names);
    return intake->rejects ? 0 : -1;
}

/* ---- publication ---- */

static int list_inputs(struct manifest *m, const struct input_list *in, struct err *err) {
    const uint32_t n = input_packs_named(in);
    m->inputs = calloc((size_t)n + 1, sizeof *m->inputs);
    if (!m->inputs) return err_nomem(err, n * sizeof *m->inputs, "the manifest");
    for (uint32_t i = 0; i < n; i++) {
        const struct input *l = input_packs_name(in, i);
        const char *unread = l->files ? "hfile" : "dataset"; /* nothing in it; merged without reading it as an input */
        char *path = input_full_path(in, l, err);
        if (!path) return -1;
        struct manifest_input *made = &m->inputs[m->n_inputs++];
        *made = (struct manifest_input){.path = path,
                                        .format = l->format ? l->format->name : unread,
                                        .file_bytes = l->file_bytes,
                                        .mtime_ns = l->mtime_ns,
                                        .ctime_ns = l->in_manifest || remote_name(l->path) ? 0 : l->ctime_ns,
                                        .records = l->records,
                                        .earlier = l->earlier,
                                        .by_stretches = l->by_lines && l->checksum[0] && l->file_bytes > STRETCH_BYTES,
                                        .tally = l->tally};
        memcpy(made->checksum, l->checksum, sizeof made->checksum);
    }
    return 0;
}

int output_describe_rules(const struct target *target, struct buf *out, struct err *err) {
    for (uint32_t i = 0; i < target->table.n_families; i++) {
        if (buf_printf(out, err, "%s%s: ", i ? "; " : "", target->table.families[i].name)) return -1;
        if (rules_text_print(&target->table.families[i].rules, target->kind, out, err)) return -1;
    }
    return buf_put_byte(out, 0, err);
}

struct last_look {
    struct environment *env;
    struct output *output;
    const struct input_list *in;
};

static int sign_and_look(void *arg, const struct manifest *m, const char *text, struct err *err) {
    const struct last_look *l = arg;
    const struct signed_list files = signature_list(m);
    if (l->env->o.trust.sign_key &&
        signature_write(&l->env->sign_key, l->output->out.tmp, &files, NULL, 0, text, m->tool, &l->env->job, err))
        return -1;
    return input_watch_check(&l->in->watch, err);
}

int output_publish_manifest(struct environment *env, struct output *output, struct manifest *m, const struct input_list *in,
                            struct err *err) {
    struct last_look look = {env, output, in};
    const struct before_publish last = {sign_and_look, &look, output->elsewhere, env->o.trust.sign_key};
    return dataset_publish(&output->out, m, env->job.threads, &last, err);
}

int output_publish(struct environment *env, struct target *target, struct output *output, struct input_list *in,
                   struct build_result *r, bool compacted, const char *rules_before, struct err *err) {
    struct manifest m = {.settings = output->settings,
                         .now_ms = env->job.now_ms,
                         .now_given = env->o.resources.now_given,
                         .kind = target->holds,
                         .table = target->table,
                         .ledger = r->ledger,
                         .pending = output->pending,
                         .n_pending = output->n_pending,
                         .files = r->files.files,
                         .n_files = r->files.n,
                         .packs = r->files.packs,
                         .n_packs = r->files.n_packs};
    struct buf rules = {0};
    int rc = -1;
    if (output->shard) m.shard = *output->shard;
    if (output->share) m.share = *output->share;
    m.share.counts = r->files.counts;
    if (stop_check(&env->stop, err) || ledger_check(&r->ledger, err) || input_watch_check(&in->watch, err)) return -1;
    if (target->open_families && manifest_sort_families(&m, err)) return -1;
    if (compacted ? output_describe_rules(target, &rules, err)
                  : rules_before && buf_put(&rules, rules_before, strlen(rules_before) + 1, err))
        goto out;
    m.rules = (char *)rules.p;
    m.tool = fs_printf(err, "%s %s", env->about->name, obkv_version);
    if (!m.tool || list_inputs(&m, in, err) || input_list_forget(in, err)) goto out;
    if (report_warnings_counts(&env->reporter, &m.warnings, err)) goto out;
    rc = output_publish_manifest(env, output, &m, in, err);
out:
    for (size_t i = 0; i < m.n_inputs; i++) free(m.inputs[i].path);
    free(m.inputs);
    free(m.tool);
    json_decref(m.warnings);
    buf_free(&rules);
    return rc;
}

int output_success_code(const struct ledger *l) {
    return l->records_rejected || l->lost.places ? 3 : 0;
}

void output_close(struct environment *env, struct output *output, struct err *err) {
    environment_explain_full(env, output->out_open ? output->out.path : NULL, err);
    like_free(&output->like);
    free(output->writers);
    json_decref(output->settings);
    json_decref(output->own_settings);
    if (output->out_open && env->job.temp_dir == output->out.tmp) env->job.temp_dir = NULL; /* it goes with the directory */
    if (output->out_open) outdir_close(&output->out);
    env->unfinished = NULL;
}
