/* Shards and shares: what a join needs to know of them, to warn as one run would. */
#ifndef CMD_COMMON_SESSION_SHARD_H
#define CMD_COMMON_SESSION_SHARD_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "dataset/manifest.h"

struct environment;
struct intake;
struct output;

/* Notes, before inputs are read, the warnings that every shard or share has given so far. */
int session_shard_begin(struct environment *env, struct output *output, struct err *err);
/* Records, after inputs were read, what the cells of each input have shown. */
int session_shard_end(struct intake *intake, struct output *output, const struct input_list *in, struct err *err);
/* Counts the warnings of shards, and gives those that need all shards. whole: has the inputs of all. */
int session_shards_warn(struct environment *env, struct intake *intake, const struct manifest *shards, size_t n,
                        const struct manifest *whole, struct err *err);
/* As session_shards_warn, of shares whose ledgers add up. */
void session_shares_warn(struct environment *env, const struct manifest *shares, size_t n);

#endif
