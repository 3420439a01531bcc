/* Takes what a selection has of a stretch. */
#ifndef CMD_TEXT_EXPORT_SELECT_H
#define CMD_TEXT_EXPORT_SELECT_H

#include "base/bytes.h"
#include "base/err.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "select/selection_state.h"

/* Owns inner from now on, also when it fails. What is taken, and what is left, is added to the tallies. */
struct source *export_select_open(struct source *inner, const struct selection *selection, struct tally *taken,
                                  struct tally *left, struct err *err);
/* Returns whether rows may be taken; false: no row from start to the one before stop (p == NULL: open) is taken. */
bool export_select_rows(const struct selection *selection, struct bytes start, struct bytes stop);

#endif
