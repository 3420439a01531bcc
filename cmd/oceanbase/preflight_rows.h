/* Compares the rows of a table with what the journal says. */
#ifndef CMD_OCEANBASE_PREFLIGHT_ROWS_H
#define CMD_OCEANBASE_PREFLIGHT_ROWS_H

#include "base/err.h"
#include "cmd/oceanbase/preflight.h"

struct connection;

int preflight_rows(struct connection *c, const struct preflight_opts *o, struct preflight *p, uint32_t family, struct err *err);
/* Adds the finding that the family has no table. */
int preflight_rows_missing(struct connection *c, const struct preflight_opts *o, struct preflight *p, uint32_t family,
                           struct err *err);

#endif
