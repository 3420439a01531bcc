/* Makes the notes of a plan beside its figures. */
#ifndef CMD_SPLIT_PLAN_PLAN_NOTES_H
#define CMD_SPLIT_PLAN_PLAN_NOTES_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/split/plan/plan_view.h"

/* Nothing was said of the size, and as the table is, one partition would do. */
bool plan_one_does(const struct plan_view *v);
/* Fills v->notes; all designs are judged. */
int plan_notes_make(struct plan_view *v, struct err *err);
/* Writes why the ranking of the design does not follow --access prefix:N, as a sentence that ends with NUL; nothing where it
 * does. */
int plan_access_doubt(const struct plan_view *v, const struct plan_design *d, struct buf *out, struct err *err);

#endif
