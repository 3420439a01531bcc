/* One side of obkv-verify diff: its inputs with the options that are its own, and where the files of datasets say that their rows
 * belong. */
#ifndef DIFF_DIFF_SIDE_H
#define DIFF_DIFF_SIDE_H

#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/common/target.h"
#include "cmd/verify/diff/diff.h"

struct side_dataset {
    struct manifest manifest;
    struct placement *placement;
};

struct side {
    struct options options;
    struct dialect dialect;            /* what they say of text */
    const struct selection *selection; /* NULL: all is taken */
    struct mapping *mapping;           /* of its own; NULL: that of both sides, or none */
    struct input_list in;
    struct side_dataset **datasets;
    unsigned n_datasets;
    unsigned n_given;        /* operands */
    struct diff_file *files; /* [in.n] */
    uint32_t cap_files;
    struct store_input *stores; /* [in.n_stores]: known by their place in the list of inputs */
    char *spooled;              /* path of what came from standard input; NULL: nothing did */
    struct tempfile *spool;
};

/* side: DIFF_A or DIFF_B. */
int side_open(struct side *x, struct environment *env, unsigned side, char **paths, unsigned n, struct err *err);
/* Looks into store files. */
int side_survey(struct side *x, struct environment *env, struct intake *intake, struct err *err);
/* As the comparison wants it; valid as long as both. */
int side_of(struct side *x, struct environment *env, struct intake *intake, struct target *target, struct diff_side *out,
            struct err *err);
/* Returns what a path of this side's inputs stands for, for people. */
const char *side_path(const struct side *x, const char *path);
/* The manifest when the side is one dataset and nothing else, or NULL. */
const struct manifest *side_manifest(const struct side *x);
void side_close(struct side *x);

#endif
