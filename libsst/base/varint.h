/* Variable-length integers: Hadoop's vint/vlong (WritableUtils), and protobuf's base-128 varint. */
#ifndef BASE_VARINT_H
#define BASE_VARINT_H

#include "base/bytes.h"

enum { HADOOP_VLONG_MAX = 9, PB_VARINT_MAX = 10 };

/* Write at p (room for the maximum), return the number of bytes written. */
size_t hadoop_vlong_put(uint8_t *p, int64_t v);
size_t pb_varint_put(uint8_t *p, uint64_t v);
size_t hadoop_vlong_size(int64_t v);

/* Take one from the head of *in and advance it. false: truncated or malformed, *in unchanged. */
bool hadoop_vlong_take(struct bytes *in, int64_t *v);
bool pb_varint_take(struct bytes *in, uint64_t *v);

#endif
