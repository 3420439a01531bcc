/* The environment of a program's run, whatever it reads and writes: options, limits, the request to stop, and the reporter. */
#ifndef CMD_COMMON_ENVIRONMENT_H
#define CMD_COMMON_ENVIRONMENT_H

#include "base/list_room.h"
#include "base/outfile.h"
#include "base/plain.h"
#include "base/stop.h"
#include "cmd/common/disk_need.h"
#include "cmd/common/inputs.h"
#include "cmd/common/metrics.h"
#include "cmd/common/minisign.h"
#include "cmd/common/options.h"
#include "cmd/common/report.h"
#include "dataset/outdir.h"
#include "engine/job.h"

struct manifest;

struct environment {
    const struct tool_about *about;
    struct options o;
    struct reporter reporter;
    struct stop stop;
    struct disk_quota quota;
    struct disk_need need; /* in case the disk is full */
    struct job job;
    struct list_room manifests;      /* that are open */
    struct path_names unpacked;      /* for messages: the members of archives that are in temporary directories */
    struct metrics metrics;          /* for --metrics */
    double started;                  /* steady clock */
    struct minisign_secret sign_key; /* sign-key */
    struct outdir *unfinished;       /* the output directory of this run, while it is open; borrowed */
};

/* Reads options, and makes reporter, stop and job of them. *done: help was printed, exit 0. */
int environment_open(struct environment *env, const struct tool_about *about, int argc, char **argv, bool *done, struct err *err);
/* Checks what can be checked before any work; after intake_expand. */
int environment_check(struct environment *env, struct err *err);
void environment_close(struct environment *env);
/* A run within this one: it shares options, limits and reporter, and has a quota and a clock of its own. environment_end_part
 * hands its metrics to the whole. */
void environment_begin_part(struct environment *part, const struct environment *whole);
void environment_end_part(struct environment *part, struct environment *whole);
/* To an error of a full disk: which directory it is, and how much it needs. output: the directory that is written, NULL: none. */
void environment_explain_full(const struct environment *env, const char *output, struct err *err);
/* Checks, before a dataset is opened whose manifest stays, whether there is room for it beside those before it. */
int environment_dataset_room(struct environment *env, const char *dir, struct err *err);
int environment_manifest_room(struct environment *env, uint64_t bytes, struct err *err);
/* Returns whether the run makes result documents: for --json, or for the page of --html. */
static inline bool environment_documents(const struct environment *env) {
    return env->o.messages.json || env->reporter.page;
}
/* Chooses where runs without an output spill without --temp-dir. */
void environment_temp_elsewhere(struct environment *env);
/* Returns how this run interprets its inputs. */
struct input_opts environment_input_opts(struct environment *env);

#endif
