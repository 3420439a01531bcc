/* Shards and shares: what a join needs to know of them, to warn as one run would. */
#ifndef CMD_COMMON_SESSION_SHARD_H
#define CMD_COMMON_SESSION_SHARD_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "dataset/manifest.h"

struct environment;
struct intake;
struct output;

/* Before inputs are read: every shard or share has given the warnings so far. */
int session_shard_begin(struct environment *env, struct output *output, struct err *err);
/* After inputs were read: records what the cells of each input have shown. */
int session_shard_end(struct intake *intake, struct output *output, const struct input_list *in, struct err *err);
/* Counts the warnings of shards, and gives those that need all shards. whole: has the inputs of all. */
int session_shards_warn(struct environment *env, struct intake *intake, const struct manifest *shards, size_t n,
                        const struct manifest *whole, struct err *err);
/* As session_shards_warn, of shares whose ledgers add up. */
void session_shares_warn(struct environment *env, const struct manifest *shares, size_t n);

#endif
