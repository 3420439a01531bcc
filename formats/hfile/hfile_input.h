/* State of an HFile that is read by ranges of blocks, as far as it concerns the whole file. Exports: stretches */
#ifndef FORMATS_HFILE_HFILE_INPUT_H
#define FORMATS_HFILE_HFILE_INPUT_H

#include "formats/hbase/mob.h"
#include "formats/hbase/read_tree.h"
#include "hfile/hfile.h"

#include <pthread.h>

struct lost_place;
struct mob_lost_file;

/* Places missing in a damaged HFile that is read anyway: noted by many threads, reported when all of it has been read, because
 * only then the number of cells is known. */

struct hfile_lost_list {
    struct hfile_lost_sink sink; /* for hfile_open_damaged and scans */
    pthread_mutex_t lock;
    struct lost_place *places;
    size_t n;
    size_t with_cells; /* places that may have held cells */
};
/* The number of missing cells, when that is known: found were read, the trailer says `said`. In file order. */
struct hfile_lost_count {
    bool known;
    uint64_t found, said;
    uint64_t trailer_offset;
};

/* Values in mob files that are missing or damaged, of one HFile whose references lead to them: noted by many threads, reported by
 * mob file once the HFile has been read. */
struct hfile_mob_lost {
    struct mob_lost_sink sink; /* for mob_source_open */
    pthread_mutex_t lock;
    struct mob_lost_file *files;
    size_t n;
};

/* A file that is read by itself, not as one of a store: its references lead nowhere. */
struct hfile_mob_own {
    struct store_files store;    /* of this file alone */
    struct mob_resolver *values; /* NULL: it can have no references */
};

#endif
