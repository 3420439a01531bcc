/* The changes between two states of a table, as a delta. Exports: changes */
#ifndef RULES_CHANGES_H
#define RULES_CHANGES_H

#include "cell/cell.h"
#include "rules/ledger.h"

/* Makes a source of what turns the first state, input 0 of the ranks, into the second, any other input: its new and changed
 * puts, and delete markers for what it lacks. Readers see the newest `versions` cells of a column (UINT32_MAX: all): the first
 * state may hold more, which get no marker as long as they stay hidden. inner holds whole rows of one family in cell order, of
 * equal cells the second state's first; delete markers in it are ERR_UNSUPPORTED. What both have is dropped as duplicate, what is
 * gone as deleted, what is hidden as superseded; markers that are made count as such. Takes ownership of inner, also on error. */
struct source *changes_open(struct source *inner, uint32_t versions, struct ledger *ledger, struct err *err);

#endif
