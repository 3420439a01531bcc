/* Copies whole blocks of a base beside rows that are merged. */
#ifndef ENGINE_BLOCK_REUSE_H
#define ENGINE_BLOCK_REUSE_H

#include "base/err.h"
#include "engine/partition_merge.h"
#include "engine/reusable_file.h"

/* f of s->base, judged: finds blocks that are copied (f->copied), if its file is rewritten for new cells (block_reuse.c). */
int block_reuse_find(const struct partition_merge *s, const struct reuse_env *env, struct base_file *f, struct err *err);
/* Writes the rows of s->base[k], which has such blocks, and those of other inputs among them, into one file. */
int block_reuse_write(struct partition_merge *s, size_t k, struct err *err);

#endif
