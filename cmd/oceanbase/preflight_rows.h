/* Compares the rows of a table with what the journal says. */
#ifndef CMD_OCEANBASE_PREFLIGHT_ROWS_H
#define CMD_OCEANBASE_PREFLIGHT_ROWS_H

#include "base/err.h"
#include "cmd/oceanbase/kqvt.h"
#include "cmd/oceanbase/preflight.h"

struct connection;

/* Returns whether the row has not expired at now_ms, by TimeToLive or its own TTL. */
bool preflight_rows_live(const struct family *f, uint64_t now_ms, const struct kqvt_row *row);
int preflight_rows(struct connection *c, const struct preflight_opts *o, struct preflight *p, uint32_t family, struct err *err);
/* Adds the finding that the family has no table. */
int preflight_rows_missing(struct connection *c, const struct preflight_opts *o, struct preflight *p, uint32_t family,
                           struct err *err);

#endif
