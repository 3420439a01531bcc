/* Sequence ids that have had their time (rules/file_facts.h), where inputs are datasets and HFiles on their own. Files of one
 * family count together: those of a dataset in their partition, as files of a region do in HBase; others in all partitions. */
#ifndef ENGINE_OLD_SEQS_H
#define ENGINE_OLD_SEQS_H

#include "hfile/hfile_reader.h"
#include "engine/job.h"
#include "engine/load_input.h"

/* What a file has to say: *seq is its largest id when it is old enough, else 0. A file of ours was made when it says so, so that
 * copies are as old and results depend on content alone; any other one when it was changed last, as HBase goes by. */
int old_seq_of(const struct job *job, const struct hfile *h, uint64_t *seq, struct err *err);

struct old_seqs;
/* Looks into all HFiles among the inputs but those of stores, archives and pipes, many side by side. What is no
 * HFile, or none that can be read, is left to those who read it. NULL without error: nothing is that old. */
struct old_seqs *old_seqs_read(const struct job *job, const struct load_input *inputs, uint32_t n, struct err *err);
void old_seqs_free(struct old_seqs *o); /* NULL is fine */
/* expired: groups that are not read; NULL = none. o may be NULL. */
uint64_t old_seqs_upto(const struct old_seqs *o, const char *family, uint32_t partition, const bool *expired);
/* At most, of n inputs. */
size_t old_seqs_bytes(const struct job *job, uint32_t n);

#endif
