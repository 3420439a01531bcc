/* Values of options, as people write them. All return 0, or -1 where the text is none. */
#ifndef OPT_VALUE_H
#define OPT_VALUE_H

#include "base/buf.h"

/* "64M", "4G", "1T", plain bytes. */
int opt_size(const char *text, uint64_t *out);
/* "5%" or "0.05": above 0, at most 1. */
int opt_share(const char *text, double *out);
/* ms since 1970, or RFC 3339 (2026-11-21T12:00:00Z, with fraction and offset). */
int opt_time(const char *text, int64_t *ms);
/* A character, \t, tab or 0x1f. */
int opt_byte(const char *text, int *out);

#endif
