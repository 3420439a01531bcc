/* What became of a statement whose end nobody saw: a loader or a server that was killed, a connection that broke. */
#ifndef CMD_LOAD_SETTLE_H
#define CMD_LOAD_SETTLE_H

#include "cmd/load/deliver_opts.h"

enum settle_answer {
    SETTLED_OUT,   /* nothing of the file is there: load it (again) */
    SETTLED_IN,    /* all of it is */
    SETTLED_PARTLY /* some rows are, and nothing else can be in their place: replacing them loads no row twice */
};

struct settle_opts {
    const struct deliver_opts *loader;
    const struct export_file *file;
    struct cell_sums before; /* what the partition held before the file */
    bool base_empty;         /* it was empty before the first file */
};

/* Ends what still runs, waits until it has ended, then looks. ERR_OUTPUT: the partition holds something else than it can. */
int settle_file(struct connection *c, const struct settle_opts *s, enum settle_answer *answer, struct err *err);

#endif
