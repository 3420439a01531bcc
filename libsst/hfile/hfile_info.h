/* What an open HFile tells of itself, and what of it could not be read. */
#ifndef HFILE_HFILE_INFO_H
#define HFILE_HFILE_INFO_H

#include "base/err.h"
#include "hfile/hfile.h"

/* What was passed over because it is damaged: bytes [offset, end). */
struct hfile_lost {
    uint64_t offset, end;
    bool no_cells;            /* it held no cells: an index, a bloom filter */
    struct bytes first, last; /* serialised keys: what may be missing lies between; p == NULL: not known */
    const char *reason;       /* without the file's name */
};
/* Who wants to go on after damage says so by giving one. Everything is borrowed until put returns; -1 ends the reading. */
struct hfile_lost_sink {
    int (*put)(void *arg, const struct hfile_lost *lost, struct err *err);
    void *arg;
};

struct hfile_info {
    const char *path;
    uint64_t file_bytes;
    unsigned major, minor;
    enum hfile_codec codec;
    enum hfile_encoding encoding; /* as file info names it */
    const char *comparator;
    uint64_t cells; /* trailer's entry_count */
    unsigned index_levels;
    uint64_t first_data_offset, last_data_offset; /* UINT64_MAX: no data block */
    uint64_t load_on_open_offset, trailer_offset;
    uint32_t block_bytes; /* payload of the first data block, 0 = none */
    bool has_tags, has_mvcc;
    uint64_t max_mvcc;
    enum hfile_bloom bloom;           /* other kinds: HFILE_BLOOM_NONE here, the file-info pair tells the name */
    uint32_t bloom_prefix;            /* HFILE_BLOOM_PREFIX: its length */
    bool has_delete_bloom;            /* a filter over the rows with delete-family markers */
    struct bytes bloom_type_name;     /* BLOOM_FILTER_TYPE, empty = none */
    struct bytes first_key, last_key; /* serialised keys: root/leaf index entry 0 and hfile.LASTKEY; empty = no cells */
    bool has_ts_range;
    int64_t ts_min, ts_max;
    bool has_earliest_put;
    int64_t earliest_put_ms;
    const struct hfile_pair *pairs; /* the file info, sorted by key */
    size_t n_pairs;
};

/* One entry of the leaf level of the data index, in order. key is a serialised (possibly shortened) key. */
struct hfile_index_entry {
    uint64_t offset;
    uint32_t disk_bytes;
    struct bytes key;
};

#endif
