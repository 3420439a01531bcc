/* Next steps, as part of a result: the table that the result is about as SQL, and the commands that follow, to be copied. */
#ifndef CMD_COMMON_NEXT_STEPS_H
#define CMD_COMMON_NEXT_STEPS_H

#include "base/err.h"

#include <jansson.h>

struct options;

/* Makes {"lead": …, "sql": …, "steps": []}; sql NULL: there is none. NULL: out of memory. */
json_t *next_steps_new(const char *lead, const char *sql);
/* Adds a command. words end with NULL; why NULL: as the command before. */
int next_steps_add(json_t *next, const char *why, const char *const *words, struct err *err);
/* As next_steps_add, with the inputs of this run, and the options that say how they are read and what is taken of them. */
int next_steps_read(json_t *next, const char *why, const char *const *words, const struct options *o, struct err *err);
/* Adds the import of the inputs into the table of a DDL file. */
int next_steps_import(json_t *next, const struct options *o, const char *ddl, struct err *err);

#endif
