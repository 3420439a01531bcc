/* Warns of what a table cannot hold of the cells. */
#ifndef CMD_TEXT_EXPORT_LOSSES_H
#define CMD_TEXT_EXPORT_LOSSES_H

#include "cmd/common/report.h"
#include "cmd/text/export_target.h"

/* Reports cells without their own TTL or other tags, and markers later than now. */
void export_losses_warn(struct reporter *r, const struct export_form *form, const struct export_result *result);
/* Reports that all cells have expired, which stops the run if they are a whole table; a delta may be of cells that nobody wants
 * any more. */
void export_losses_warn_expired(struct reporter *r, const struct ledger *l, bool is_whole);

#endif
