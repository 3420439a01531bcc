/* Reports what became of the base of a nightly compaction. */
#ifndef CMD_COMPACT_NIGHT_REPORT_H
#define CMD_COMPACT_NIGHT_REPORT_H

#include "base/err.h"
#include "dataset/manifest_json.h"
#include "engine/partition_merge.h"

struct environment;
struct target;

struct night_report {
    const char *base;         /* its path */
    const char *const *names; /* of all inputs, the base is the first */
    struct base_outcomes outcomes;
    const struct manifest_pending *pending; /* what is left for a later night; borrowed */
    size_t n_pending;
    uint32_t moved; /* inputs that were repartitioned first, with so many cells; the temporary files took so many bytes */
    uint64_t moved_cells, moved_bytes;
    bool explain;  /* partition by partition */
    bool finished; /* files have been written: how they were reused is known */
};

/* Warns of causes that keep files from being reused, though the base could let it. */
void night_report_warn(struct environment *env, const struct night_report *r);
int night_report_print(struct environment *env, struct target *target, const struct night_report *r, struct err *err);
/* Members for the result document: "base" and, where asked for, "explain". */
int night_report_json(struct environment *env, struct target *target, const struct night_report *r, json_t *into,
                      struct err *err);

#endif
