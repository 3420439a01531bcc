/* What became of the base of a nightly compaction, for people and pipelines. */
#ifndef CMD_COMPACT_NIGHT_REPORT_H
#define CMD_COMPACT_NIGHT_REPORT_H

#include "cmd/common/session.h"
#include "engine/fuse.h"

struct night_report {
    const char *base;         /* its path */
    const char *const *names; /* of all inputs, the base is the first */
    struct fuse_slices slices;
    const struct manifest_pending *pending; /* what is left for a later night; borrowed */
    size_t n_pending;
    bool explain;  /* partition by partition */
    bool finished; /* files have been written: how they were taken over is known */
};

int night_report_print(struct session *s, const struct night_report *r, struct err *err);
/* Members for the result document: "base" and, where asked for, "explain". */
int night_report_json(struct session *s, const struct night_report *r, json_t *into, struct err *err);

#endif
