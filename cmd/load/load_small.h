/* Files that go in by statements of rows. */
#ifndef CMD_LOAD_LOAD_SMALL_H
#define CMD_LOAD_LOAD_SMALL_H

#include "base/err.h"
#include "cmd/load/load_files.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/pool.h"

struct connection;

struct load_small_opts {
    const struct load_files_opts *loader;
    const struct export_file *file;
    struct connection *c;
    struct pool_worker *member; /* whose statement a stop request ends */
};

int load_small_send(const struct load_small_opts *o, struct err *err);
/* Rows of the file that the partition lacks. */
int load_small_missing(const struct load_small_opts *o, uint64_t *missing, struct err *err);

#endif
