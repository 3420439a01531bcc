/* Loads the files of an export into a target: several at a time, each by one statement, with a journal, so that a file is neither
 * left out nor loaded twice whatever happens in between.
 *
 * OceanBase's direct loads go one after the other: statements wait for each other inside the server, also those of different
 * tables, and poll while they wait (4 files of 60,000 rows: 3.2 s one by one, 16 s side by side). Files that are loaded by plain
 * LOAD DATA go side by side, but never two into one partition: what a statement that was cut off has left there is told from the
 * sums of the partition. */
#ifndef CMD_LOAD_DELIVER_H
#define CMD_LOAD_DELIVER_H

#include "cmd/load/deliver_opts.h"

/* 0 when all files are in. r is filled in any case. */
int deliver_run(const struct deliver_opts *o, struct deliver_result *r, struct err *err);

/* The statement for one file. */
int deliver_put_statement(struct buf *out, const struct deliver_opts *o, const struct export_file *f, bool replace,
                          struct err *err);

#endif
