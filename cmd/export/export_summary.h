/* Prints what an export has written. */
#ifndef CMD_EXPORT_EXPORT_SUMMARY_H
#define CMD_EXPORT_EXPORT_SUMMARY_H

#include "base/err.h"
#include "cmd/text/export_target.h"

/* export_summary.c: what must be said before the export is published */
void export_warn(const struct export_task *e, struct intake *intake);
int export_summary(const struct export_task *e, struct err *err);
int export_dry_run(const struct export_task *e, struct err *err);

#endif
