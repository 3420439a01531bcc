/* Finds the inputs in a directory that is no input itself: datasets and directories of HBase. */
#ifndef CMD_COMMON_SOURCES_BELOW_H
#define CMD_COMMON_SOURCES_BELOW_H

#include "base/err.h"

/* 0: there are none; -1: an error of this code that names them, or another one. */
int sources_below_refuse(const char *dir, enum err_code code, struct err *err);

#endif
