/* What a run that wrote a dataset tells at its end: for people a few lines, for pipelines one JSON document. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "cmd/common/session.h"

/* --dry-run: what would be read and written; touches nothing. */
int summary_dry_run(struct session *s, const struct input_list *in, struct err *err);
/* --json of a run that found its work done. */
int summary_nothing(const struct session *s, struct err *err);
int summary_print(struct session *s, const char *did, const struct input_list *in, const struct build_result *r, struct err *err);

#endif
