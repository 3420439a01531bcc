/* Writes what is merged of a partition. */
#ifndef ENGINE_MERGE_SLICES_H
#define ENGINE_MERGE_SLICES_H

#include "base/err.h"
#include "engine/file_rules.h"
#include "engine/partition_merge.h"
#include "engine/partition_writer.h"

struct partition_writer;

/* Merges, applies the rules, and writes the rows as the next file (or files; none where no cell is left). */
int partition_merge_write(struct partition_merge *s, const struct row_stretch *t, struct err *err);
/* As partition_merge_write, into the open file of w, by one thread. */
int partition_merge_put(struct partition_merge *s, const struct row_stretch *t, struct partition_writer *w, struct err *err);
/* Returns the options by which the files of a partition are written. rules_hash: filled; what is returned refers to it. */
struct output_opts partition_merge_output(const struct partition_merge *s, char rules_hash[RULES_HASH_BYTES]);

#endif
