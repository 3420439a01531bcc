/* How the files of an output are written. */
#ifndef CMD_COMMON_OUTPUT_WRITERS_H
#define CMD_COMMON_OUTPUT_WRITERS_H

#include "base/err.h"
#include "engine/partition_writer.h"

struct environment;
struct output;
struct target;

/* Codec, bloom, sizes, times. What *o points to belongs to output. */
int output_writers_make(struct environment *env, struct target *target, struct output *output, struct output_opts *o,
                        struct err *err);

#endif
