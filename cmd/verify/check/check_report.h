/* What `obkv-verify check` has found, as text to look at or as one JSON document. */
#ifndef CHECK_CHECK_REPORT_H
#define CHECK_CHECK_REPORT_H

#include "cmd/common/session.h"
#include "cmd/verify/check/check.h"

struct check_report {
    const char *what;         /* the input */
    const struct manifest *m; /* NULL: not a dataset */
    const struct check_result *r;
    const struct problems *p; /* sorted */
    double seconds;
    bool quick;
    const struct err *why; /* the check could not be finished: why; code 0: it could */
};

void check_report_text(const struct check_report *c);
int check_report_json(const struct check_report *c, struct err *err);

#endif
