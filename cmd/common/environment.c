/* Makes the environment of a run: options become limits, the request to stop, the reporter and the job that the engine is
 * given. Parts of a run, such as the shards of an import, have one each, with the options of the whole but for some. */
#include "cmd/common/environment.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/fs.h"
#include "base/open_files.h"
#include "base/remote.h"
#include "base/threads.h"
#include "cmd/common/inputs.h"
#include "cmd/common/minisign.h"
#include "cmd/common/opt.h"
#include "cmd/common/opt_given.h"
#include "cmd/common/remote_inputs.h"
#include "cmd/common/signs.h"
#include "cmd/common/table_options.h"
#include "cmd/common/warnings.h"
#include "dataset/dataset_open.h"
#include "engine/memory_plan.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Raises the limit of open files, which merges of many inputs need. */
static void raise_open_files(struct reporter *r) {
    uint64_t was = open_files_raise();
    if (was)
        report_note(r, "open files: the soft limit of %llu was raised to the hard one, %llu", (unsigned long long)was,
                    (unsigned long long)open_files_limit());
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
    if (check_output(o->out.dir, !strcmp(env->about->name, "obkv-export"), err)) return -1;
    if (!remote_inputs_write(o, env->about->name) && local_path_check(o->out.dir, true, err)) return -1;
    for (int i = 0; i < o->n_inputs; i++)
        if (!o->inputs[i][0]) return err_set(err, ERR_USAGE, "input %d has no name; is a variable of a script empty?", i + 1);
    for (int i = 0; i < o->n_inputs; i++)
        if (!remote_inputs_take(o, o->inputs[i]) && local_path_check(o->inputs[i], false, err)) return -1;
    return 0;
}

/* Shows where options come from that are not on the command line. */
static void show_setting(void *arg, const char *option, const char *from) {
    report_say(arg, "%s is from %s", option, from);
}

int environment_open(struct environment *env, const struct tool_about *about, int argc, char **argv, bool *done,
                     struct err *err) {
    *env = (struct environment){.about = about, .stop = {-1}, .started = clock_steady()};
    enum opt_result result;
    struct options *o = &env->o;
    if (opt_parse(about, argc, argv, o, &result, err)) return -1;
    o->in.archive.names = o->in.files.item;
    o->in.archive.n_names = o->in.files.n;
    *done = result == OPT_DONE;
    if (*done) return 0;
    if (reporter_init(&env->reporter, about, o, err) || check_paths(env, err) || stop_init(&env->stop, err)) return -1;
    env->reporter.names = &env->unpacked;
    raise_open_files(&env->reporter);
    env->quota.limit_bytes = o->resources.disk_limit;
    env->job = (struct job){.stop = &env->stop,
                            .progress = disk_need_watch(&env->need, reporter_progress(&env->reporter), &env->quota),
                            .memory_bytes = o->resources.memory,
                            .threads = start_threads(env),
                            .temp_dir = o->resources.temp_dir,
                            .quota = &env->quota,
                            .names = &env->unpacked,
                            .max_cell_bytes = o->write.max_cell_size,
                            .now_ms = o->resources.now_given ? o->resources.now_ms : clock_now_ms()};
    return 0;
}

/* After the inputs are expanded, which may be on servers. */
int environment_check(struct environment *env, struct err *err) {
    const struct options *o = &env->o;
    if (o->out.dry_run || o->messages.verbose) opt_settings(o, show_setting, &env->reporter);
    if (check_temp_dir(o->resources.temp_dir, err) || opt_check_later(o, check_later_file, err) ||
        rule_options_keep_seq(o, &env->job.keep_seq_ms, err))
        return -1;
    if (o->trust.sign_key && minisign_read_secret(o->trust.sign_key, &env->sign_key, err)) return err_prefix(err, "sign-key");
    if (o->trust.signed_after_given && !o->trust.verify_keys.n)
        return err_set(err, ERR_USAGE, "--signed-after needs --verify-key: only a signature can prove its time");
    return 0;
}

void environment_begin_part(struct environment *part, const struct environment *whole) {
    *part = *whole;
    part->job.stop = &part->stop;
    part->job.quota = &part->quota;
    part->job.progress = disk_need_watch(&part->need, whole->need.shown, &part->quota);
    reporter_begin_part(&part->reporter);
    part->started = clock_steady();
}

void environment_end_part(struct environment *part, struct environment *whole) {
    whole->metrics = part->metrics;
    whole->metrics.table[0] = 0; /* of one part */
    reporter_free(&part->reporter);
}

void environment_explain_full(const struct environment *env, const char *output, struct err *err) {
    const struct {
        const char *path, *remedy;
    } places[] = {
        {env->o.out.dir, env->o.out.dir && remote_name(env->o.out.dir) ? "give --temp-dir on another disk" : "choose another -o"},
        {env->o.messages.html, "choose another --html"},
        {temp_dir_of(env->job.temp_dir), "give --temp-dir on another disk"}};
    disk_need_explain(&env->need, output, temp_dir_of(env->job.temp_dir), err);
    for (unsigned i = 0; i < countof(places); i++)
        if (places[i].path && strstr(err->text, places[i].path)) disk_need_explain_now(places[i].path, places[i].remedy, err);
}

void environment_close(struct environment *env) {
    fd_close(env->stop.fd);
    minisign_wipe(&env->sign_key);
    reporter_free(&env->reporter);
    path_names_free(&env->unpacked);
    opt_free(&env->o);
}

int environment_manifest_room(struct environment *env, uint64_t bytes, struct err *err) {
    const uint64_t taken = env->manifests.taken;
    env->manifests = memory_room(&env->job, MEMORY_MANIFESTS);
    env->manifests.taken = taken;
    return list_room_take(&env->manifests, bytes, DATASET_MANIFESTS, err);
}

int environment_dataset_room(struct environment *env, const char *dir, struct err *err) {
    return environment_manifest_room(env, 0, err) ? -1 : dataset_room(dir, &env->manifests, err);
}

void environment_temp_elsewhere(struct environment *env) {
    env->job.temp_dir = temp_dir_of(env->job.temp_dir);
    if (!env->need.output.known) disk_need_begin(&env->need, NULL, env->job.temp_dir, env->job.threads);
}

struct input_opts environment_input_opts(struct environment *env) {
    return (struct input_opts){.job = &env->job,
                               .format = env->o.in.format,
                               .snapshot = env->o.in.snapshot,
                               .backup = env->o.in.backup,
                               .limits = &env->o.in.archive,
                               .output = env->o.out.dir};
}
