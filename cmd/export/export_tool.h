/* The parts of obkv-export. */
#ifndef CMD_EXPORT_EXPORT_TOOL_H
#define CMD_EXPORT_EXPORT_TOOL_H

#include "cmd/text/export_target.h"

/* Returns what was asked of obkv-export. `obkv-verify target` makes its own. */
static inline const struct export_options *export_options(const struct options *o) {
    return o->own;
}

#endif
