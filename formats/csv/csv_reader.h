/* The reader of CSV and TSV. */
#ifndef FORMATS_CSV_CSV_READER_H
#define FORMATS_CSV_CSV_READER_H

#include "base/bytes.h"
#include "base/err.h"
#include "engine/format.h"
#include "engine/read_opts.h"

/* name: of the dialect that holds where options and a mapping say nothing. */
struct reader *csv_open_dialect(struct instream *in, const struct read_opts *o, const char *name, struct err *err);
/* format.sniff of text with a delimiter, in files that are called so. */
int csv_sniff_text(struct bytes head, const char *path, uint8_t delimiter, const char *ending, const char *other);

#endif
