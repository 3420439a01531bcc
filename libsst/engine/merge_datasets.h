/* Merges datasets that share one partitioning: per family and partition, the inputs' files are merged directly, version rules
 * applied, and written. One task per partition; memory is one block per input and worker. Over a base, files that need no
 * rewriting are linked. */
#ifndef ENGINE_MERGE_DATASETS_H
#define ENGINE_MERGE_DATASETS_H

#include "engine/partition_merge.h"

/* Decides how many threads of job merge how many inputs at a time (o->width), within memory and descriptors: all at once by fewer
 * threads, before they are merged in levels. false: not even two at a time. Opens all files, the first time that it is asked
 * (o->scan_bytes). */
bool merge_datasets_room(struct merge_datasets_opts *o, struct job *job);
int merge_datasets_run(const struct merge_datasets_opts *o, struct build_result *out, struct err *err);
/* Decides what a run with a base would do, and fills the report. Writes nothing. */
int merge_datasets_plan(const struct merge_datasets_opts *o, struct err *err);
/* Compares two outcomes, by family and partition, for qsort and bsearch in base_outcomes.partitions. */
int base_outcome_order(const void *pa, const void *pb);
void base_outcomes_free(struct base_outcomes *l);

#endif
