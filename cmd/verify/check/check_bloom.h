/* Cells against the bloom filters of their file: a key that a filter does not know is data that HBase would not find. */
#ifndef CHECK_CHECK_BLOOM_H
#define CHECK_CHECK_BLOOM_H

#include "hfile/hfile_reader.h"
#include "cmd/verify/check/check_range.h"

struct check_bloom {
    const struct hfile *h;
    struct hfile_bloom_reader *general, *family_deletes; /* NULL: the file has none, or it cannot be read (any more) */
    struct err why;                                      /* why not */
};

/* -1: no memory, or a filter that cannot be read. */
int check_bloom_open(struct check_bloom *b, const struct hfile *h, struct err *err);
/* Row parts in file order. What is missing is counted in *sums. Damage ends the asking, with b->why; -1: no memory … */
int check_bloom_part(struct check_bloom *b, const struct row_part *part, struct check_sums *sums, struct err *err);
/* What is missing from the filters of a whole file, and their figures. marked: rows with markers of the family. */
void check_bloom_tell(const struct check_bloom *b, const struct check_sums *sums, struct problems *problems);
void check_bloom_close(struct check_bloom *b);

#endif
