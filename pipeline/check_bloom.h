/* Cells against the bloom filters of their file: a key that a filter does not know is data that HBase would not find. */
#ifndef PIPELINE_CHECK_BLOOM_H
#define PIPELINE_CHECK_BLOOM_H

#include "cell/cell.h"
#include "hfile/hfile_reader.h"
#include "pipeline/problems.h"

struct check_bloom {
    const struct hfile *h;
    struct problems *problems;
    struct hfile_bloom_reader *general, *family_deletes; /* NULL: the file has none */
    bool general_told, family_deletes_told;              /* one finding of a kind is enough */
};

int check_bloom_open(struct check_bloom *b, const struct hfile *h, struct problems *problems, struct err *err);
/* Row parts in file order. What is missing goes to problems; -1: a filter cannot be read. */
int check_bloom_part(struct check_bloom *b, const struct row_part *part, struct err *err);
void check_bloom_close(struct check_bloom *b);

#endif
