/* Operands of commands that read HFiles and datasets as they lie on disk: whatever else they are is named, with the commands
 * that read it. */
#ifndef CMD_VERIFY_HFILE_OPERAND_H
#define CMD_VERIFY_HFILE_OPERAND_H

#include "cmd/common/session.h"

/* 0: path ends as an HFile does; -1: it does not, and err tells what it is instead, as far as anybody can tell. */
int hfile_operand_file(const struct session *s, const char *path, struct err *err);
/* dir is a folder, but no dataset. */
int hfile_operand_refuse_folder(const struct session *s, const char *dir, struct err *err);

#endif
