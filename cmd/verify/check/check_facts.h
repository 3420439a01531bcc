/* What trailer, file info and manifest say about a file, against what its cells are. */
#ifndef CHECK_CHECK_FACTS_H
#define CHECK_CHECK_FACTS_H

#include "cmd/verify/check/check_file_opts.h"
#include "cmd/verify/check/check_range.h"

/* Has a file of a dataset been through the version rules that its manifest names? Then *now_ms is when. */
bool check_facts_dated(const struct check_file_opts *o, const struct hfile *h, int64_t *now_ms);
/* Trailer and file info against all cells; those of a dataset are exact where HBase's are bounds. */
void check_facts_tell(const struct check_file_opts *o, const struct hfile *h, const struct check_range *all);
/* The manifest against all cells. */
void check_facts_tell_listed(const struct check_file_opts *o, const struct hfile *h, const struct check_range *all);
void check_facts_tell_family(const struct check_file_opts *o, struct bytes key);
/* The manifest against trailer and file info: all that --quick sees. */
void check_facts_tell_opened(const struct check_file_opts *o, const struct hfile *h);

#endif
