/* Chooses what is loaded: --partitions. */
#ifndef CMD_LOAD_LOAD_CHOICE_H
#define CMD_LOAD_LOAD_CHOICE_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/load/load_run.h"

/* load_choice.c: --partitions. Files of other partitions leave r->m. */
int load_choose(struct load_run *r, struct err *err);
/* The default name of the journal. Each choice has its own, so that several runs load an export at the same time. */
int load_journal_name(const struct load_run *r, struct buf *name, struct err *err);

#endif
