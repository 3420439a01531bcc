/* A dataset that is loaded without an export of all of it on disk. */
#ifndef CMD_LOAD_LOAD_DATASET_H
#define CMD_LOAD_LOAD_DATASET_H

#include "base/err.h"
#include "cmd/load/load_run.h"
#include "cmd/oceanbase/preflight.h"
#include "cmd/text/export_target.h"

/* A batch: whole partitions of one family, which become load files when their turn is near. */
struct load_stage {
    size_t first, n;            /* files of the dataset */
    size_t first_part, n_parts; /* of load_run.m.files */
    uint64_t bytes;             /* of text, about */
    char *dir, *server_dir;     /* of its load files, as we and as the server see it */
    struct export_manifest m;   /* once it is exported; shares all but its files with load_run.m */
    struct export_result result;
};

struct load_dataset {
    struct export_task task;
    struct export_options asked;
    struct job job; /* the run's, with the moment at which the first run judged cells, and without progress */
    char *temp, *server_temp;
    int temp_fd; /* its lock, where there is a temp */
    struct load_stage *stages;
    size_t n;
    struct preflight_made made;
};

/* Opens r->dir and fills r->m: its files are the partitions that are to be loaded, a file for each. */
int load_dataset_open(struct load_run *r, struct err *err);
/* Takes what an earlier run has noted (j may be NULL) and makes the directory of temporary files, with probe.kqvt in it. */
int load_dataset_begin(struct load_run *r, const struct load_journal *j, struct err *err);
/* Divides what is not in yet into batches, for this server. */
int load_dataset_plan(struct load_run *r, const struct load_journal *j, const struct server_kind *server, struct err *err);
/* Makes the load files of a batch. ERR_REJECTS: the tables cannot take some of its cells. */
int load_dataset_export(struct load_run *r, struct load_stage *g, struct err *err);
/* Removes the load files of a batch; what was counted of them stays. */
int load_dataset_drop(struct load_run *r, const struct load_stage *g, struct err *err);
void load_dataset_free(struct load_dataset *d);

#endif
