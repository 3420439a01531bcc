/* What a cell takes of a memstore, as HBase counts it: Segment.heapSizeChange, ByteBufferKeyValue.heapSize in a chunk on the
 * heap, an entry of ConcurrentSkipListMap; a 64-bit JVM with compressed references. Pure. */
#ifndef SIMULATE_HEAP_SIZE_H
#define SIMULATE_HEAP_SIZE_H

#include <stdint.h>

/* keyvalue_bytes: both lengths, key, value and tags. */
static inline uint64_t heap_size_of_cell(uint64_t keyvalue_bytes, uint64_t tags_bytes) {
    enum { MAP_ENTRY = 40, KEYVALUE_OBJECT = 32 };
    (void)tags_bytes;
    return MAP_ENTRY + ((KEYVALUE_OBJECT + keyvalue_bytes + 7) & ~UINT64_C(7));
}

#endif
