/* Shards and shares: what a join needs to know of them, to warn as one run would. */
#ifndef CMD_COMMON_SHARD_NOTES_H
#define CMD_COMMON_SHARD_NOTES_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "dataset/manifest.h"

struct environment;
struct intake;
struct output;

/* Notes, before inputs are read, the warnings that every shard or share has given so far. */
int shard_notes_begin(struct environment *env, struct output *output, struct err *err);
/* Records, after inputs were read, what the cells of each input have shown. */
int shard_notes_end(struct intake *intake, struct output *output, const struct input_list *in, struct err *err);
/* Counts the warnings of shards, and gives those that need all shards. whole: has the inputs of all. */
int shard_notes_warn(struct environment *env, struct intake *intake, const struct manifest *shards, size_t n,
                     const struct manifest *whole, struct err *err);
/* As shard_notes_warn, of shares whose ledgers add up. */
void shard_notes_warn_shares(struct environment *env, const struct manifest *shares, size_t n);

#endif
