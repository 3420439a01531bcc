/* The share of one run in a list of inputs that several runs read between them. */
#ifndef CMD_COMMON_INPUT_SHARD_H
#define CMD_COMMON_INPUT_SHARD_H

#include "cmd/common/inputs.h"
#include "dataset/manifest.h"
#include "engine/read_opts.h"

/* "3/7" */
int shard_number_parse(const char *option, const char *text, uint32_t *number, uint32_t *of, struct err *err);
/* l, which has all inputs, keeps those of shard->number of shard->of; the rest of *shard is filled in. o: how text is read.
 * ERR_USAGE: an input that several runs cannot read. */
int input_list_cut(struct input_list *l, const struct read_opts *o, struct manifest_shard *shard, struct err *err);

#endif
