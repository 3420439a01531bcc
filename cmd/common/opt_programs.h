/* The programs and their commands, for messages about confused ones, and for sections of a file of settings. */
#ifndef CMD_COMMON_OPT_PROGRAMS_H
#define CMD_COMMON_OPT_PROGRAMS_H

#include "base/bytes.h"
#include "base/err.h"

bool opt_is_program(struct bytes name);
bool opt_is_command(struct bytes program, struct bytes name);
/* "; did you mean '…'?", or "", into out (of NEAR_NAME_MAX + 48 bytes). */
const char *opt_program_meant(struct bytes name, char *out);
const char *opt_command_meant(struct bytes program, struct bytes name, char *out);
/* ERR_USAGE where word is a command of another program, or the name of one, and says what to type; else 0. as_file: it stands
 * where a file is expected. */
int opt_refuse_foreign(const char *program, const char *word, bool as_file, struct err *err);

#endif
