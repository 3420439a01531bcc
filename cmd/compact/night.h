/* The parts of obkv-compact: shards and shares; nightly compactions over a base: which partitions are merged, what waits for a
 * later night, and what became of the base. */
#ifndef CMD_COMPACT_NIGHT_H
#define CMD_COMPACT_NIGHT_H

#include "cmd/common/session.h"
#include "engine/merge_datasets.h"

/* The program's own options. */
struct compact_options {
    const char *base, *policy, *share;
    bool verify_base, explain;
};
static inline const struct compact_options *compact_options(const struct options *o) {
    return o->own;
}

/* compact_run.c: a run of the program. */
int compact_run(struct session *s, int *code, struct err *err);

/* ---- compact_settings.c: what options say before anything is read ---- */

int compact_rank(const struct session *s, enum tie_rule *tie, struct err *err);
/* --rules: s->kind, or *keeps_all for none. */
int compact_rules(struct session *s, bool *keeps_all, struct err *err);
/* s->own_settings: what decides the bytes written, beside the settings of all programs. */
int compact_settings(struct session *s, bool keeps_all, struct err *err);

/* ---- compact_tables.c ---- */

/* Warns of n inputs that hardly belong together in this order. The table of s has the families of all. ERR_USAGE: an input is of
 * another table than the base. */
int compact_check_tables(struct session *s, const struct manifest *m, const bool *is_dataset, int n, enum tie_rule tie,
                         struct err *err);

/* ---- compact_share.c: shards as inputs, and --partitions ---- */

/* --partitions J/M. *out: of == 0: not given. */
int compact_share_parse(const struct compact_options *own, struct manifest_share *out, struct err *err);
/* If one dataset is a shard, all must be those of one import; m and paths are put in their order. Else nothing is done. */
int compact_shards_order(struct manifest *m, char **paths, const bool *is_dataset, size_t n, bool *shards, struct err *err);
/* After a merge: *share says what all shares read; files of other partitions are listed as if this run had read them. */
void compact_share_count(struct manifest_share *share, const struct merge_input *inputs, size_t n);
/* Fewer threads, until all inputs can be open at once. false: they never can, and there are as many threads as before. */
bool compact_find_room(struct session *s, struct merge_datasets_opts *m);

/* ---- night_policy.c: --policy ---- */

struct night_policy {
    bool by_ratio;
    struct explore_opts explore;
    bool *merged; /* as merge_base takes it; NULL: nothing is */
    struct manifest_pending *pending;
    size_t n_pending;
};

/* all | ratio[:RATIO[,MIN-FILES[,MAX-FILES[,MIN-SIZE]]]] */
int night_policy_parse(const char *text, struct night_policy *p, struct err *err);
/* There is no such file (err is set). */
bool night_input_missing(const char *path, struct err *err);
/* inputs: the base first. What the base waits for must be among the others, in the same order and before all that is new. */
int night_policy_match(struct night_policy *p, const struct session *s, const struct manifest *inputs, size_t n, struct err *err);
/* Says which of the inputs the run that made the base has read already. */
void night_policy_warn(struct session *s, const struct manifest *inputs, size_t n);
/* The clock of the night in which input i came: that of this run, unless the base waits for it. */
int64_t night_clock(const struct session *s, const struct manifest *inputs, size_t i);
/* After a run: what was left, for the manifest (p->pending). */
int night_policy_leave(struct night_policy *p, const struct session *s, const struct manifest *inputs, size_t n,
                       const struct base_outcomes *slices, struct err *err);
void night_policy_free(struct night_policy *p);

/* ---- night_turns.c: deltas that are merged at once are judged one after the other ---- */

struct night_turns {
    struct rule_turns turns;
    uint32_t *of_input;
    int64_t *now_ms;
};
/* Fills turns from inputs in their order (is_dataset: m is of one), and *use: NULL where all are judged at once. based: the first
 * is a base. */
int night_turns_make(struct night_turns *t, const struct session *s, const struct manifest *m, const bool *is_dataset, size_t n,
                     bool based, const struct rule_turns **use, struct err *err);
void night_turns_free(struct night_turns *t);

/* ---- night_report.c ---- */

struct night_report {
    const char *base;         /* its path */
    const char *const *names; /* of all inputs, the base is the first */
    struct base_outcomes slices;
    const struct manifest_pending *pending; /* what is left for a later night; borrowed */
    size_t n_pending;
    uint32_t moved; /* inputs that were repartitioned first, with so many cells; the temporary files took so many bytes */
    uint64_t moved_cells, moved_bytes;
    bool explain;  /* partition by partition */
    bool finished; /* files have been written: how they were reused is known */
};

/* What keeps files from being reused, though the base could let it. */
void night_report_warn(struct session *s, const struct night_report *r);
int night_report_print(struct session *s, const struct night_report *r, struct err *err);
/* Members for the result document: "base" and, where asked for, "explain". */
int night_report_json(struct session *s, const struct night_report *r, json_t *into, struct err *err);

#endif
