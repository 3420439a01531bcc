/* The files of one dataset, family and partition as one source: disjoint and ascending, opened one at a time. */
#ifndef ENGINE_FILE_CHAIN_H
#define ENGINE_FILE_CHAIN_H

#include "engine/load_input.h"

/* Rows from start (inclusive) to stop (exclusive); p == NULL: open. */
struct row_span {
    struct bytes start, stop;
};
/* files[i]->tally and records grow as the cells go by; `files` is copied, the rows of span (NULL: all) are borrowed. group goes
 * into rank. */
struct source *file_chain_open(struct load_input *const *files, size_t n, const struct row_span *span, size_t block_limit,
                               struct err *err);

#endif
