/* Reads the lines before the records of a file, other than a header of its own. */
#ifndef FORMATS_CSV_CSV_HEAD_H
#define FORMATS_CSV_CSV_HEAD_H

#include "base/err.h"
#include "engine/read_opts.h"
#include "formats/csv/csv.h"

/* Finds whose header it is, with header=first. Before the input is read. */
int csv_head_find(struct csv_reader *r, const struct read_opts *o, struct err *err);
/* Lines that are skipped, and sep=; of Excel. */
int csv_head_pass(struct csv_reader *r, struct err *err);
/* The header of r->first; what h names belongs to `from` until csv_head_return, which is called in any case. */
int csv_head_borrow(struct csv_reader *r, const struct read_opts *o, struct csv_header *h, struct csv_reader *from,
                    struct err *err);
void csv_head_return(struct csv_reader *from);

#endif
