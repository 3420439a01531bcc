/* Writes the results of plan and simulate. */
#ifndef CMD_SPLIT_PLAN_SPLIT_RESULT_H
#define CMD_SPLIT_PLAN_SPLIT_RESULT_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cmd/common/options.h"

#include <jansson.h>

struct environment;

/* Checks before long work: is the output directory one, and free to take the results? of: "plan" or "simulation", leaves
 * `file`. */
int split_result_check(const struct options *o, const char *of, const char *file, struct err *err);
/* Complete under its name, or not there. */
int split_result_put(const char *dir, const char *name, struct bytes text, struct err *err);
/* Takes j, which may be NULL (no memory); the last file of a directory, which is synced. */
int split_result_put_json(const char *dir, const char *name, json_t *j, struct err *err);
/* A line of a SPLITS_FILE: Bytes.toBytesBinary takes \xNN. */
int split_result_put_binary(struct buf *out, struct bytes row, struct err *err);

struct split_report {
    json_t *(*json)(const void *view);
    int (*text)(const void *view, struct buf *out, struct err *err);
    const void *view;
};
/* Prints the report on standard output, in the form that is asked for. */
int split_result_print(struct environment *env, const struct split_report *r, struct err *err);

#endif
