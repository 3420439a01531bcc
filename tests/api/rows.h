/* The file of 10,000 rows with two cells each that the programs of tests/api write and read, in the directory of the run. */
#ifndef API_ROWS_H
#define API_ROWS_H

#include "tried.h"

#include <sst/scan.h>

enum { ROWS = 20000 };

static char place[4096];

static inline const char *path_of(const char *name) {
    static char path[4200];
    snprintf(path, sizeof path, "%s/%s", place, name);
    return path;
}

static inline int write_rows(const char *name, const sst_writer_options *o, sst_digest *digest, sst_error *error) {
    sst_writer *w = sst_writer_open(path_of(name), o, error);
    int rc = w ? 0 : -1;
    for (int i = 0; i < ROWS && !rc; i++) {
        char row[32], value[64];
        snprintf(row, sizeof row, "r%06d", i / 2);
        snprintf(value, sizeof value, "value %d of a row", i * 7919 % 1000);
        sst_cell c = put(row, i % 2 ? "b" : "a", 1000 + i, value);
        c.sequence = (uint64_t)i % 3;
        rc = sst_writer_put(w, &c, error);
    }
    if (!rc) rc = sst_writer_finish(w, error);
    if (!rc) *digest = sst_writer_get_written(w)->digest;
    sst_writer_close(w);
    return rc;
}

static inline sst_file *open_name(const char *name) {
    sst_error error;
    return (sst_file *)need(sst_file_open(path_of(name), NULL, &error), name, &error);
}

static inline int digest_of(const char *name, uint64_t *cells, sst_digest *digest, sst_error *error) {
    sst_file *f = open_name(name);
    sst_scan *s = sst_scan_open(f, NULL, error);
    int rc = sst_scan_digest(s, cells, digest, error);
    sst_scan_close(s);
    sst_file_close(f);
    return rc;
}

#endif
