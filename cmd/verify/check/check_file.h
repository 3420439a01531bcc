/* One HFile checked whole, in parallel by block ranges: every checksum, sizes, order, one family, index against blocks,
 * blooms against rows and columns, file info against cells, placement of every row, digest, whole-file checksum. Damage ends
 * nothing: what lies behind it is checked where it can be found. */
#ifndef CHECK_CHECK_FILE_H
#define CHECK_CHECK_FILE_H

#include "cmd/verify/check/check_file_opts.h"

/* Options for one file with the shares of memory that a run gives it. */
struct check_file_opts check_file_opts_of(const struct job *job, const char *path, bool quick, struct problems *problems);
/* Called inside a parallel region: makes tasks. What is wrong goes to problems; -1 only for our own failures and stops: with
 * ERR_INPUT the file could not be read, and others may be. */
int check_file(const struct check_file_opts *o, struct check_file_result *out, struct err *err);

#endif
