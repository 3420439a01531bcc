/* A compaction by several runs. Its inputs may be the shards of an import: together they count as the one dataset that a join
 * would make of them. With --partitions J/M a run merges every M-th partition. It reads no file of the others, but lists them
 * (of shards, their packs) with what their manifests say, so that all shares have the inputs of one run:
 *
 *     shards or datasets --M compactions--> shares 1 … M --obkv-split join, by links--> the dataset of one compaction */
#include "cmd/common/shard_rejects.h"
#include "cmd/compact/base_policy.h"

#include "cmd/common/input_shard.h"
#include "cmd/compact/compact_share.h"
#include "dataset/manifest_shard.h"
#include "engine/merge_datasets.h"

int compact_share_parse(const struct compact_options *own, struct manifest_share *out, struct err *err) {
    *out = (struct manifest_share){.adds_up = true};
    if (!own->share) return 0;
    if (own->base)
        return err_set(err, ERR_USAGE, "--partitions and --base exclude each other: files of a base are reused by one run");
    return shard_number_parse("partitions", own->share, &out->number, &out->of, err);
}

int compact_shards_order(struct manifest *m, char **paths, const bool *is_dataset, size_t n, bool *shards, struct err *err) {
    *shards = false;
    for (size_t i = 0; i < n; i++) *shards |= is_dataset[i] && m[i].shard.of;
    if (!*shards) return 0;
    for (size_t i = 0; i < n; i++)
        if (!is_dataset[i])
            return err_set(err, ERR_USAGE, "%s is no shard, but other inputs are: make one dataset of those with obkv-split join",
                           paths[i]);
    if (manifest_shards_check(m, (const char **)paths, n, err)) return -1;
    if (json_is_false(json_object_get(m[0].settings, "keep_seq")))
        return err_set(err, ERR_USAGE,
                       "%s was made with keep-seq = no, which the join of its shards carries out: make one dataset of them with "
                       "obkv-split join, and compact that",
                       paths[0]);
    return shards_check_rejects(m, (const char **)paths, n, err);
}

void compact_share_count(struct manifest_share *share, const struct merge_input *inputs, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const struct manifest *m = inputs[i].manifest;
        for (size_t k = 0; k < m->n_packs; k++) tally_add(&share->whole.in, m->packs[k].tally);
        for (size_t k = 0; !m->n_packs && k < m->n_files; k++) {
            const struct manifest_file *f = &m->files[k];
            struct input *in = &inputs[i].files[k];
            if (f->partition % share->of != share->number - 1) {
                in->tally = f->tally;
                in->records = f->tally.cells;
            }
            tally_add(&share->whole.in, f->tally);
        }
    }
    share->whole.records_read = share->whole.records_accepted = share->whole.in.cells;
}
