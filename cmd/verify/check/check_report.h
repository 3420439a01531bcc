/* Reports what `obkv-verify check` found, as text or as one JSON document. */
#ifndef CMD_VERIFY_CHECK_CHECK_REPORT_H
#define CMD_VERIFY_CHECK_CHECK_REPORT_H

#include "base/err.h"
#include "cmd/verify/check/check.h"
#include "cmd/verify/check/check_findings.h"
#include "dataset/manifest.h"

struct check_report {
    const char *what;         /* the input */
    const struct manifest *m; /* NULL: not a dataset */
    const struct check_result *r;
    const struct check_findings *p; /* sorted */
    double seconds;
    bool quick;
    const bool *chosen;    /* by partition; NULL: all were checked */
    const struct err *why; /* the check could not be finished: why; code 0: it could */
};

void check_report_text(const struct check_report *c);
json_t *check_report_json(const struct check_report *c);

#endif
