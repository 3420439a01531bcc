/* obkv-import by shards. --shard I/N reads a part of the inputs, so that several machines import a table between them. --shards N
 * does the same on one machine, one after the other: a finished shard is a dataset with a manifest, so a run that was killed
 * resumes after the last of them, and temporary files are those of one shard. */
#include "cmd/common/environment.h"
#include "cmd/common/input_list.h"
#include "cmd/common/intake.h"
#include "cmd/common/output.h"
#include "cmd/common/result.h"
#include "cmd/common/shard_rejects.h"
#include "cmd/import/import.h"

#include "base/fd.h"
#include "base/fs.h"
#include "base/plain.h"
#include "base/remote.h"
#include "cmd/common/input_shard.h"
#include "cmd/common/output_text.h"
#include "cmd/import/import_finished.h"
#include "cmd/import/import_join.h"
#include "cmd/common/opt_value.h"
#include "cmd/import/import_shards.h"
#include "dataset/dataset_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int import_shards_check(const struct environment *env, const struct intake *intake, const char *option, struct err *err) {
    const struct options *o = &env->o;
    if (!o->resources.now_given) return err_set(err, ERR_USAGE, "--%s needs --now: the clock of all shards must be one", option);
    if (o->rules.compact)
        return err_set(err, ERR_USAGE,
                       "--%s: version rules need all cells of a row: leave --compact out, and compact what is joined", option);
    if (intake->on_damage != DAMAGE_FAILS)
        return err_set(err, ERR_USAGE, "--%s: --on-damage reports what is lost in one run only", option);
    if (o->write.like)
        return err_set(err, ERR_USAGE, "--%s: give --codec, --encoding and --set BLOOMFILTER instead of --like", option);
    if (o->wal.table || o->wal.after) return err_set(err, ERR_USAGE, "--%s: write-ahead logs are read by one run", option);
    return 0;
}

int import_shard_begin(struct environment *env, struct intake *intake, const struct read_opts *read, struct input_list *in,
                       struct manifest_shard *shard, struct err *err) {
    if (shard_number_parse("shards", import_shard_asked(&env->o), &shard->number, &shard->of, err) ||
        import_shards_check(env, intake, "shards", err) || input_list_cut(in, read, shard, err))
        return -1;
    shard_tolerate(&intake->reject_limit);
    struct import_finished *f = import_options(&env->o)->finished;
    return f ? import_finished_list(f, in, shard->first, err) : 0;
}

/* ---- one after the other ---- */

static int import_shard(struct environment *whole, struct intake *intake, import_one_fn *import_one, struct import_finished *f,
                        uint64_t i, char *dir, int *code, struct err *err) {
    struct environment env;
    struct intake part;
    struct import_options own = *import_options(&whole->o);
    char number[48];
    int mine = 0;
    snprintf(number, sizeof number, "%llu/%s", (unsigned long long)i, own.shards);
    own.shards = number;
    own.finished = i == 1 ? f : NULL;
    own.is_for_join = true;
    environment_begin_part(&env, whole);
    intake_begin_part(&part, intake);
    env.o.own = &own;
    env.o.out.dir = dir;
    report_say(&whole->reporter, "shard %s", number);
    int rc = import_one(&env, &part, &mine, err);
    environment_explain_full(&env, NULL, err);
    intake_end_part(&part);
    environment_end_part(&env, whole);
    if (mine > *code) *code = mine;
    return rc ? err_prefix(err, "shard %s", number) : 0;
}

/* Returns the directory of shards, beside OUT, so that finished shards outlive an OUT that is cleared away. */
static char *parent_of(const struct environment *env, struct err *err) {
    size_t length = strlen(env->o.out.dir);
    while (length > 1 && env->o.out.dir[length - 1] == '/') length--;
    return fs_printf(err, "%.*s.shards", (int)length, env->o.out.dir);
}

static int remove_shard(void *arg, const char *name, bool is_dir, struct err *err) {
    const char *number = strncmp(name, IMPORT_SHARE, strlen(IMPORT_SHARE)) ? name : name + strlen(IMPORT_SHARE);
    if (!is_dir || strlen(number) != 5 || strspn(number, "0123456789") != 5) return 0; /* not made here */
    char *path = fs_join(arg, name, err);
    int rc = path ? fs_remove_tree(path, err) : -1;
    free(path);
    return rc;
}

/* Removes the shards, which OUT needs no more. A run that was killed here left them to the next one. */
static int remove_shards(char *parent, struct err *err) {
    if (directory_each(parent, remove_shard, parent, err) < 0) return -1;
    if (rmdir(parent) == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST) return 0;
    return err_sys(err, ERR_OUTPUT, errno, "%s: cannot remove", parent);
}

/* Locks the directory of shards: as long as *fd is open, no other run works in there. A run that begins waits for none; one that
 * has made the directory, for those that only look. A file system that locks no directories has no lock. -1: no such directory
 * yet, or an error. */
static int lock_shards(const char *parent, unsigned waits, int *fd, struct err *err) {
    const struct timespec pause = {.tv_nsec = 20000000};
    *fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0) return errno == ENOENT ? -1 : err_sys(err, ERR_OUTPUT, errno, "cannot open %s", parent);
    while (flock(*fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        if (!waits--) {
            fd_close(*fd);
            *fd = -1;
            return err_set(err, ERR_BUSY, "%s: another run is using it", parent);
        }
        nanosleep(&pause, NULL);
    }
    return 0;
}

/* Signatures, and warnings of an earlier run, are checked only by the import of one shard. */
static int pass_finished(struct environment *env, struct import_finished *f, uint64_t i, const char *dir, bool *is, int *code,
                         struct err *err) {
    *is = false;
    if (i == 1 || env->o.trust.sign_key || env->o.messages.strict) return 0;
    if (import_finished_is(f, dir, (uint32_t)i, is, code, err)) return -1;
    if (*is) report_say(&env->reporter, "shard %llu was finished with the same settings and inputs", (unsigned long long)i);
    return 0;
}

/* A loss of power may leave a manifest, or files, that are not what was written: such a shard is worth nothing. What only cannot
 * be read now is another matter, and reported by who reads it. */
static int remove_damaged(struct environment *env, uint64_t i, const char *dir, struct err *err) {
    struct manifest m;
    struct err why = {0};
    int there = dataset_is(dir, err);
    if (there <= 0) return there;
    if (!dataset_open_part(dir, &m, &why)) {
        manifest_free(&m);
        return 0;
    }
    if (why.code != ERR_INPUT || (why.sys && why.sys != ENOENT)) return 0;
    report_say(&env->reporter, "shard %llu is damaged, and is made again: %s", (unsigned long long)i, why.text);
    return fs_remove_tree(dir, err);
}

/* Where a signal has stopped the run. */
static void say_kept(const char *parent, uint64_t finished, uint64_t n, struct err *err) {
    if (err->code != ERR_STOPPED) return;
    if (!finished)
        err_append(err, "; no shard was finished: the same command begins again");
    else
        err_append(err, "; %llu of %llu shards are finished and kept in %s: the same command resumes",
                   (unsigned long long)finished, (unsigned long long)n, parent);
}

static int import_each(struct environment *env, struct intake *intake, import_one_fn *import_one, char **dirs, uint64_t n,
                       int *code, struct err *err) {
    struct import_finished finished = {0};
    struct buf said = {0};
    uint64_t kept = 0;
    int lock = -1;
    char *parent = parent_of(env, err);
    const double part = import_part_of_shards(env);
    int rc = parent && (!lock_shards(parent, 0, &lock, err) || !err->code) ? 0 : -1;
    env->reporter.said = &said;
    for (uint64_t i = 0; !rc && i < n; i++) {
        bool is;
        dirs[i] = fs_printf(err, "%s/%05llu", parent, (unsigned long long)i + 1);
        finished.first_dir = dirs[0];
        rc = dirs[i] ? pass_finished(env, &finished, i + 1, dirs[i], &is, code, err) : -1;
        if (!rc) progress_part(env->reporter.run, part * (double)i / (double)n, part * (double)(i + 1) / (double)n, is);
        if (!rc && !is) rc = remove_damaged(env, i + 1, dirs[i], err);
        if (!rc && !is) rc = import_shard(env, intake, import_one, &finished, i + 1, dirs[i], code, err);
        if (i == 0) env->job.resident_bytes += finished.bytes;
        kept += !rc;
        if (!rc && lock < 0) rc = lock_shards(parent, 50, &lock, err); /* shard 1 had its own lock */
    }
    progress_stage(env->reporter.run);
    progress_part(env->reporter.run, part, 1, false);
    if (!rc) rc = import_join(env, intake, &finished, parent, dirs, n, code, err);
    say_kept(parent, kept, n, err);
    import_finished_free(&finished);
    env->reporter.said = NULL;
    buf_free(&said);
    if (!rc) rc = remove_shards(parent, err);
    fd_close(lock);
    free(parent);
    return rc;
}

/* OUT is finished: by these settings, of these inputs? */
static int import_again(struct environment *env, struct intake *intake, import_one_fn *import_one, int *code, struct err *err) {
    char *parent = parent_of(env, err);
    int rc = parent ? import_one(env, intake, code, err) : -1;
    int lock = -1;
    struct err busy = {0}; /* a run that replaces OUT works there */
    if (!rc && !env->o.out.dry_run && !lock_shards(parent, 0, &lock, &busy)) rc = remove_shards(parent, err);
    fd_close(lock);
    free(parent);
    return rc;
}

int import_shards(struct environment *env, struct intake *intake, import_one_fn *import_one, int *code, struct err *err) {
    uint64_t n;
    if (opt_size(import_options(&env->o)->shards, &n) || !n || n > IMPORT_SHARDS_MAX)
        return err_set(err, ERR_USAGE, "--shards: expected a number from 1 to %d, or I/N", IMPORT_SHARDS_MAX);
    if (!env->o.out.dir || !env->o.out.dir[0]) return err_set(err, ERR_USAGE, "no output given; give -o DIR");
    if (remote_name(env->o.out.dir))
        return err_set(err, ERR_USAGE,
                       "--shards %s keeps its shards beside the output, which is on a server: give --temp-dir and a local -o, or "
                       "make each shard with --shards I/N and join them",
                       import_options(&env->o)->shards);
    if (import_shards_check(env, intake, "shards", err)) return -1;
    int is = env->o.out.overwrite ? 0 : dataset_is(env->o.out.dir, err);
    if (is < 0) return -1;
    if (is || env->o.out.dry_run) return import_again(env, intake, import_one, code, err);
    char **dirs = calloc(n, sizeof *dirs);
    int rc =
        dirs ? import_each(env, intake, import_one, dirs, n, code, err) : err_nomem(err, n * sizeof *dirs, "the list of shards");
    for (uint64_t i = 0; dirs && i < n; i++) free(dirs[i]);
    free(dirs);
    return rc;
}
