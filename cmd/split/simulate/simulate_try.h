/* Compares key designs: `simulate --try`. */
#ifndef CMD_SPLIT_SIMULATE_SIMULATE_TRY_H
#define CMD_SPLIT_SIMULATE_SIMULATE_TRY_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/split/simulate/simulate_view.h"

/* v is made; key is borrowed. */
void simulate_design_take(struct simulate_design *d, const char *key, const struct simulate_view *v);
const char *simulate_design_name(const struct simulate_design *d);
/* Writes which keys are most even; nothing where nothing was written. */
int simulate_designs_verdict(const struct simulate_view *v, struct buf *out, struct err *err);
int simulate_designs_text(const struct simulate_view *v, struct buf *out, struct err *err);
json_t *simulate_designs_json(const struct simulate_view *v);

#endif
