/* What the files of a check come to: their sums, and the errors of those that could not be read. By many threads. */
#ifndef CHECK_CHECK_TOTAL_H
#define CHECK_CHECK_TOTAL_H

#include "cmd/verify/check/check_file_opts.h"
#include "cmd/verify/check/check_result.h"

struct check_total {
    struct check_result *out;
    struct err ends;  /* ends the run */
    struct err first; /* of a file that could not be read: others may be readable */
};

void check_total_add(struct check_total *s, const struct check_file_result *c);
void check_total_error(struct check_total *s, const struct err *e);
bool check_total_ended(struct check_total *s);
/* 0, or -1 with the error that counts. */
int check_total_end(const struct check_total *s, struct err *err);

#endif
