/* Figures of a run for monitoring: gauges in the format of Prometheus' textfile collector (docs/monitoring.md). */
#ifndef CMD_COMMON_METRICS_H
#define CMD_COMMON_METRICS_H

#include "base/err.h"
#include "base/warning.h"

#include <stdbool.h>
#include <stdint.h>

enum { METRICS_MAX = 24 };

/* Borrowed texts: constants of the programs. */
struct metric {
    const char *name, *help; /* name: the part after obkv_PROGRAM_ */
    double value;
};

/* Figures that a run reports beyond those that all report. All zero at first. */
struct metrics {
    char table[256], target[600];     /* labels; "" = none */
    uint64_t warnings[WARNING_COUNT]; /* of runs within the run, by code */
    struct metric list[METRICS_MAX];
    unsigned n;
};

/* Sets a figure, once or again. */
void metrics_set(struct metrics *m, const char *name, const char *help, double value);

/* Adds to a figure; it begins at 0. */
void metrics_add(struct metrics *m, const char *name, const char *help, double value);

/* The end of a run. */
struct metrics_end {
    const char *program, *command; /* "obkv-load"; command NULL: the program has none */
    int exit_code;                 /* 0 and 3 are success */
    double seconds;
    int64_t now_ms;
    const uint64_t *warnings; /* [WARNING_COUNT]: of how many things */
};

/* Replaces the file as a whole. After a failure, the time of the last success stays what the file that was there says. */
int metrics_write(const struct metrics *m, const struct metrics_end *end, const char *path, struct err *err);

#endif
