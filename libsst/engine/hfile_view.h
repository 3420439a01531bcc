/* How an HFile is to be read as the store that lists it sees it: the half that a reference shows, the sequence id a bulk load
 * gave it, its age among the files of the store. */
#ifndef ENGINE_HFILE_VIEW_H
#define ENGINE_HFILE_VIEW_H

#include "base/bytes.h"

struct mob_resolver;

/* What a store knows of the sequence ids of a file besides its content. */
struct file_seq {
    uint64_t number; /* n, where it is named */
    bool named;      /* by its name, _SeqId_<n>_ */
    bool top;        /* it is seen through a TOP reference, which counts one more */
};

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
