/* Compares many partitions of a target at once. */
#ifndef CMD_VERIFY_TARGET_COMPARE_SCAN_H
#define CMD_VERIFY_TARGET_COMPARE_SCAN_H

#include "cmd/verify/target/compare.h"

/* is_equal[family * partitions + partition]: the target was found to hold the rows of the export. All others are still to be
 * compared, whatever was in the way. rows_of: of all partitions, for progress; *rows counts those that are equal. */
struct compare_scan {
    const struct compare_opts *o;
    bool *is_equal;
    uint64_t rows, rows_of;
};
int compare_scan_run(struct compare_scan *s, struct err *err);

#endif
