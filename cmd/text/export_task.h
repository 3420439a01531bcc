/* One export from the dataset's side: what it is made of, and reading it. */
#ifndef CMD_TEXT_EXPORT_TASK_H
#define CMD_TEXT_EXPORT_TASK_H

#include "base/err.h"
#include "cmd/text/export_target.h"

/* Opens e->dataset and notes in e->made what the export is of; s, asked and dataset are set. The caller adds to e->o what is
 * selected, and how rejects are kept. Also after a failure, e is freed by export_task_free, with its list of rejects. */
int export_task_open(struct export_task *e, struct err *err);
void export_task_free(struct export_task *e);
/* Runs an export of this task (o: e->o or a part of it) and fails where a file of the dataset has changed meanwhile. */
int export_task_run(const struct export_task *e, const struct export_opts *o, struct export_manifest *out,
                    struct export_result *result, struct err *err);

#endif
