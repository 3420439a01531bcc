/* Imports and repartitions. */
#ifndef ENGINE_BUILD_RUN_H
#define ENGINE_BUILD_RUN_H

#include "base/err.h"
#include "engine/build.h"

int build_run(const struct build_opts *o, struct build_result *out, struct err *err);
void build_result_free(struct build_result *r);

#endif
