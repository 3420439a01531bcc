/* Decides how the files of an output are written: codec, bloom filter, sizes and times, for all families or for each as --like
 * has them, and as runs where a join will read them soon. */
#include "cmd/common/output_writers.h"

#include "cmd/common/environment.h"
#include "cmd/common/output.h"
#include "cmd/common/target.h"
#include "cmd/common/write_options.h"

#include <stdlib.h>

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

int output_writers_make(struct environment *env, struct target *target, struct output *output, struct output_opts *o,
                        struct err *err) {
    if (!env->o.write.target_file_size) return err_set(err, ERR_USAGE, "--target-file-size must not be 0");
    *o = (struct output_opts){.dir = output->out.tmp, .quota = &env->quota, .target_file_bytes = env->o.write.target_file_size};
    const struct write_env w = {&env->o, &output->like, &target->table, env->job.now_ms, env->about->name};
    if (write_options_make(&w, target->open_families ? "" : NULL, &o->hfile, err)) return -1;
    if (output->is_for_join) write_for_join(env, target, o);
    o->as_packs = output->shard != NULL;
    if (output->shard) o->hfile.seqs = true; /* the join orders cells by them, and is the one to leave them out (keep-seq = no) */
    if (output->like.n && make_writers(target, output, &w, &o->n_by_family, err)) return -1;
    o->by_family = output->writers;
    return 0;
}
