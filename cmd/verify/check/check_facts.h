/* Checks what trailer, file info and manifest say about a file against what its cells are. */
#ifndef CMD_VERIFY_CHECK_CHECK_FACTS_H
#define CMD_VERIFY_CHECK_CHECK_FACTS_H

#include "base/bytes.h"
#include "cmd/verify/check/check_file.h"
#include "cmd/verify/check/check_range.h"
#include "hfile/hfile_state.h"

/* Returns whether a file of a dataset has been through the version rules that its manifest names. Then *now_ms is when. */
bool check_facts_dated(const struct check_file_opts *o, const struct hfile *h, int64_t *now_ms);
/* Trailer and file info against all cells; those of a dataset are exact where HBase's are bounds. */
void check_facts_report(const struct check_file_opts *o, const struct hfile *h, const struct check_range *all);
/* The manifest against all cells. */
void check_facts_report_listed(const struct check_file_opts *o, const struct hfile *h, const struct check_range *all);
void check_facts_report_family(const struct check_file_opts *o, struct bytes key);
/* The manifest against trailer and file info: all that --quick sees. */
void check_facts_report_opened(const struct check_file_opts *o, const struct hfile *h);

#endif
