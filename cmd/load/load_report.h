/* Reports a load to people and pipelines. */
#ifndef CMD_LOAD_LOAD_REPORT_H
#define CMD_LOAD_LOAD_REPORT_H

#include "base/err.h"
#include "cmd/load/load_files.h"
#include "cmd/load/load_run.h"

#include <stdio.h>

/* load_report.c: what people and pipelines see. */
int load_report_checks(struct load_run *r, FILE *out, struct err *err);
int load_report_statements(struct load_run *r, const struct load_files_opts *o, struct err *err);
int load_report_dry_run_json(struct load_run *r, const struct load_files_opts *o, struct err *err);
void load_report_event(void *arg, const struct load_files_event *e);
void load_report_tick(void *arg, uint64_t sent);
int load_report_end(struct load_run *r, bool did_something, struct err *err);
void load_report_metrics(struct load_run *r); /* for --metrics */

#endif
