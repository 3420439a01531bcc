/* Shared by the implementations of the public headers: the library types that theirs stand for, and the parts of a scan.
 * Exports: sst */
#ifndef API_API_H
#define API_API_H

#include "base/buf.h"
#include "cell/cell.h"
#include "sst/cell.h"
#include "sst/file.h"
#include "sst/partitioning.h"
#include "sst/scan.h"
#include "table/partitioner.h"
#include "table/table.h"

/* The public struct is the inner one under another name: nothing is copied where an error is reported. */
static inline struct err *api_err(sst_error *error) {
    return (struct err *)error;
}
/* A public function begins: what an earlier call left is gone. */
static inline struct err *api_begin(sst_error *error) {
    error->code = SST_OK;
    error->system = 0;
    error->text[0] = 0;
    return (struct err *)error;
}
static inline sst_bytes api_bytes(struct bytes b) {
    return (sst_bytes){b.p, b.n};
}
static inline struct bytes api_taken(sst_bytes b) {
    return (struct bytes){b.data, b.size};
}

/* A cell of the caller as the library's: part borrows from *one and *cell. -1 with ERR_USAGE: there can be no such cell. */
int api_part_of(const sst_cell *cell, struct cell *one, struct row_part *part, struct err *err);

/* The fields of an option struct that the caller knows of, the rest zero. -1 with ERR_USAGE: its size cannot be. */
int api_options(void *own, size_t own_size, const void *given, const char *what, struct err *err);

/* A public partitioning: an inner one with what asking it needs prepared. A dataset makes its own out of its manifest. */

struct sst_partitioning {
    struct table table; /* holds the partitioning */
    struct placement *placement;
    struct buf text;
};

/* Prepares what questions need, once p->table.partitioning is set. 0, -1. */
int api_partitioning_prepare(sst_partitioning *p, struct err *err);

#endif
