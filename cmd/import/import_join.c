/* The end of obkv-import --shards N: the shards become one dataset. A join of a large table takes minutes, which a run that is
 * killed must not lose. So the partitions are joined by shares, one after the other, and the shares are linked together. A
 * share that is finished is kept for the next start, like a shard:
 *
 *     OUT.shards/00001 ... 00050 --merge--> OUT.shards/share-00001 ... share-00016 --links--> OUT
 */
#include "cmd/import/import.h"

#include "base/clock.h"
#include "base/fs.h"
#include "cmd/common/join.h"

#include <stdlib.h>
#include <string.h>

/* Each share reads the manifests of all shards, and writes one with all inputs. With so many bytes of input to a share, that is
 * some hundredths of the time that its cells take. */
static const uint64_t bytes_least = 32 << 20, bytes_for_shard = 1536 << 10, bytes_for_input = 50 << 10;
enum { SHARES_MAX = 64 };

static uint32_t shares_of(const struct import_finished *f, uint64_t n_shards) {
    uint64_t all = 0, least = bytes_least, shares = f->first.table.partitioning.count;
    for (size_t i = 0; i < f->n_inputs; i++) all += f->inputs[i].file_bytes;
    if (n_shards * bytes_for_shard > least) least = n_shards * bytes_for_shard;
    if (f->n_inputs * bytes_for_input > least) least = f->n_inputs * bytes_for_input;
    if (shares > all / least) shares = all / least;
    return shares > SHARES_MAX ? SHARES_MAX : shares > 1 ? (uint32_t)shares : 1;
}

static int join_into(struct session *whole, const struct join_opts *o, const char *dir, double started, int *code,
                     struct err *err) {
    struct session s;
    session_begin_part(&s, whole);
    s.started = started;
    s.o.trust.verify_keys.n = 0;
    memset(s.reporter.warned.n, 0, sizeof s.reporter.warned.n); /* the shards have counted these */
    if (o->shares) {                                            /* the last join says it all */
        s.o.trust.sign_key = NULL;
        s.o.messages.quiet = s.reporter.quiet = true;
        s.o.messages.json = false;
    }
    s.o.out.dir = dir;
    int rc = join_run(&s, o, code, err);
    session_explain_full(&s, err);
    whole->metrics = s.metrics;
    whole->reporter.document |= s.reporter.document;
    session_end_part(&s);
    return rc;
}

static int make_share(struct session *s, struct import_finished *f, const struct join_opts *o, char *dir, struct err *err) {
    bool is;
    int code = 0;
    if (import_finished_share(f, dir, o->share, o->shares, &is, err)) return -1;
    if (is) {
        report_say(&s->reporter, "share %u/%u of the join was finished", o->share, o->shares);
        return 0;
    }
    if (fs_remove_tree(dir, err)) return -1;
    return join_into(s, o, dir, clock_steady(), &code, err) ? err_prefix(err, "share %u/%u of the join", o->share, o->shares) : 0;
}

int import_join(struct session *s, struct import_finished *f, const char *parent, char *const *dirs, uint64_t n, int *code,
                struct err *err) {
    struct join_opts o = {.dirs = dirs, .n = n}, all = {.shards = dirs, .n_shards = n};
    const double started = clock_steady();
    if (!f->first.tool && dataset_open_part(f->first_dir, &f->first, err)) return -1;
    o.shares = shares_of(f, n);
    if (o.shares == 1) return join_into(s, &(struct join_opts){.dirs = dirs, .n = n}, s->o.out.dir, started, code, err);
    char **shares = calloc(o.shares, sizeof *shares);
    int rc = shares ? 0 : err_nomem(err, o.shares * sizeof *shares, "the list of shares");
    for (; !rc && o.share < o.shares; all.n++) {
        shares[o.share] = fs_printf(err, "%s/" IMPORT_SHARE "%05u", parent, o.share + 1);
        rc = shares[o.share++] ? make_share(s, f, &o, shares[o.share - 1], err) : -1;
    }
    all.dirs = shares;
    if (!rc) rc = join_into(s, &all, s->o.out.dir, started, code, err);
    for (uint32_t j = 0; shares && j < o.shares; j++) free(shares[j]);
    free(shares);
    return rc;
}
