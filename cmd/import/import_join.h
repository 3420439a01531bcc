/* Joins the shards of obkv-import --shards. */
#ifndef CMD_IMPORT_IMPORT_JOIN_H
#define CMD_IMPORT_IMPORT_JOIN_H

#include "base/err.h"

#include <stdint.h>

struct import_finished;
struct environment;
struct intake;

/* Returns what part of a run with --shards, from 0 to 1, the shards are expected to take; the rest is for the join. */
double import_part_of_shards(const struct environment *env);
int import_join(struct environment *env, struct intake *intake, struct import_finished *f, const char *parent, char *const *dirs,
                uint64_t n, int *code, struct err *err);

#endif
