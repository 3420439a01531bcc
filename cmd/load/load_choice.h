/* Chooses what is loaded. */
#ifndef CMD_LOAD_LOAD_CHOICE_H
#define CMD_LOAD_LOAD_CHOICE_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/load/load_run.h"

/* Opens the export or dataset of the command line, and keeps in r->m what --partitions chooses. */
int load_choice_open(struct load_run *r, struct err *err);
/* The default name of the journal. Each choice has its own, so that several runs load an export at the same time. */
int load_journal_name(const struct load_run *r, struct buf *name, struct err *err);

#endif
