/* Checks cells against the bloom filters of their file: a key that a filter does not know is data that HBase would not find. */
#ifndef CMD_VERIFY_CHECK_CHECK_BLOOM_H
#define CMD_VERIFY_CHECK_CHECK_BLOOM_H

#include "base/err.h"
#include "cell/cell.h"
#include "cmd/verify/check/check_findings.h"
#include "cmd/verify/check/check_range.h"
#include "hfile/hfile_state.h"

struct hfile_bloom_reader;

struct check_bloom {
    const struct hfile *h;
    struct hfile_bloom_reader *general, *family_deletes; /* NULL: the file has none, or it cannot be read (any more) */
    struct err why;                                      /* why not */
};

/* Opens the filters of a file. -1: no memory, or a filter that cannot be read. */
int check_bloom_open(struct check_bloom *b, const struct hfile *h, struct err *err);
/* Row parts in file order. What is missing is counted in *sums. Damage ends the asking, with b->why; -1: no memory … */
int check_bloom_part(struct check_bloom *b, const struct row_part *part, struct check_sums *sums, struct err *err);
/* Adds findings about keys that are missing from the filters of a whole file, and about their figures. marked: rows with markers
 * of the family. */
void check_bloom_report(const struct check_bloom *b, const struct check_sums *sums, struct check_findings *findings);
void check_bloom_close(struct check_bloom *b);

#endif
