/* What a cell takes of a memstore, as HBase counts it (Segment.heapSizeChange): an entry of ConcurrentSkipListMap, and the cell,
 * which lies in a chunk (ByteBufferKeyValue) or, above the largest allocation of the chunks, in an array of its own
 * (KeyValue). A 64-bit JVM with compressed references. Pure. */
#ifndef SIMULATE_HEAP_SIZE_H
#define SIMULATE_HEAP_SIZE_H

#include <stdint.h>

/* keyvalue_bytes: both lengths, key, value and tags. */
static inline uint64_t heap_size_of_cell(uint64_t keyvalue_bytes) {
    enum { MAP_ENTRY = 40, KEYVALUE_OBJECT = 32, ARRAY_HEAD = 16, CHUNK_CELL_MOST = 256 << 10 };
    uint64_t own = KEYVALUE_OBJECT + keyvalue_bytes + (keyvalue_bytes > CHUNK_CELL_MOST ? ARRAY_HEAD : 0);
    return MAP_ENTRY + ((own + 7) & ~UINT64_C(7));
}

#endif
