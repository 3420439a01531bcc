/* snappy_compress for C: see snappy_guard.cc. */
#ifndef CODEC_SNAPPY_GUARD_H
#define CODEC_SNAPPY_GUARD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0, 1 = no memory, -1 = refused. */
int snappy_guard_compress(const char *from, size_t n, char *to, size_t *made);
/* Of the headers, as the library has no function: 1.1.9 is 0x010109. */
unsigned snappy_guard_version(void);

#ifdef __cplusplus
}
#endif

#endif
