/* What a look into a store file has found. */
#ifndef ENGINE_SURVEYED_FILE_H
#define ENGINE_SURVEYED_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* Of the file as a whole, also where a half is seen, as HBase takes it. Kept small: there may be 100,000. */
struct surveyed_file {
    int64_t max_seq, bulk_ms, ts_max_ms, earliest_put_ms, created_ms; /* as in file_facts */
    uint64_t cells, max_mvcc;
    uint32_t age;            /* from 1, as in by_age; 0: not looked into */
    uint8_t codec, encoding; /* enum hfile_codec, hfile_encoding */
    bool unread;             /* not looked into yet, or could not be opened: reading it will tell why */
    bool strays;             /* its rows do not begin in its region */
    bool left_out;           /* a compaction has replaced it: not read, and has no cells */
};

#endif
