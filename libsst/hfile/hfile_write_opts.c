#include "hfile/hfile_write_opts.h"

struct hfile_write_opts hfile_write_defaults(void) {
    return (struct hfile_write_opts){.codec = HFILE_SNAPPY,
                                     .bloom = HFILE_BLOOM_ROW,
                                     .block_bytes = 65536,
                                     .index_chunk_bytes = 131072,
                                     .index_min_entries = 16,
                                     .bloom_chunk_bytes = 131072,
                                     .bloom_error_rate = 0.01f,
                                     .checksum = HFILE_SUM_CRC32C,
                                     .bytes_per_checksum = 16384,
                                     .tags = true,
                                     .mvcc = true,
                                     .seqs = true,
                                     .bulkload_task = "",
                                     .batch_blocks = 4};
}
