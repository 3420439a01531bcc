/* Limits a list that grows with the input to a share of the memory of a run. It is asked before the list grows, so that a run
 * that is refused stays within its memory. Exports: list */
#ifndef BASE_LIST_ROOM_H
#define BASE_LIST_ROOM_H

#include "base/err.h"

#include <stdint.h>

struct list_room {
    uint64_t most, taken; /* bytes; most 0: there is no limit */
    const char *part;     /* most as a part of --memory: "half", "a tenth" */
};

enum { LIST_ROOM_EACH = 16 }; /* bytes that malloc adds to an entry of its own */

/* Takes so many more bytes. ERR_LIMIT: "WHAT more than 32 MB, half of --memory; give more --memory"; what: "the list takes". */
int list_room_take(struct list_room *r, uint64_t bytes, const char *what, struct err *err);
/* As list_room_take, for a file that is about to be read whole: its length. What is not a regular file takes nothing. */
int list_room_take_file(struct list_room *r, const char *path, const char *what, struct err *err);

#endif
