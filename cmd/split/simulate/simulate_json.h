/* `obkv-split simulate --json`. */
#ifndef CMD_SPLIT_SIMULATE_SIMULATE_JSON_H
#define CMD_SPLIT_SIMULATE_SIMULATE_JSON_H

#include "base/err.h"
#include "cmd/split/simulate/simulate_view.h"

/* All figures, bounds for the HBase shell: into --output; see docs/simulate.md. */
int simulate_files_write(const struct simulate_view *v, const char *dir, struct err *err);
json_t *simulate_json_make(const struct simulate_view *v);

#endif
