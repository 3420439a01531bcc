/* A session: what every run of a program begins with. Options become limits, reporter, stop request and the way inputs are read;
 * session_close ends all of it. The table is in session_table.c, the output directory in session_output.c. */
#include "cmd/common/opt.h"
#include "cmd/common/opt_given.h"
#include "cmd/common/path_patterns.h"
#include "cmd/common/selection_options.h"
#include "cmd/common/session.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/fs.h"
#include "base/threads.h"
#include "cmd/common/inputs.h"
#include "cmd/common/signs.h"
#include "cmd/common/table_options.h"
#include "cmd/common/warnings.h"
#include "cmd/common/write_options.h"
#include "dataset/dataset_open.h"
#include "engine/memory_plan.h"
#include "formats/formats.h"
#include "formats/mapping/mapping_tables.h"
#include "formats/remote/remote_mount.h"
#include "select/selection_make.h"
#include "table/placement.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int parse_on_damage(const char *text, enum on_damage *out, struct err *err) {
    static const char *const names[] = {
        [DAMAGE_FAILS] = "fail", [DAMAGE_SKIPS_BLOCK] = "skip-block", [DAMAGE_SKIPS_FILE] = "skip-file"};
    for (size_t i = 0; text && i < countof(names); i++)
        if (!strcmp(text, names[i])) {
            *out = (enum on_damage)i;
            return 0;
        }
    return text ? err_set(err, ERR_USAGE, "--on-damage '%s': expected fail, skip-block or skip-file", text) : 0;
}

static int parse_unit(const char *text, enum time_unit *out, struct err *err) {
    static const char *const names[] = {[TIME_MS] = "ms", [TIME_S] = "s", [TIME_US] = "us", [TIME_NS] = "ns"};
    for (size_t i = 0; text && i < countof(names); i++)
        if (!strcmp(text, names[i])) {
            *out = (enum time_unit)i;
            return 0;
        }
    return text ? err_set(err, ERR_USAGE, "--timestamp-unit '%s': expected s, ms, us or ns", text) : 0;
}

/* Spilling may begin after hours: a directory that cannot be used is reported before. */
static int check_temp_dir(const char *dir, struct err *err) {
    struct stat st;
    if (!dir) return 0;
    if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode)) return err_set(err, ERR_OUTPUT, "--temp-dir %s: not a directory", dir);
    return access(dir, W_OK | X_OK) ? err_sys(err, ERR_OUTPUT, errno, "--temp-dir %s", dir) : 0;
}

/* The output directory is made before they are. */
static bool lies_in_output(const struct options *o, const char *path) {
    size_t n = o->out.dir ? strlen(o->out.dir) : 0;
    return n && !strncmp(path, o->out.dir, n) && (path[n] == '/' || path[n - 1] == '/');
}

static int check_later_file(const struct options *o, const char *option, const char *path, struct err *err) {
    if (!strcmp(path, "-") || lies_in_output(o, path)) return 0;
    return fs_check_replace(path, err) ? err_prefix(err, "--%s", option) : 0;
}

/* Returns, before any work, how many threads can be started: where a limit lets fewer start, those do it. */
static unsigned start_threads(struct environment *env) {
    unsigned wanted = (unsigned)env->o.resources.threads, have = threads_available(wanted);
    if (have < wanted) report_note(&env->reporter, "only %u of %u threads can be started on this system", have, wanted);
    return have;
}

/* Refuses an output directory that was not meant as one: `-` where nothing is printed, and an option after -o. */
static int check_output(const char *dir, bool prints, struct err *err) {
    if (!dir || dir[0] != '-' || (prints && !dir[1])) return 0;
    if (!dir[1]) return err_set(err, ERR_USAGE, "-o -: a dataset is a directory and cannot be printed; give -o DIR");
    return err_set(err, ERR_USAGE, "-o %s: an option where a directory is expected; a directory of this name is ./%s", dir, dir);
}

static int check_paths(const struct environment *env, struct err *err) {
    const struct options *o = &env->o;
    if (check_output(o->out.dir, !strcmp(env->about->name, "obkv-export"), err) || local_path_check(o->out.dir, true, err))
        return -1;
    for (int i = 0; i < o->n_inputs; i++)
        if (!o->inputs[i][0]) return err_set(err, ERR_USAGE, "input %d has no name; is a variable of a script empty?", i + 1);
    for (int i = 0; i < o->n_inputs; i++)
        if (!remote_inputs_take(o, o->inputs[i]) && local_path_check(o->inputs[i], false, err)) return -1;
    return 0;
}

static int expand_inputs(struct environment *env, struct intake *intake, struct err *err) {
    if (remote_inputs_open(&intake->remote, &env->o, &env->stop, &env->unpacked, err)) {
        path_names_in_error(&env->unpacked, err);
        return -1;
    }
    if (intake->remote.mount) env->o.inputs = intake->remote.paths;
    const struct job job = {.memory_bytes = env->o.resources.memory};
    intake->patterns.room = memory_room(&job, MEMORY_INPUT_LISTS);
    if (path_patterns_expand(&intake->patterns, env->o.inputs, env->o.n_inputs, err)) return -1;
    if (intake->patterns.n) {
        env->o.inputs = intake->patterns.paths;
        env->o.n_inputs = intake->patterns.n;
    }
    return 0;
}

/* Shows where options come from that are not on the command line. */
static void show_setting(void *arg, const char *option, const char *from) {
    report_say(arg, "%s is from %s", option, from);
}

int session_open(struct session *s, const struct tool_about *about, int argc, char **argv, bool *done, struct err *err) {
    *s = (struct session){.env = {.about = about, .stop = {-1}, .started = clock_steady()}, .output.out.lock_fd = -1};
    enum opt_result result;
    if (opt_parse(about, argc, argv, &s->env.o, &result, err)) return -1;
    s->env.o.in.archive.include = s->env.o.in.include.item;
    s->env.o.in.archive.n_include = s->env.o.in.include.n;
    s->env.o.in.archive.exclude = s->env.o.in.exclude.item;
    s->env.o.in.archive.n_exclude = s->env.o.in.exclude.n;
    *done = result == OPT_DONE;
    if (*done) return 0;
    if (reporter_init(&s->env.reporter, about, &s->env.o, err) || check_paths(&s->env, err) || stop_init(&s->env.stop, err) ||
        expand_inputs(&s->env, &s->intake, err))
        return -1;
    s->env.reporter.names = &s->env.unpacked;
    if (s->env.o.out.dry_run || s->env.o.messages.verbose) opt_settings(&s->env.o, show_setting, &s->env.reporter);
    s->env.quota.limit_bytes = s->env.o.resources.disk_limit;
    s->env.job = (struct job){.stop = &s->env.stop,
                              .progress = disk_need_watch(&s->env.need, reporter_progress(&s->env.reporter), &s->env.quota),
                              .memory_bytes = s->env.o.resources.memory,
                              .threads = start_threads(&s->env),
                              .temp_dir = s->env.o.resources.temp_dir,
                              .quota = &s->env.quota,
                              .names = &s->env.unpacked,
                              .resident_bytes = s->intake.remote.mount ? remote_mount_memory(s->intake.remote.mount) : 0,
                              .max_cell_bytes = s->env.o.write.max_cell_size,
                              .now_ms = s->env.o.resources.now_given ? s->env.o.resources.now_ms : clock_now_ms()};
    if (check_temp_dir(s->env.o.resources.temp_dir, err) || opt_check_later(&s->env.o, check_later_file, err) ||
        rule_options_keep_seq(&s->env.o, &s->env.job.keep_seq_ms, err))
        return -1;
    if (parse_on_damage(s->env.o.out.on_damage, &s->intake.on_damage, err) ||
        parse_unit(s->env.o.in.timestamp_unit, &s->intake.timestamp_unit, err))
        return -1;
    if (s->env.o.trust.sign_key && minisign_read_secret(s->env.o.trust.sign_key, &s->output.sign_key, err))
        return err_prefix(err, "--sign-key");
    if (s->env.o.trust.signed_after_given && !s->env.o.trust.verify_keys.n)
        return err_set(err, ERR_USAGE, "--signed-after needs --verify-key: only a signature can prove its time");
    if (column_options_check(&s->env.o, err)) return -1;
    if (column_options_dialect(&s->env.o, &s->intake.dialect, err)) return -1;
    if (s->env.o.in.map && !(s->intake.mapping = column_options_mapping(&s->env.o, err))) return -1;
    if (s->intake.mapping) s->env.job.resident_bytes += mapping_tables_bytes(s->intake.mapping);
    if (s->intake.mapping) report_warnings(&s->env.reporter, &s->intake.mapping->warnings);
    session_warn_options(&s->env);
    if (selection_options_make(&s->env.o.selection, &s->intake.selection, err)) return -1;
    return reject_limit_parse(s->env.o.out.max_rejects, &s->intake.reject_limit, err);
}

void session_begin_part(struct session *s, const struct session *whole) {
    *s = *whole;
    s->env.job.stop = &s->env.stop;
    s->env.job.quota = &s->env.quota;
    s->env.job.progress = disk_need_watch(&s->env.need, whole->env.need.shown, &s->env.quota);
    reporter_begin_part(&s->env.reporter);
    s->env.started = clock_steady();
}

void session_explain_full(const struct environment *env, const struct output *output, struct err *err) {
    const struct {
        const char *path, *remedy;
    } places[] = {{env->o.out.dir, "choose another -o"},
                  {env->o.spread.html, "choose another --html"},
                  {temp_dir_of(env->job.temp_dir), "give --temp-dir on another disk"}};
    disk_need_explain(&env->need, output->out_open ? output->out.path : NULL, temp_dir_of(env->job.temp_dir), err);
    for (unsigned i = 0; i < countof(places); i++)
        if (places[i].path && strstr(err->text, places[i].path)) disk_need_explain_now(places[i].path, places[i].remedy, err);
}

void session_end_part(struct session *s) {
    like_free(&s->output.like);
    free(s->output.writers);
    reject_log_free(s->intake.rejects);
    placement_free(s->target.placement);
    table_free(&s->target.table);
    buf_free(&s->intake.input_warnings);
    if (s->intake.wal.is_open) session_wal_close(&s->intake.wal);
    buf_free(&s->intake.first_header.path);
    buf_free(&s->intake.first_header.names);
    reporter_free(&s->env.reporter);
    json_decref(s->output.settings);
    json_decref(s->output.own_settings);
    if (s->output.out_open) outdir_close(&s->output.out);
}

void session_abandon(struct session *s) {
    if (s->output.out_open) outdir_close(&s->output.out);
}

void session_close(struct session *s) {
    reporter_end_progress(&s->env.reporter, false);
    session_end_part(s);
    fd_close(s->env.stop.fd);
    minisign_wipe(&s->output.sign_key);
    mapping_free(s->intake.mapping);
    if (s->intake.remote.mount)
        report_note(&s->env.reporter, "from servers: %llu bytes in %llu requests, %llu of them repeated",
                    (unsigned long long)remote_mount_bytes(s->intake.remote.mount),
                    (unsigned long long)remote_mount_requests(s->intake.remote.mount),
                    (unsigned long long)remote_mount_retries(s->intake.remote.mount));
    remote_inputs_close(&s->intake.remote);
    path_names_free(&s->env.unpacked);
    path_patterns_free(&s->intake.patterns);
    selection_free(s->intake.selection);
    json_decref(s->intake.families);
    opt_free(&s->env.o);
}

struct input_opts session_input_opts(struct environment *env) {
    return (struct input_opts){.job = &env->job,
                               .format = env->o.in.format,
                               .snapshot = env->o.in.snapshot,
                               .backup = env->o.in.backup,
                               .limits = &env->o.in.archive,
                               .output = env->o.out.dir};
}

int session_name_copies(struct environment *env, struct input_list *in, struct err *err) {
    const struct opt_list *staged = &env->o.in.staged;
    for (unsigned i = 0; i < staged->n; i++) {
        const char *dir = staged->item[i], *url = strchr(dir, '=');
        if (dir[0] != '/' || !url || url[-1] == '/' || !url[1])
            return err_set(err, ERR_USAGE, "--staged %s: expected /DIR=URL, both without a slash at the end", dir);
    }
    in->staged = staged->item;
    in->n_staged = staged->n;
    return 0;
}

int session_add_input(struct environment *env, struct input_list *in, const char *path, struct err *err) {
    struct input_opts o = session_input_opts(env);
    struct buf warnings = {0};
    if (session_name_copies(env, in, err)) return -1;
    if (memory_plan_floor(&env->job, err)) return -1;
    const uint64_t taken = in->room.taken, held = taken >> 20 << 20; /* less than a megabyte is within what every program takes */
    in->room = memory_room(&env->job, MEMORY_INPUT_LISTS);
    in->room.taken = taken;
    int rc = input_list_add_any(in, path, &o, &warnings, err);
    env->job.resident_bytes += (in->room.taken >> 20 << 20) - held;
    report_warnings(&env->reporter, &warnings);
    buf_free(&warnings);
    return rc;
}

int session_manifest_room(struct environment *env, uint64_t bytes, struct err *err) {
    const uint64_t taken = env->manifests.taken;
    env->manifests = memory_room(&env->job, MEMORY_MANIFESTS);
    env->manifests.taken = taken;
    return list_room_take(&env->manifests, bytes, DATASET_MANIFESTS, err);
}

int session_dataset_room(struct environment *env, const char *dir, struct err *err) {
    return session_manifest_room(env, 0, err) ? -1 : dataset_room(dir, &env->manifests, err);
}

int session_partition_room(const struct environment *env, struct err *err) {
    static const char *const files[] = {"range:", "ddl:"};
    struct list_room room = memory_room(&env->job, MEMORY_PARTITIONS);
    const char *path = env->o.table.ddl, *given = env->o.table.partition;
    for (size_t i = 0; given && !path && i < countof(files); i++)
        if (!strncmp(given, files[i], strlen(files[i]))) path = given + strlen(files[i]);
    char what[400];
    if (!path) return 0;
    snprintf(what, sizeof what, "%.300s: the definition of partitions takes", path);
    return list_room_take_file(&room, path, what, err);
}

struct read_opts session_read_opts(struct session *s) {
    return (struct read_opts){.formats = &formats_known,
                              .table = &s->target.table,
                              .open_families = s->target.open_families,
                              .keeps_latest = !s->env.o.in.timestamp_given,
                              .default_ts_ms = s->env.o.in.timestamp_given ? s->env.o.in.timestamp_ms : s->env.job.now_ms,
                              .temp_dir = s->env.job.temp_dir,
                              .quota = &s->env.quota,
                              .warnings = &s->intake.input_warnings,
                              .on_damage = s->intake.on_damage,
                              .stop = &s->env.stop,
                              .text = {.columns = s->env.o.in.columns,
                                       .key = s->env.o.in.key,
                                       .mapping = s->intake.mapping,
                                       .dialect = &s->intake.dialect,
                                       .set = s->intake.texts.n ? &s->intake.texts : NULL,
                                       .skip_empty = s->env.o.in.skip_empty,
                                       .unit = s->intake.timestamp_unit,
                                       .first_header = &s->intake.first_header},
                              .archive = {.limits = &s->env.o.in.archive},
                              .selection = s->intake.selection,
                              .wal = s->intake.wal.is_open ? &s->intake.wal.run : NULL};
}

int session_note_texts(struct intake *intake, struct input_list *in, struct err *err) {
    if (!(in->in_order = calloc((size_t)in->n + 1, sizeof *in->in_order)))
        return err_nomem(err, in->n * sizeof *in->in_order, "the list of inputs");
    for (uint32_t i = 0; i < in->n; i++) in->in_order[i] = in->inputs[i].path;
    intake->texts = (struct text_set){in->in_order, in->n};
    return 0;
}

void session_warn_inputs(struct environment *env, struct intake *intake) {
    report_warnings(&env->reporter, &intake->input_warnings);
}

int session_warn_twice(struct environment *env, struct err *err) {
    struct buf warnings = {0};
    int rc = input_paths_warn_twice(env->o.inputs, (size_t)env->o.n_inputs, &warnings, err);
    report_warnings(&env->reporter, &warnings);
    buf_free(&warnings);
    return rc;
}

/* The families of the table, and of the example those that may yet be found in the inputs. */
static int make_writers(struct target *target, struct output *output, const struct write_env *env, uint32_t *n, struct err *err) {
    uint32_t most = target->table.n_families + (target->open_families ? (uint32_t)output->like.n : 0);
    free(output->writers);
    output->writers = calloc((size_t)most + 1, sizeof *output->writers);
    if (!output->writers) return err_nomem(err, most * sizeof *output->writers, "settings of families");
    for (uint32_t f = 0; f < most; f++) {
        bool found = f < target->table.n_families;
        const char *name = found ? target->table.families[f].name : output->like.families[f - target->table.n_families].name;
        if (!found && (!name[0] || table_family(&target->table, bytes_str(name)) >= 0)) continue;
        if (write_options_make(env, name, &output->writers[*n].hfile, err)) return -1;
        output->writers[(*n)++].name = name;
    }
    return 0;
}

/* Runs cannot be cut: there must be partitions enough to keep all threads busy. Each thread writes a file for each family. What
 * is signed is listed by file, and read once for each entry of the list. */
static bool suits_runs(const struct environment *env, const struct target *target) {
    enum { PARTITIONS_LEAST = 4, FAMILIES_MOST_IN_RUNS = 4 };
    const struct table *t = &target->table;
    return !target->open_families && t->n_families <= FAMILIES_MOST_IN_RUNS && !env->o.trust.sign_key &&
           (env->job.threads == 1 || t->partitioning.count >= PARTITIONS_LEAST * env->job.threads);
}

/* Files that are read once, soon, and then removed: compressing and encoding them costs more than it saves, unless the output is
 * to be small at any cost. No row is looked up in them. */
static void write_for_join(const struct environment *env, const struct target *target, struct output_opts *o) {
    struct hfile_write_opts *w = &o->hfile;
    bool dense = w->codec != HFILE_NONE && w->codec != HFILE_SNAPPY && w->codec != HFILE_LZ4;
    o->as_runs = !dense && suits_runs(env, target);
    w->codec = dense ? HFILE_LZ4 : HFILE_NONE;
    w->codec_level = 0;
    w->bloom = HFILE_BLOOM_NONE;
}

int session_store_opts(struct session *s, struct output_opts *o, struct err *err) {
    if (!s->env.o.write.target_file_size) return err_set(err, ERR_USAGE, "--target-file-size must not be 0");
    *o = (struct output_opts){
        .dir = s->output.out.tmp, .quota = &s->env.quota, .target_file_bytes = s->env.o.write.target_file_size};
    const struct write_env env = {&s->env.o, &s->output.like, &s->target.table, s->env.job.now_ms, s->env.about->name};
    if (write_options_make(&env, s->target.open_families ? "" : NULL, &o->hfile, err)) return -1;
    if (s->output.is_for_join) write_for_join(&s->env, &s->target, o);
    if (s->output.shard)
        o->hfile.seqs = true; /* the join orders cells by them, and is the one to leave them out (--keep-seq no) */
    if (s->output.like.n && make_writers(&s->target, &s->output, &env, &o->n_by_family, err)) return -1;
    o->by_family = s->output.writers;
    return 0;
}

int session_success_code(const struct ledger *l) {
    return l->records_rejected || l->lost.places ? 3 : 0;
}
