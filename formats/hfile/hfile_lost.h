/* What is missing of one HFile that is read although it is damaged: noted by many threads, told when all of it has been read,
 * because only then the number of cells is known. */
#ifndef FORMATS_HFILE_HFILE_LOST_H
#define FORMATS_HFILE_HFILE_LOST_H

#include "engine/format.h"
#include "hfile/hfile_reader.h"

#include <pthread.h>

struct hfile_lost_list {
    struct hfile_lost_sink sink; /* for hfile_open_damaged and scans */
    pthread_mutex_t lock;
    struct lost_place *places;
    size_t n;
    size_t with_cells; /* places that may have held cells */
};

void hfile_lost_init(struct hfile_lost_list *l);
void hfile_lost_free(struct hfile_lost_list *l);
/* How many cells are missing, when that is known: found were read, the trailer says `said`. In file order. */
struct hfile_lost_count {
    bool known;
    uint64_t found, said;
    uint64_t trailer_offset;
};
int hfile_lost_tell(struct hfile_lost_list *l, const struct hfile_lost_count *c, struct emit *e, struct err *err);

#endif
