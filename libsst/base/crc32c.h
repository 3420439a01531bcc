/* CRC-32C (Castagnoli, reflected, final inversion): HFile's default block checksum, and that of our spill runs. */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* crc = 0 to start; feed the result back to go on. Uses the SSE4.2 instruction where the processor has it. */
uint32_t crc32c(uint32_t crc, const void *p, size_t n);
/* Of two stretches of n bytes each, from 0: nearly as fast as one, since the instruction waits for its own result. */
void crc32c_pair(const void *a, const void *b, size_t n, uint32_t out[2]);

#endif
