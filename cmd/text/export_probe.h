/* Makes the lines of probe.kqvt. */
#ifndef CMD_TEXT_EXPORT_PROBE_H
#define CMD_TEXT_EXPORT_PROBE_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/oceanbase/cell_sums.h"

int export_probe_put(struct buf *out, struct cell_sums *sums, struct err *err);

#endif
