/* Refuses files that are not sorted before they are sent to a server that takes them as sorted. */
#ifndef CMD_LOAD_LOAD_SORTED_H
#define CMD_LOAD_LOAD_SORTED_H

#include "base/err.h"
#include "cmd/load/load_files.h"

/* Checks a batch that goes in by direct load. ERR_INPUT: a line is not after the one before it, in its file or in the last one of
 * its partition; nothing of the batch has been sent. */
int load_sorted_check(const struct load_files_opts *o, const struct load_batch *b, struct err *err);

#endif
