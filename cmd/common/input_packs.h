/* Packs of shards in the list of inputs. */
#ifndef CMD_COMMON_INPUT_PACKS_H
#define CMD_COMMON_INPUT_PACKS_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "hfile/pack_index.h"

int input_packs_add(struct input_list *l, const char *dir, const struct pack_made *p, struct err *err);
/* Returns how many inputs a manifest lists, and input i of these: a pack of a shard is one, whatever is read of it. */
uint32_t input_packs_named(const struct input_list *l);
const struct input *input_packs_name(const struct input_list *l, uint32_t i);
void input_packs_free(struct input_list *l);

#endif
