/* Exports, loads and verifies the batches of a dataset, all at the same time. */
#ifndef CMD_LOAD_LOAD_PIPELINE_H
#define CMD_LOAD_LOAD_PIPELINE_H

#include "base/err.h"
#include "cmd/load/load_run.h"

/* All batches of r->dataset; o is of the run, its m, dir and server_dir are those of each batch in turn. Adds to r->result. What
 * is in when it fails stays, and the next run resumes. */
int load_pipeline_run(struct load_run *r, const struct load_files_opts *o, struct err *err);
/* Hands out the statements that it would send, by the names that files would have. */
int load_pipeline_statements(struct load_run *r, const struct load_files_opts *o,
                             int (*put)(void *arg, struct bytes sql, struct err *err), void *arg, struct err *err);

#endif
