/* Files of shards and shares become files of the output. Shards are stretches of one list of inputs: merged in their order, cells
 * are ordered as one run ranks them, and written as it would write them. Shares are linked as they are. */
#include "base/link_file.h"
#include "cmd/common/environment.h"
#include "cmd/common/input_list.h"
#include "cmd/common/join.h"
#include "cmd/common/join_merge.h"
#include "cmd/common/opt_bytes.h"

#include "base/fs.h"
#include "cmd/common/write_options.h"
#include "cmd/common/target.h"
#include "engine/input_reader.h"
#include "engine/merge_datasets.h"

#include <stdlib.h>
#include <string.h>

/* ---- shards ---- */

/* As the shards were written, and as their program would say it. */
static int output_of(const struct join *j, const struct target *target, struct options *o, const char *tool,
                     struct output_opts *out, struct err *err) {
    const json_t *settings = j->whole.settings;
    const struct like none = {0};
    *o = j->env->o;
    opt_bytes_take(settings, &opt_cell_files, o);
    opt_bytes_take(settings, &opt_set_files, o);
    o->write.keep_seq = json_is_false(json_object_get(settings, "keep_seq")) ? "no" : "yes";
    *out = (struct output_opts){.dir = j->dir, .quota = &j->env->quota, .target_file_bytes = o->write.target_file_size};
    const struct write_env env = {o, &none, &target->table, j->whole.now_ms, tool};
    if (!o->write.codec || !o->write.encoding || !o->write.bloom || !out->target_file_bytes)
        return err_set(err, ERR_INPUT, "%s: the manifest does not say how its files were written", j->names[0]);
    return write_options_make(&env, NULL, &out->hfile, err);
}

/* The shards as a share sees them: with the files of its partitions. *files: the lists of all. */
static int pick_files(const struct join *j, struct manifest *views, struct manifest_file **files, struct err *err) {
    const struct join_opts *o = j->o;
    size_t all = 0, at = 0;
    for (size_t i = 0; i < o->n; i++) all += j->parts[i].n_files;
    *files = calloc(all + 1, sizeof **files);
    if (!*files) return err_nomem(err, all * sizeof **files, "the list of files");
    for (size_t i = 0; i < o->n; at += views[i++].n_files) {
        const struct manifest *m = &j->parts[i];
        views[i] = *m;
        views[i].files = *files + at;
        views[i].n_files = 0;
        for (size_t k = 0; k < m->n_files; k++)
            if (join_is_of_share(o, &m->files[k])) views[i].files[views[i].n_files++] = m->files[k];
    }
    return 0;
}

static int list_files(struct join *j, const struct manifest *views, struct merge_input *inputs, struct err *err) {
    size_t at = 0;
    for (size_t i = 0; i < j->o->n; i++)
        if (input_list_add_dataset(&j->in, j->names[i], &views[i], err)) return -1;
    for (uint32_t i = 0; i < j->in.n; i++) {
        struct input *in = &j->in.inputs[i];
        if (input_stat(in, err)) return -1;
        if (in->part.end) in->file_bytes = in->part.end - in->part.begin;
    }
    for (size_t i = 0; i < j->o->n; at += views[i++].n_files) inputs[i] = (struct merge_input){&views[i], j->in.inputs + at};
    return 0;
}

static int find_room(struct join *j, struct merge_datasets_opts *m, struct err *err) {
    if (!merge_datasets_room(m, &j->env->job))
        return err_set(err, ERR_LIMIT,
                       "not even two of %zu shards can be open at once: give more --memory, or raise the limit of "
                       "open files (ulimit -n)",
                       j->o->n);
    if (m->width) report_note(&j->env->reporter, "%zu shards are merged in levels, %zu at a time", j->o->n, m->width);
    return 0;
}

int join_merge(struct join *j, const struct target *target, struct err *err) {
    struct merge_input *inputs = calloc(j->o->n + 1, sizeof *inputs);
    struct manifest *views = calloc(j->o->n + 1, sizeof *views);
    struct manifest_file *files = NULL;
    char *tool = fs_printf(err, "%.*s", (int)strcspn(j->whole.tool, " "), j->whole.tool);
    struct options o;
    struct merge_datasets_opts m = {.job = &j->env->job,
                                    .inputs = inputs,
                                    .n_inputs = (uint32_t)j->o->n,
                                    .table = &target->table,
                                    .tie = TIE_BY_SEQUENCE,
                                    .keeps_all = true,
                                    .share = j->o->shares ? j->o->share - 1 : 0,
                                    .shares = j->o->shares};
    int rc = inputs && views && tool ? 0 : err_nomem(err, j->o->n * sizeof *inputs, "the list of inputs");
    if (!rc) rc = output_of(j, target, &o, tool, &m.output, err);
    if (!rc) rc = pick_files(j, views, &files, err);
    if (!rc) rc = list_files(j, views, inputs, err);
    if (!rc) rc = find_room(j, &m, err);
    if (!rc) rc = merge_datasets_run(&m, &j->made, err);
    free(inputs);
    free(views);
    free(files);
    free(tool);
    return rc;
}

/* ---- shares ---- */

static int link_one(struct join *j, const char *dir, struct manifest_file *f, struct err *err) {
    enum link_way way;
    char *from = fs_join(dir, f->path, err), *to = from ? fs_join(j->dir, f->path, err) : NULL;
    int rc = to ? link_file(from, to, &j->env->quota, &way, err) : -1;
    if (!rc && (rc = written_files_add(&j->made.files, f, err)) == 0) *f = (struct manifest_file){0};
    free(from);
    free(to);
    return rc;
}

/* Takes a file of a copy without files: who has staged it puts the files beside the manifest. */
static int name_one(struct join *j, struct manifest_file *f, struct err *err) {
    if (written_files_add(&j->made.files, f, err)) return -1;
    *f = (struct manifest_file){0};
    return 0;
}

int join_link(struct join *j, const struct target *target, struct err *err) {
    const bool staged = j->o->staged;
    written_files_init(&j->made.files);
    for (uint32_t i = 0; !staged && i < target->table.n_families; i++)
        if (make_family_directory(j->dir, target->table.families[i].name, err)) return -1;
    for (size_t i = 0; i < j->o->n; i++) {
        file_counts_add(&j->made.files.counts, &j->parts[i].share.counts);
        for (size_t k = 0; k < j->parts[i].n_files; k++)
            if (stop_check(&j->env->stop, err) ||
                (staged ? name_one(j, &j->parts[i].files[k], err) : link_one(j, j->names[i], &j->parts[i].files[k], err)))
                return -1;
    }
    return 0;
}
