/* The rows of one partition in which an export and a target differ. */
#ifndef TARGET_DESCEND_H
#define TARGET_DESCEND_H

#include "cmd/verify/target/compare_opts.h"
#include "cmd/verify/target/load_rows.h"
#include "cmd/oceanbase/connection.h"

struct descend_opts {
    const struct compare_opts *compare;
    struct load_rows_opts rows;
    struct sums_place place;
    int (*found)(void *arg, const struct compare_finding *f, struct err *err);
    void *arg;
    uint64_t *expired; /* counted here instead */
};

int descend_run(struct connection *c, const struct descend_opts *o, struct err *err);

#endif
