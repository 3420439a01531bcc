/* Chooses the files of the dataset that an export reads. */
#ifndef CMD_EXPORT_EXPORT_CHOICE_H
#define CMD_EXPORT_EXPORT_CHOICE_H

#include "base/err.h"
#include "cmd/text/export_target.h"

/* export_choice.c: files of which the options take nothing leave e->m, and are counted in e->o.passed. */
int export_choose(struct export_task *e, struct err *err);
json_t *export_partitions_json(const struct export_options *o);

#endif
