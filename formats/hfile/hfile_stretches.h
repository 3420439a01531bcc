/* The order between block ranges of one HFile that are read in any order. Each scan checks its own cells; finished neighbours are
 * joined into stretches, of which only the outer keys are kept. Not locked. */
#ifndef FORMATS_HFILE_HFILE_STRETCHES_H
#define FORMATS_HFILE_HFILE_STRETCHES_H

#include "base/buf.h"
#include "cell/cell.h"

struct stretch;

struct stretches {
    struct stretch *all; /* ascending, never adjacent */
    size_t n;
};

struct hfile_disorder_sink;
/* scan, an HFile's, has read range `number` (0, 1, 2 …) to its end. path is for messages. A range that does not begin behind the
 * end of the one before is told to `disorder`; NULL: it is an error. */
int stretches_note(struct stretches *s, const char *path, const struct source *scan, uint64_t number,
                   const struct hfile_disorder_sink *disorder, struct err *err);
/* Have all ranges below `count` been noted? */
bool stretches_whole(const struct stretches *s, uint64_t count);
void stretches_free(struct stretches *s);

#endif
