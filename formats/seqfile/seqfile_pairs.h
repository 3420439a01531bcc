/* A small SequenceFile read pair by pair: rows, and values of one class. */
#ifndef FORMATS_SEQFILE_SEQFILE_PAIRS_H
#define FORMATS_SEQFILE_SEQFILE_PAIRS_H

#include "formats/seqfile/seqfile_input.h"

struct seqfile_pairs;
/* Takes over `in` also when it fails. o: max_block_bytes, stop. */
struct seqfile_pairs *seqfile_pairs_open(struct instream *in, const char *value_class, const struct read_opts *o,
                                         struct err *err);
/* 1 = filled (valid until the next call), 0 = end, -1 = error that names file and place. */
int seqfile_pairs_next(struct seqfile_pairs *p, struct bytes *row, struct bytes *value, struct err *err);
void seqfile_pairs_close(struct seqfile_pairs *p); /* NULL is fine */

#endif
