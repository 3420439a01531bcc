/* Commands of obkv-split that have rooms of their own: their options, and what they share. */
#ifndef CMD_SPLIT_SPLIT_H
#define CMD_SPLIT_SPLIT_H

#include "cmd/common/session.h"

#include <jansson.h>

/* Options of plan and simulate. */
struct split_options {
    const char *share; /* of join: J/M */
    /* rows that are made instead of read */
    const char *key;
    uint64_t generate, seed, interval, cell_bytes;
    struct {
        const char *counts, *growth, *sample_by, *table_name, *access, *take;
        struct opt_list tries;
        uint64_t sample_bytes, expect, replicas, years;
    } plan;
    struct {
        const char *splits, *order, *clock, *mode, *site, *file_ratio;
        struct opt_list settings, tries;
        uint64_t sample_rows, rate, servers;
    } simulate;
};
static inline struct split_options *split_options(const struct options *o) {
    return o->own;
}

/* ---- what plan and simulate leave ---- */

/* Before long work: is the output directory one, and free to take the results? of: "plan" or "simulation", leaves `file`. */
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
/* On standard output, in the form that is asked for. */
int split_result_print(struct session *s, const struct split_report *r, struct err *err);

/* ---- commands ---- */

int split_plan(struct session *s, int *code, struct err *err);
int split_simulate(struct session *s, int *code, struct err *err);

#endif
