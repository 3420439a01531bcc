/* The first record of CSV and TSV as names of columns. */
#ifndef FORMATS_CSV_CSV_HEADER_H
#define FORMATS_CSV_CSV_HEADER_H

#include "base/bytes.h"
#include "base/err.h"
#include "engine/read_opts.h"
#include "formats/csv/csv.h"

int csv_header_alloc(struct csv_header *h, struct err *err);
void csv_header_free(struct csv_header *h);
/* Reads the header from the head of the content; h->n stays 0 if there is nothing but blank lines. */
int csv_header_take(struct csv_header *h, struct csv_reader *r, struct bytes head, struct err *err);
/* The first record was not said to be a header, but may be one: a warning. Once, though an input may be opened twice. */
int csv_header_doubt(struct csv_reader *r, const struct read_opts *o, struct csv_header *h, struct bytes head, struct err *err);
/* Warns of a header that was said to be there and is doubtful, or is all there is. */
int csv_header_check(const struct csv_reader *r, const struct read_opts *o, const struct csv_header *h, struct bytes head,
                     struct err *err);
/* Refuses text of which nothing says what its columns become (ERR_USAGE), and says what to type, by its header if it has one. */
int csv_header_propose(struct csv_reader *r, const struct read_opts *o, struct err *err);
/* As k00001 and k00002, or two hashes: but for their digits, of which there are some, they are equal. */
bool csv_header_alike(struct bytes a, struct bytes b);

#endif
