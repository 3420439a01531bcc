/* What a directory that is no input itself holds of inputs: datasets and directories of HBase. */
#ifndef CMD_COMMON_SOURCES_BELOW_H
#define CMD_COMMON_SOURCES_BELOW_H

#include "base/err.h"

/* 0: there are none; -1: ERR_USAGE that names them, or another error. */
int sources_below_refuse(const char *dir, struct err *err);

#endif
