/* The files of one dataset, family and partition as one source: disjoint and ascending, opened one at a time. */
#ifndef PIPELINE_FILE_CHAIN_H
#define PIPELINE_FILE_CHAIN_H

#include "pipeline/load.h"

/* files[i]->tally and records are filled as the cells go by; `files` is copied. group goes into rank. */
struct source *file_chain_open(struct load_input *const *files, size_t n, size_t block_limit, struct err *err);

#endif
