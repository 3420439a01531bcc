/* The output directory of an export. */
#ifndef CMD_EXPORT_EXPORT_OUT_H
#define CMD_EXPORT_EXPORT_OUT_H

#include "base/err.h"
#include "cmd/text/export_target.h"

/* export_out.c: the output directory: *done if it already holds this very export; otherwise it is opened and locked. */
int export_open(struct export_task *e, bool *done, int *code, struct err *err);
/* Statements, manifest, publication. */
int export_publish(struct export_task *e, struct err *err);

#endif
