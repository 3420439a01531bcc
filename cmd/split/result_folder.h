/* The folder that plan and simulate leave their files in. */
#ifndef CMD_SPLIT_RESULT_FOLDER_H
#define CMD_SPLIT_RESULT_FOLDER_H

#include "cmd/common/options.h"

/* Before long work: is it one, and free to take them? of: "plan" or "simulation", which leaves `file`. */
int result_folder_check(const struct options *o, const char *of, const char *file, struct err *err);

#endif
