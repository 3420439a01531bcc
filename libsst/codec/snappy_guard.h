/* snappy_compress for C: see snappy_guard.cc. */
#ifndef CODEC_SNAPPY_GUARD_H
#define CODEC_SNAPPY_GUARD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Compresses n bytes. 0, 1 = no memory, -1 = refused. */
int snappy_guard_compress(const char *from, size_t n, char *to, size_t *made);
/* Returns the version of snappy's headers, as the library has no function for it: 1.1.9 is 0x010109. */
unsigned snappy_guard_version(void);

#ifdef __cplusplus
}
#endif

#endif
