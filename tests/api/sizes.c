/* Prints the size of every public struct, and where its last field of the first version lies: what a program compiled
 * against these headers relies on. */
#include <sst/arrow.h>
#include <sst/dataset_writer.h>
#include <sst/sorter.h>
#include <sst/writer.h>

#include <stdio.h>

#define SHOW(type, last) printf(#type " %zu " #last " %zu\n", sizeof(type), offsetof(type, last))

int main(void) {
    SHOW(sst_bytes, size);
    SHOW(sst_error, text);
    SHOW(sst_cell, row_starts);
    SHOW(sst_digest, high);
    SHOW(sst_file_options, max_block_bytes);
    SHOW(sst_read_ops, close);
    SHOW(sst_file_info, scan_bytes);
    SHOW(sst_pair, value);
    SHOW(sst_index_entry, key);
    SHOW(sst_block, encoding_name);
    SHOW(sst_bloom_info, comparator);
    SHOW(sst_scan_options, range_end);
    SHOW(sst_part_cell, type);
    SHOW(sst_part, row_ends);
    SHOW(sst_merge_options, row_marker_bytes);
    SHOW(sst_new_pair, value);
    SHOW(sst_writer_options, threads);
    SHOW(sst_written, digest);
    SHOW(sst_dataset_info, digest);
    SHOW(sst_dataset_file, time_max);
    SHOW(sst_write_ops, close);
    SHOW(sst_dataset_ops, close);
    SHOW(sst_sorter_options, threads);
    SHOW(sst_dataset_writer_options, overwrite);
    SHOW(sst_dataset_written, digest);
    SHOW(sst_arrow_options, sorter);
    return 0;
}
