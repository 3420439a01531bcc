/* The sub-commands of obkv-split that have files of their own. */
#ifndef CMD_SPLIT_SPLIT_H
#define CMD_SPLIT_SPLIT_H

#include "cmd/common/session.h"

int split_plan(struct session *s, int *code, struct err *err);
int split_simulate(struct session *s, int *code, struct err *err);

#endif
