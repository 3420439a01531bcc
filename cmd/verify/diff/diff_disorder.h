/* Cells that stand behind larger ones in their file, as they are found while a diff reads: all count, the first ones by side,
 * file and key are kept. */
#ifndef DIFF_DIFF_DISORDER_H
#define DIFF_DIFF_DISORDER_H

#include "cmd/verify/diff/diff_opts.h"

struct disorder_list;
struct disorder_list *disorder_list_new(uint64_t most, struct err *err);
void disorder_list_free(struct disorder_list *l);
/* From any thread. Keys are serialised: of the cell before, and of the one that should have come before it. */
int disorder_list_add(struct disorder_list *l, unsigned side, const char *path, struct bytes before, struct bytes key,
                      struct err *err);
/* DIFF_MISORDERED for each that was kept; the others are only counted. */
int disorder_list_tell(struct disorder_list *l, const struct diff_opts *o, struct diff_result *r, struct err *err);

#endif
