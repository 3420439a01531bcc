/* The end of obkv-import --shards N: the shards become one dataset. A join of a large table takes minutes, which a run that is
 * killed must not lose. So the partitions are joined by shares, one after the other, and the shares are linked together. A
 * share that is finished is kept for the next start, like a shard:
 *
 *     OUT.shards/00001 ... 00050 --merge--> OUT.shards/share-00001 ... share-00016 --links--> OUT
 */
#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/common/progress_model.h"
#include "cmd/common/write_options.h"
#include "cmd/import/import.h"

#include "base/clock.h"
#include "base/fs.h"
#include "cmd/common/join.h"
#include "cmd/import/import_finished.h"
#include "cmd/import/import_join.h"
#include "codec/codec.h"
#include "dataset/dataset_open.h"

#include <stdlib.h>
#include <string.h>

/* Each share opens files of all shards, and writes a manifest with all inputs. With so many bytes of input to a share, that is
 * some hundredths of the time that its cells take. */
static const uint64_t bytes_least = 32 << 20, bytes_for_shard = 512 << 10, bytes_for_input = 50 << 10;
enum { SHARES_MAX = 64 };
static const double LAST_PART = 0.04; /* of a run, in which the shares are put together */

/* Returns the number of shares of a join; 0: one join of all. */
static uint32_t shares_of(const struct import_finished *f, const struct manifest *first, uint64_t n_shards) {
    uint64_t all = 0, least = bytes_least, shares = first->table.partitioning.count;
    for (size_t i = 0; i < f->n_inputs; i++) all += f->inputs[i].file_bytes;
    if (n_shards * bytes_for_shard > least) least = n_shards * bytes_for_shard;
    if (f->n_inputs * bytes_for_input > least) least = f->n_inputs * bytes_for_input;
    if (shares > all / least) shares = all / least;
    return shares > SHARES_MAX ? SHARES_MAX : shares > 1 ? (uint32_t)shares : 0;
}

double import_part_of_shards(const struct environment *env) {
    const struct codec *c = codec_by_name(env->o.write.codec ? env->o.write.codec : WRITE_CODEC);
    return progress_of_shards(c ? (enum hfile_codec)c->ordinal : HFILE_NONE);
}

static int join_into(struct environment *whole, struct intake *intake, const struct join_opts *o, const char *dir, double started,
                     int *code, struct err *err) {
    struct environment env;
    struct intake part;
    environment_begin_part(&env, whole);
    intake_begin_part(&part, intake);
    env.started = started;
    env.o.trust.verify_keys.n = 0;
    memset(env.reporter.warned.n, 0, sizeof env.reporter.warned.n); /* the shards have counted these */
    if (o->shares) {                                                /* the last join says it all */
        env.o.trust.sign_key = NULL;
        env.o.messages.quiet = env.reporter.quiet = true;
        env.o.messages.json = false;
        env.reporter.page = NULL;
    }
    env.o.out.dir = dir;
    int rc = join_run(&env, &part, o, code, err);
    environment_explain_full(&env, NULL, err);
    whole->reporter.document |= env.reporter.document;
    intake_end_part(&part);
    environment_end_part(&env, whole);
    return rc;
}

static int make_share(struct environment *env, struct intake *intake, struct import_finished *f, const struct join_opts *o,
                      char *dir, struct err *err) {
    bool is;
    int code = 0;
    const double began = import_part_of_shards(env), each = (1 - LAST_PART - began) / o->shares;
    if (import_finished_share(f, dir, o, &env->stop, &is, err)) return -1;
    progress_part(env->reporter.run, began + (o->share - 1) * each, began + o->share * each, is);
    if (is) {
        report_say(&env->reporter, "share %u/%u of the join was finished", o->share, o->shares);
        return 0;
    }
    if (fs_remove_tree(dir, err)) return -1;
    return join_into(env, intake, o, dir, clock_steady(), &code, err)
               ? err_prefix(err, "share %u/%u of the join", o->share, o->shares)
               : 0;
}

static int make_shares(struct environment *env, struct intake *intake, struct import_finished *f, struct join_opts *o,
                       const char *parent, char **shares, struct err *err) {
    int rc = 0;
    while (!rc && o->share < o->shares) {
        char *dir = shares[o->share] = fs_printf(err, "%s/" IMPORT_SHARE "%05u", parent, o->share + 1);
        o->share++;
        rc = dir ? make_share(env, intake, f, o, dir, err) : -1;
    }
    return rc;
}

static int join_by_shares(struct environment *env, struct intake *intake, struct import_finished *f, const char *parent,
                          struct join_opts *o, double started, int *code, struct err *err) {
    char **shares = calloc(o->shares, sizeof *shares);
    int rc = shares ? make_shares(env, intake, f, o, parent, shares, err)
                    : err_nomem(err, o->shares * sizeof *shares, "the list of shares");
    const struct join_opts all = {.dirs = shares, .n = o->shares, .shards = o->dirs, .n_shards = o->n, .opened = o->opened};
    progress_part(env->reporter.run, 1 - LAST_PART, 1, false);
    if (!rc) rc = join_into(env, intake, &all, env->o.out.dir, started, code, err);
    for (uint32_t j = 0; shares && j < o->shares; j++) free(shares[j]);
    free(shares);
    return rc;
}

/* A finished shard was passed by its inputs alone, so a file that is gone shows here. */
static int open_shard(struct environment *env, const char *dir, struct manifest *m, struct err *err) {
    if (environment_dataset_room(env, dir, err)) return -1;
    int rc = dataset_open_part(dir, m, err);
    return rc && err->code == ERR_INPUT ? err_prefix(err, "%s is damaged; remove it to have it made again", dir) : rc;
}

int import_join(struct environment *env, struct intake *intake, struct import_finished *f, const char *parent, char *const *dirs,
                uint64_t n, int *code, struct err *err) {
    const double started = clock_steady();
    struct manifest *opened = calloc(n + 1, sizeof *opened);
    struct join_opts o = {.dirs = dirs, .n = n, .opened = opened};
    int rc = opened ? 0 : err_nomem(err, n * sizeof *opened, "the list of shards");
    size_t k = 0;
    while (!rc && k < n && !(rc = open_shard(env, dirs[k], &opened[k], err))) k++;
    if (!rc) o.shares = shares_of(f, &opened[0], n);
    if (!rc)
        rc = o.shares ? join_by_shares(env, intake, f, parent, &o, started, code, err)
                      : join_into(env, intake, &o, env->o.out.dir, started, code, err);
    if (rc && err->code == ERR_INPUT && !strstr(err->text, "remove "))
        err_append(err, "; remove the shard to have it made again");
    while (k) manifest_free(&opened[--k]);
    free(opened);
    return rc;
}
