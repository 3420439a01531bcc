/* Operands of commands that read HFiles and datasets as they are on disk: whatever else they are is named, with the commands
 * that read it. */
#ifndef CMD_COMMON_HFILE_OPERAND_H
#define CMD_COMMON_HFILE_OPERAND_H

#include "base/err.h"

struct environment;

/* 0: path ends as an HFile does; -1: it does not, and err says what it probably is instead. */
int hfile_operand_file(const struct environment *env, const char *path, struct err *err);
/* dir is a directory, but no dataset. */
int hfile_operand_refuse_directory(const struct environment *env, const char *dir, struct err *err);

#endif
