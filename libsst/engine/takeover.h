/* Nightly compaction: which files of a base may be taken over whole, because compacting them again, together with what came
 * since, would leave every cell of them. docs/compaction.md has the reasons. */
#ifndef ENGINE_TAKEOVER_H
#define ENGINE_TAKEOVER_H

#include "dataset/manifest.h"
#include "hfile/hfile_reader.h"
#include "engine/job.h"
#include "engine/load_input.h"
#include "engine/rules_text.h"

/* What a file of ours says of the rules it has been through. */
struct takeover_info {
    bool own; /* OBKV.CELLS, FIRST and LAST are the file's: HBase copies such keys when it splits one */
    bool has_rules;
    char rules[RULES_HASH_BYTES]; /* OBKV.RULES */
    int64_t next_drop_ms;         /* OBKV.NEXT_DROP_MS: INT64_MAX never; INT64_MIN not known */
    uint64_t deletes;
};
void takeover_info_of(const struct hfile *h, struct takeover_info *out);

/* Why a file of the base is rewritten; the first that holds. */
enum takeover_fate {
    TAKEOVER_TAKEN = 0,
    TAKEOVER_FOREIGN,   /* OBKV.CELLS, FIRST or LAST are not the file's: what its file info says cannot be trusted */
    TAKEOVER_NO_RULES,  /* no OBKV.RULES: it has not been compacted */
    TAKEOVER_RULES,     /* OBKV.RULES are others */
    TAKEOVER_CLOCK,     /* the base was made at a later now */
    TAKEOVER_DROP_DUE,  /* time drops cells of it: OBKV.NEXT_DROP_MS <= now */
    TAKEOVER_EXPIRED,   /* the base goes whole in this partition */
    TAKEOVER_MARKERS,   /* it holds delete markers, which other files have a say in */
    TAKEOVER_NEW_CELLS, /* an input has cells in its range of rows */
    TAKEOVER_FATES
};
const char *takeover_word(enum takeover_fate fate); /* "taken over", "drop due" … */

/* What all files of one (family, partition) share. */
struct takeover_env {
    const struct job *job;
    size_t block_limit;
    struct family_rules rules;
    enum compaction_kind kind;
    int64_t base_now_ms;     /* of the base's run */
    int64_t earliest_put_ms; /* over all inputs that stay, the base among them */
    bool base_expired;       /* a TTL takes all of the base here */
};

struct takeover_file {
    const struct manifest_file *m;
    struct load_input *in;
    enum takeover_fate fate;
    uint32_t input; /* TAKEOVER_NEW_CELLS: the first input that has some */
    struct takeover_info info;
    uint64_t old_seq; /* see engine/old_seqs.h */
};

/* Opens the file and decides all but TAKEOVER_NEW_CELLS. A file that is not the one of the manifest is ERR_INPUT. */
int takeover_judge(const struct takeover_env *env, struct takeover_file *f, struct err *err);

/* files: of one partition, ascending, judged. Those with cells of `in` between first and last row get TAKEOVER_NEW_CELLS. */
int takeover_touch(const struct takeover_env *env, struct takeover_file *files, size_t n, const struct manifest_file *m,
                   const struct load_input *in, struct err *err);

/* Reads the whole file: ERR_INPUT unless its bytes and cells are what the manifest says. */
int takeover_verify(const struct takeover_env *env, const struct takeover_file *f, struct err *err);

#endif
