/* --metrics FILE: figures of a load for the textfile collector of Prometheus' node exporter, replaced as a whole. */
#ifndef CMD_LOAD_METRICS_FILE_H
#define CMD_LOAD_METRICS_FILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct load_metrics {
    const char *table, *target;
    bool success;
    size_t files, files_done;
    uint64_t rows, bytes, retries;
    double seconds;
    int64_t now_ms;
};

/* The time of the last success stays from the file that was there when this run failed. */
int metrics_file_write(const char *path, const struct load_metrics *m, struct err *err);

#endif
