/* The row key as an expression. */
#ifndef FORMATS_MAPPING_COLMAP_KEY_H
#define FORMATS_MAPPING_COLMAP_KEY_H

#include "base/err.h"
#include "formats/mapping/colmap.h"

/* Compiles the key, with everything else of *m laid out. */
int colmap_key_compile(struct colmap *m, const struct colmap_opts *o, struct err *err);
void colmap_key_free(struct colmap_key *key);

#endif
