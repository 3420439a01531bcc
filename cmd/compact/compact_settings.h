/* Reads the settings of a compaction from options, before any input is read. */
#ifndef CMD_COMPACT_COMPACT_SETTINGS_H
#define CMD_COMPACT_COMPACT_SETTINGS_H

#include "base/err.h"
#include "cell/cell.h"

struct environment;
struct target;
struct output;

int compact_rank(const struct environment *env, enum tie_rule *tie, struct err *err);
/* --rules: s->kind, or *keeps_all for none. */
int compact_rules(struct environment *env, struct target *target, bool *keeps_all, struct err *err);
/* s->own_settings: what decides the bytes written, beside the settings of all programs. */
int compact_settings(struct environment *env, struct output *output, bool keeps_all, struct err *err);

#endif
