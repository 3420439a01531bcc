/* Decides which files of a base may be linked into the new dataset, because compacting them again, together with what came since,
 * would leave every cell of them. docs/compaction-rules.md has the reasons. */
#ifndef ENGINE_REUSABLE_FILE_H
#define ENGINE_REUSABLE_FILE_H

#include "dataset/manifest.h"
#include "engine/file_rules.h"
#include "engine/input.h"
#include "engine/job.h"
#include "hfile/block_span.h"
#include "hfile/untouched_blocks.h"

/* Reasons why a file of the base is rewritten; the first that holds. */
enum reuse_verdict {
    REUSE_TAKEN = 0,
    REUSE_FOREIGN,   /* OBKV.CELLS, FIRST or LAST are not the file's: what its file info says cannot be trusted */
    REUSE_NO_RULES,  /* no OBKV.RULES: it has not been compacted */
    REUSE_RULES,     /* OBKV.RULES are others */
    REUSE_CLOCK,     /* the base was made at a later now */
    REUSE_DROP_DUE,  /* time drops cells of it: OBKV.NEXT_DROP_MS <= now */
    REUSE_EXPIRED,   /* the whole base has expired in this partition */
    REUSE_MARKERS,   /* it holds delete markers, which other files have a say in */
    REUSE_NEW_CELLS, /* an input has cells in its range of rows */
    REUSE_VERDICTS
};
const char *reuse_word(enum reuse_verdict verdict); /* "linked", "drop due" … */

/* Settings that all files of one (family, partition) share. */
struct reuse_env {
    const struct job *job;
    size_t block_limit;
    struct family_rules rules;
    enum compaction_kind kind;
    int64_t base_now_ms;     /* of the base's run */
    int64_t earliest_put_ms; /* over all inputs that stay, the base among them */
    bool base_expired;       /* a TTL takes all of the base here */
};

struct base_file {
    const struct manifest_file *m;
    struct input *in;
    enum reuse_verdict verdict;
    uint32_t input; /* REUSE_NEW_CELLS: the first input that has some */
    struct file_rules info;
    uint64_t old_seq;          /* see engine/input_facts.h */
    struct block_spans copied; /* REUSE_NEW_CELLS: blocks that are copied nevertheless, until they are */
    uint64_t copied_cells;     /* in them, once they are */
};

/* Opens the file and decides all but REUSE_NEW_CELLS. A file that is not the one of the manifest is ERR_INPUT. */
int reuse_judge(const struct reuse_env *env, struct base_file *f, struct err *err);

/* files: of one partition, ascending, judged. Those with cells of `in` between first and last row get REUSE_NEW_CELLS. */
int reuse_mark_new_cells(const struct reuse_env *env, struct base_file *files, size_t n, const struct manifest_file *m,
                         const struct input *in, struct err *err);

/* The least row after `row`, into out. */
int reuse_row_after(struct buf *out, struct bytes row, struct err *err);

/* Marks the blocks of file f of a base that have rows of `in`, which m lists. */
int reuse_mark_rows(const struct reuse_env *env, const struct base_file *f, struct block_marks *marks,
                    const struct manifest_file *m, const struct input *in, struct err *err);

/* Reads the whole file: ERR_INPUT unless its bytes and cells are what the manifest says. */
int reuse_verify(const struct reuse_env *env, const struct base_file *f, struct err *err);

#endif
