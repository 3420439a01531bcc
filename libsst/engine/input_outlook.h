/* Finds out what is known of all inputs before the first of them is read. */
#ifndef ENGINE_INPUT_OUTLOOK_H
#define ENGINE_INPUT_OUTLOOK_H

#include "base/err.h"
#include "engine/input.h"
#include "engine/input_queue.h"
#include "engine/input_reader.h"

struct memory_plan;
struct whole_files;

/* Several files at once; NULL: error. */
struct whole_files *whole_files_check(const struct input_reader_opts *o, struct err *err);
/* Returns the verdict on one file of one input. */
const struct file_verdict *whole_files_verdict(const struct whole_files *w, uint32_t input, size_t file);
void whole_files_free(struct whole_files *w); /* NULL is fine */
/* *out of these inputs may be read side by side, because they are compressed texts: takes the memory for the windows of all
 * but one of them out of the plan. 0 or 1: none beside another (input_outlook.c). */
int input_side_by_side_plan(const struct input *inputs, uint32_t n_inputs, struct memory_plan *plan, unsigned *out,
                            struct err *err);

#endif
