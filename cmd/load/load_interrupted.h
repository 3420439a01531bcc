/* Finds out what an interrupted statement has loaded. */
#ifndef CMD_LOAD_LOAD_INTERRUPTED_H
#define CMD_LOAD_LOAD_INTERRUPTED_H

#include "base/err.h"
#include "base/stop.h"
#include "cmd/load/load_batch.h"
#include "cmd/load/load_files.h"

struct connection;

struct load_settle {
    const struct load_list *list;
    struct load_batch *batch;
};

/* Ends what still runs of the files of the batch that were interrupted, waits until it has ended, then looks, and changes the
 * state of each such file of the batch's partitions: in; to be loaded (again); to be replaced, where some rows are in and nothing
 * else can be in their place. ERR_OUTPUT: a partition holds something else than it can. Calls found for each that is in. */
int load_interrupted_settle(struct connection *c, const struct load_settle *s,
                            int (*found)(void *arg, struct load_file *f, struct err *err), void *arg, struct err *err);

/* Ends the server's sessions whose statement begins with verb and has one of the texts in it, and waits until they are gone
 * (ERR_BUSY: they are not). */
int load_interrupted_end(struct connection *c, const struct stop *stop, const char *verb, const char *const *texts, size_t n,
                         struct err *err);

#endif
