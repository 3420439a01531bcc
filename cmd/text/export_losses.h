/* Warns of what a table cannot hold of the cells. */
#ifndef CMD_TEXT_EXPORT_LOSSES_H
#define CMD_TEXT_EXPORT_LOSSES_H

#include "cmd/common/report.h"
#include "cmd/text/export_target.h"

/* Reports cells without their own TTL or other tags, markers later than now, and cells that have all expired. */
void export_losses_warn(struct reporter *r, const struct export_form *form, const struct export_result *result);

#endif
