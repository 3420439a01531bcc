/* Prints differences, and a closing line or paragraph. */
#ifndef CMD_VERIFY_DIFF_DIFF_PRINT_H
#define CMD_VERIFY_DIFF_DIFF_PRINT_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/verify/diff/diff.h"
#include "cmd/verify/diff/diff_side.h"
#include "cmd/verify/difference/difference_table.h"

struct diff_printer {
    struct environment *env;
    struct side *sides;    /* [DIFF_SIDES] */
    uint64_t limit, shown; /* differences */
    struct difference_table table;
    bool gone; /* standard output is no longer read */
};

/* diff_opts.found; arg: a struct diff_printer. */
int diff_print_found(void *arg, const struct diff_finding *f, struct err *err);
/* The end. */
int diff_print_result(struct diff_printer *p, const struct diff_result *r, bool by_manifest, struct err *err);
void diff_printer_free(struct diff_printer *p);

#endif
