/* A source around another that ends with an error at the first delete marker: OceanBase stores none. */
#ifndef CMD_EXPORT_PUTS_ONLY_H
#define CMD_EXPORT_PUTS_ONLY_H

#include "cell/cell.h"

/* Takes over inner (also when it fails); path is for messages and outlives the source. */
struct source *puts_only_open(struct source *inner, const char *path, struct err *err);

#endif
