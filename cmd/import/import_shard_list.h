/* Lists what shards read. */
#ifndef CMD_IMPORT_IMPORT_SHARD_LIST_H
#define CMD_IMPORT_IMPORT_SHARD_LIST_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "cmd/import/import.h"
#include "engine/read_opts.h"

/* --list --shards I/N or N: the files, or parts of files, that this shard, or each of them, reads. `in` has all inputs. */
int import_shard_list(struct environment *env, struct intake *intake, const struct read_opts *read, struct input_list *in,
                      struct err *err);

#endif
