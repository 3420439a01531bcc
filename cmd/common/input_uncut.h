/* A list of inputs as it was before it was cut. */
#ifndef CMD_COMMON_INPUT_UNCUT_H
#define CMD_COMMON_INPUT_UNCUT_H

#include "cmd/common/inputs.h"
#include "dataset/manifest.h"

/* l, cut for *shard by input_list_cut, has all inputs again, whole, and can be cut for another shard. Empties *shard. */
int input_uncut(struct input_list *l, struct manifest_shard *shard, struct err *err);

#endif
