/* A join: proves that all shards of one run are there (or all shares of their partitions), writes or links the files, and gives
 * the dataset the manifest of one run over all inputs: lists and ledgers are sums.
 *
 *     manifests --same run? all there?--> files: merged or linked --cells and digests as the ledgers say?--> published */
#include "cmd/common/input_list.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/join.h"

#include "base/buf.h"
#include "cmd/common/join_merge.h"
#include "cmd/common/output.h"
#include "cmd/common/shard_notes.h"
#include "cmd/common/target.h"
#include "cmd/common/shard_rejects.h"
#include "cmd/common/signs.h"
#include "cmd/common/summary.h"
#include "cmd/common/warnings.h"
#include "dataset/alike_manifests.h"
#include "dataset/dataset_open.h"
#include "dataset/manifest_shard.h"
#include "dataset/outdir.h"
#include "engine/build_run.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is joined ---- */

/* The parts are the shards that the caller has opened. */
static bool are_lent(const struct join_opts *o) {
    return o->opened && !o->shards;
}

static int open_part(struct join *j, size_t i, struct manifest *m, struct err *err) {
    const struct join_opts *o = j->o;
    if (!are_lent(o) && environment_dataset_room(j->env, o->dirs[i], err)) return -1;
    const struct dataset_files files = o->shares   ? (struct dataset_files){o->share - 1, o->shares}
                                       : o->staged ? DATASET_NO_FILES
                                                   : DATASET_ALL_FILES;
    if (!are_lent(o)) return dataset_open_files(o->dirs[i], files, &j->env->manifests, m, err);
    *m = o->opened[i];
    return 0;
}

/* Keeps once what all parts say alike, most of the text of small shards. Only the rest of the manifest stays in the room that its
 * text was given. */
static void share_with_first(struct join *j, struct manifest *m, uint64_t room_before) {
    const uint64_t kept = alike_manifests_lend(&j->parts[0], m);
    if (kept < j->env->manifests.taken - room_before) j->env->manifests.taken = room_before + kept;
}

/* Forgets the files of other shares: nobody reads them. */
static void keep_share(const struct join_opts *o, struct manifest *m) {
    struct err none = {0};
    size_t n = 0;
    for (size_t k = 0; k < m->n_files; k++)
        if (join_is_of_share(o, &m->files[k]))
            m->files[n++] = m->files[k];
        else
            manifest_file_free(&m->files[k]);
    m->n_files = n;
    if (n) (void)grow_to(&m->files, n, sizeof *m->files, "the list of files", &none); /* if not, it stays as long as it was */
}

static void free_parts(struct join *j) {
    for (size_t i = 0; j->parts && !are_lent(j->o) && i < j->o->n; i++) manifest_free(&j->parts[i]);
    free(j->parts);
}

static int open_parts(struct join *j, struct err *err) {
    const struct join_opts *o = j->o;
    if (intake_demand_signatures(j->env, o->dirs, (int)o->n, err)) return -1;
    j->parts = calloc(o->n + 1, sizeof *j->parts);
    j->names = calloc(o->n + 1, sizeof *j->names);
    if (!j->parts || !j->names) return err_nomem(err, o->n * sizeof *j->parts, "the list of inputs");
    for (size_t i = 0; i < o->n; i++) {
        struct manifest *m = &j->parts[i];
        const uint64_t room = j->env->manifests.taken;
        j->names[i] = o->dirs[i];
        if (open_part(j, i, m, err)) return -1;
        if (!are_lent(o) && m->shard.of && o->shares) keep_share(o, m);
        if (!are_lent(o)) share_with_first(j, m, room);
        if (!m->shard.of && !m->share.of)
            return err_set(err, ERR_USAGE, "%s is neither a shard (obkv-import --shard) nor a share of one (--partitions)",
                           o->dirs[i]);
    }
    j->of_shards = j->parts[0].shard.of;
    if (j->of_shards && manifest_shards_check(j->parts, j->names, o->n, err)) return -1;
    if (j->of_shards) return shards_check_rejects(j->parts, j->names, o->n, err);
    if (o->shares) return err_set(err, ERR_USAGE, "--partitions: %s is already a share; give shards", j->names[0]);
    return manifest_shares_check(j->parts, j->names, o->n, err);
}

/* Takes the table of the shards. Families of text and HFiles may be known by their cells only: each shard has those that it has
 * seen. */
static int take_table(struct join *j, struct target *target, struct err *err) {
    uint32_t first = j->parts[0].table.n_families;
    if (table_copy(&j->parts[0].table, &target->table, err)) return -1;
    for (size_t i = 1; i < j->o->n; i++) {
        if (!partitioning_eq(&target->table.partitioning, &j->parts[i].table.partitioning))
            return err_set(err, ERR_USAGE, "%s has another partitioning than %s; make both with the same options", j->names[i],
                           j->names[0]);
        if (target_add_families(j->env, target, &j->parts[i].table, err)) return -1;
    }
    target->open_families = target->table.n_families > first;
    return 0;
}

/* The manifest of one run, but for its files. */
static int take_whole(struct join *j, struct err *err) {
    struct manifest *first = &j->parts[0], *w = &j->whole;
    w->tool = strdup(first->tool);
    w->settings = json_incref(first->settings);
    w->now_ms = first->now_ms;
    w->now_given = first->now_given;
    w->kind = first->kind;
    if (!w->tool) return err_nomem(err, 0, "the manifest");
    if (!j->of_shards) {
        bool adds_up = first->share.adds_up;
        if (!adds_up) w->ledger = first->share.whole;
        for (size_t i = 0; adds_up && i < j->o->n; i++) ledger_add(&w->ledger, &j->parts[i].ledger);
        w->rules = first->rules;
        first->rules = NULL;
        w->inputs = first->inputs;
        w->n_inputs = first->n_inputs;
        for (size_t i = 0; i < j->o->n; i++)
            if (j->parts[i].inputs == w->inputs) j->parts[i].inputs = NULL;
        return 0;
    }
    for (size_t i = 0; i < j->o->n; i++) ledger_add(&w->ledger, &j->parts[i].ledger);
    return 0;
}

/* ---- what comes of it ---- */

/* Rows and cells of the shards must be in the files. A share has its own, beside what all of them must add up to. */
static int check_sums(struct join *j, struct err *err) {
    struct manifest *w = &j->whole;
    struct ledger all = w->ledger;
    struct tally made = {0};
    for (size_t i = 0; i < j->made.files.n; i++) tally_add(&made, j->made.files.files[i].tally);
    if (j->o->shares) {
        w->share =
            (struct manifest_share){.number = j->o->share, .of = j->o->shares, .whole = all, .counts = j->made.files.counts};
        w->ledger = j->made.ledger;
        return ledger_check(&all, err);
    }
    j->made.ledger = all;
    const struct tally *said = ledger_written(&all);
    if (made.cells == said->cells && digest_eq(made.digest, said->digest)) return ledger_check(&all, err);
    return err_set(err, ERR_INPUT, "the files hold %llu cells, the ledgers say %llu%s (%s)", (unsigned long long)made.cells,
                   (unsigned long long)said->cells, made.cells == said->cells ? " with another digest" : "",
                   j->o->opened ? "remove all shards to have them made again" : "run obkv-verify check");
}

static void take_warnings(struct environment *env, const json_t *warnings) {
    for (unsigned w = 0; w < WARNING_COUNT; w++) {
        json_int_t n = json_integer_value(json_object_get(warnings, warning_name((enum warning)w)));
        if (n > 0) env->reporter.warned.n[w] += (uint64_t)n;
    }
}

/* Repeats the warnings of the shards as those of their join. */
static int warn_of_shards(struct join *j, struct intake *intake, struct err *err) {
    if (j->o->opened) return shard_notes_warn(j->env, intake, j->o->opened, j->o->n_shards, &j->whole, err);
    size_t n = j->o->n_shards, opened = 0;
    struct manifest *m = calloc(n + 1, sizeof *m);
    int rc = m ? 0 : err_nomem(err, n * sizeof *m, "the list of inputs");
    while (!rc && opened < n) {
        rc = environment_dataset_room(j->env, j->o->shards[opened], err)
                 ? -1
                 : dataset_open_part(j->o->shards[opened], &m[opened], err);
        opened += !rc;
    }
    if (!rc) rc = shard_notes_warn(j->env, intake, m, n, &j->whole, err);
    while (opened) manifest_free(&m[--opened]);
    free(m);
    return rc;
}

/* Warnings that stop every run were accepted when what is joined was made: of files by the runs of shards, of what all inputs
 * hold by those of shares. */
static void accept_earlier(struct join *j) {
    struct reporter *r = &j->env->reporter;
    if (r->strict) return;
    r->allowed[WARN_EMPTY_FILE] = true;
    if (!j->of_shards) r->allowed[WARN_NOT_UTF8] = r->allowed[WARN_TIMESTAMP_UNIT] = true;
}

/* A share says what all shards have warned of; proportions show in the whole. */
static int warn_of_result(struct join *j, struct intake *intake, const struct target *target, struct err *err) {
    static const char import[] = "obkv-import ";
    intake->from_records = !strncmp(j->whole.tool, import, sizeof import - 1);
    for (size_t i = 0; i < j->whole.n_inputs; i++) intake->from_records &= summary_is_of_records(j->whole.inputs[i].format);
    const json_t *selection = json_object_get(j->whole.settings, "selection");
    if (j->of_shards && shard_notes_warn(j->env, intake, j->parts, j->o->n, &j->whole, err)) return -1;
    if (!j->of_shards && j->parts[0].share.adds_up) shard_notes_warn_shares(j->env, j->parts, j->o->n);
    if (!j->of_shards && j->o->shards && warn_of_shards(j, intake, err)) return -1;
    if (!j->of_shards && !j->o->shards && !j->parts[0].share.adds_up) take_warnings(j->env, j->parts[0].warnings);
    if (!j->o->shares) signs_warn_clock(j->env, target, j->whole.now_given, j->whole.now_ms, &j->made.files.counts);
    if (!j->o->shares) summary_warn_whole(j->env, intake, target, &j->made, selection);
    accept_earlier(j);
    return report_strict(&j->env->reporter, err);
}

static int publish_dataset(struct join *j, struct target *target, struct output *output, struct err *err) {
    struct manifest m = j->whole;
    m.table = target->table;
    m.files = j->made.files.files;
    m.n_files = j->made.files.n;
    int rc = stop_check(&j->env->stop, err) || report_warnings_counts(&j->env->reporter, &m.warnings, err) ? -1 : 0;
    if (!rc && target->open_families) rc = manifest_sort_families(&m, err);
    if (!rc) rc = output_publish_manifest(j->env, output, &m, &j->in, err);
    target->table = m.table;
    json_decref(m.warnings);
    return rc;
}

/* ---- the output ---- */

static bool is_same(const struct join *j, const struct manifest *m) {
    const struct manifest *w = &j->whole;
    if (strcmp(w->tool, m->tool) || !json_equal(w->settings, m->settings) || w->now_ms != m->now_ms ||
        w->n_inputs != m->n_inputs || m->share.of != j->o->shares || m->share.number != j->o->share || m->shard.of)
        return false;
    for (size_t i = 0; i < w->n_inputs; i++)
        if (strcmp(w->inputs[i].path, m->inputs[i].path) || w->inputs[i].mtime_ns != m->inputs[i].mtime_ns ||
            !digest_eq(w->inputs[i].tally.digest, m->inputs[i].tally.digest))
            return false;
    return true;
}

static int begin_output(struct join *j, struct output *output, bool *done, struct err *err) {
    enum outdir_state state;
    struct manifest old;
    *done = false;
    if (!j->env->o.out.dir || !j->env->o.out.dir[0]) return err_set(err, ERR_USAGE, "no output given; give -o DIR");
    if (outdir_look(j->env->o.out.dir, &state, err)) return -1;
    if (state == OUTDIR_FINISHED && !dataset_open_part(j->env->o.out.dir, &old, err)) {
        *done = is_same(j, &old);
        manifest_free(&old);
        if (*done)
            report_say(&j->env->reporter, "%s was finished with the same settings and inputs; nothing to do", j->env->o.out.dir);
    }
    if (*done) return 0;
    if (state == OUTDIR_FINISHED && !j->env->o.out.overwrite)
        return err->code ? -1 : output_refuse_finished(j->env, "inputs", NULL, NULL, err);
    *err = (struct err){0};
    return output_begin(j->env, output, state, err);
}

static int make_dataset(struct join *j, struct intake *intake, struct target *target, struct output *output, int *code,
                        struct err *err) {
    bool done;
    int rc = take_table(j, target, err);
    if (!rc) rc = take_whole(j, err);
    if (!rc && j->of_shards) rc = manifest_shards_inputs(j->parts, j->o->n, &j->whole, err);
    if (!rc) rc = begin_output(j, output, &done, err);
    if (rc) return -1;
    *code = output_success_code(&j->whole.ledger);
    j->dir = output->out.tmp;
    if (done) return environment_documents(j->env) ? summary_nothing(j->env, err) : 0;
    rc = j->of_shards ? join_merge(j, target, err) : join_link(j, target, err);
    rc = input_watch_end(&j->in.watch, rc, err);
    if (!rc) rc = check_sums(j, err);
    if (!rc) rc = warn_of_result(j, intake, target, err);
    if (!rc && j->of_shards && !j->o->shares) rc = shards_keep_reports(output, j->names, j->o->n, err);
    if (!rc && j->o->shards) rc = shards_keep_reports(output, (const char *const *)j->o->shards, j->o->n_shards, err);
    if (!rc) rc = publish_dataset(j, target, output, err);
    if (rc) return -1;
    j->in.groups = (uint32_t)(j->o->shards ? j->o->n_shards : j->o->n);
    return summary_print(j->env, target, output, "joined", &j->in, &j->made, NULL, err);
}

int join_run(struct environment *env, struct intake *intake, const struct join_opts *o, int *code, struct err *err) {
    struct target target = {0};
    struct output output = {.out.lock_fd = -1, .elsewhere = o->staged && !o->shares};
    struct join j = {.env = env, .o = o};
    int rc = o->staged ? intake_name_copies(env, &j.in, err) : 0;
    if (!rc) rc = o->n ? open_parts(&j, err) : err_set(err, ERR_USAGE, "no input given; give shards or shares");
    if (!rc) rc = make_dataset(&j, intake, &target, &output, code, err);
    free_parts(&j);
    for (size_t i = 0; !j.of_shards && i < j.whole.n_inputs; i++) free(j.whole.inputs[i].path);
    free(j.whole.inputs);
    free(j.whole.tool);
    free(j.whole.rules);
    json_decref(j.whole.settings);
    input_list_free(&j.in);
    build_result_free(&j.made);
    free(j.names);
    output_close(env, &output, err);
    target_close(env, &target);
    return rc;
}
