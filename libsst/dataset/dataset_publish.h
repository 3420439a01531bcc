/* The last steps of a dataset, after its files have been written: sync, manifest, publication. */
#ifndef DATASET_DATASET_PUBLISH_H
#define DATASET_DATASET_PUBLISH_H

#include "base/err.h"
#include "dataset/manifest.h"
#include "dataset/outdir.h"

/* A step between the text of the manifest and its publication. */
struct before_publish {
    int (*run)(void *arg, const struct manifest *m, const char *text, struct err *err);
    void *arg;
    bool elsewhere; /* m's files are not here: the manifest is published alone */
    bool signs;     /* run puts the files of outdir_signature beside the manifest */
};

/* m's files lie in o->tmp; they are sorted here. last may be NULL. */
int dataset_publish(struct outdir *o, struct manifest *m, unsigned threads, const struct before_publish *last, struct err *err);

#endif
