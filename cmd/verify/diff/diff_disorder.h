/* Collects cells that come after larger ones in their file: all count, the first ones by side, file and key are kept. */
#ifndef CMD_VERIFY_DIFF_DIFF_DISORDER_H
#define CMD_VERIFY_DIFF_DIFF_DISORDER_H

#include "base/bytes.h"
#include "base/err.h"
#include "cmd/verify/diff/diff.h"

struct disorder_list;
struct disorder_list *disorder_list_new(uint64_t most, struct err *err);
void disorder_list_free(struct disorder_list *l);
/* Adds a cell out of order, from any thread. Keys are serialised: of the cell before, and of the one that should have come before
 * it. */
int disorder_list_add(struct disorder_list *l, unsigned side, const char *path, struct bytes before, struct bytes key,
                      struct err *err);
/* DIFF_MISORDERED for each that was kept; the others are only counted. */
int disorder_list_report(struct disorder_list *l, const struct diff_opts *o, struct diff_result *r, struct err *err);

#endif
