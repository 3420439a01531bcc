/* Values as people write them: 0, or -1 if the text is not such a value. */
#ifndef CMD_COMMON_OPT_VALUE_H
#define CMD_COMMON_OPT_VALUE_H

#include <stdint.h>

/* "64M", "4G", "1T", plain bytes. */
int opt_size(const char *text, uint64_t *out);
int opt_seconds(const char *text, uint64_t *out);
/* "5%" or "0.05": above 0, at most 1. */
int opt_share(const char *text, double *out);
/* ms since 1970, RFC 3339 (2026-11-21T12:00:00Z, with fraction and offset), or a date: its first moment in UTC. */
int opt_time(const char *text, int64_t *ms);

extern const char obkv_version[];

#endif
