/* Cuts the files of a dataset into stretches that become text side by side. */
#ifndef CMD_TEXT_EXPORT_PLAN_H
#define CMD_TEXT_EXPORT_PLAN_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "dataset/manifest.h"

struct export_stretch {
    uint32_t file;            /* of the manifest */
    bool first, last;         /* of its file */
    struct bytes start, stop; /* rows; p == NULL: open */
    uint64_t begin, end;      /* offsets of the blocks that begin with these rows; 0: open, or none does */
};

struct export_plan {
    struct export_stretch *list;
    size_t n;
    struct buf *rows; /* by file: what start and stop point into */
    size_t n_files;
};

struct export_plan_opts {
    const char *dir;
    const struct manifest *m;
    size_t first, n;        /* of the manifest's files */
    uint64_t stretch_bytes; /* of cells, unpacked */
    size_t block_limit;
    unsigned threads;
};

int export_plan_make(const struct export_plan_opts *o, struct export_plan *out, struct err *err);
void export_plan_free(struct export_plan *p);

#endif
