/* How an HFile is to be read as the store that lists it sees it: the half that a reference shows, the sequence id a bulk load
 * gave it, its age among the files of the store. */
#ifndef ENGINE_HFILE_VIEW_H
#define ENGINE_HFILE_VIEW_H

#include "formats/hbase/bulk_seq.h"

struct mob_resolver;

struct hfile_view {
    uint32_t store_file; /* 1 + age among the files of the input; 0: it stands alone */
    struct file_seq seq;
    struct bytes start_row, stop_row; /* p == NULL: open */
    struct bytes floor;               /* the file holds no row before it */
    bool left_out;                    /* nothing of it is seen: it is no longer part of the store */
    struct mob_resolver *mob;         /* its family's values may lie in mob files; NULL: they do not */
    uint64_t file_bytes;              /* small files are opened by the thread that reads them */
};

#endif
