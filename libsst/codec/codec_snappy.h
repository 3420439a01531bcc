/* Raw Snappy, unpacked. What the library packs comes back, and what it refuses is refused; it only takes half the time. */
#ifndef CODEC_CODEC_SNAPPY_H
#define CODEC_CODEC_SNAPPY_H

#include "base/bytes.h"

/* *n: the size of the content, which precedes it. false: it is not readable. */
bool codec_snappy_unpacked_size(struct bytes packed, size_t *n);
/* dst has room for exactly the n bytes that codec_snappy_unpacked_size gave. false: not valid Snappy data; dst then holds
 * anything. */
bool codec_snappy_unpack(struct bytes packed, uint8_t *dst, size_t n);

#endif
