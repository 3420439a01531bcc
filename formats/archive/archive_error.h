/* Finds out whether an error of libarchive is a lack of memory: libarchive has no hooks for memory, and does not always set the
 * number of an error. */
#ifndef FORMATS_ARCHIVE_ARCHIVE_ERROR_H
#define FORMATS_ARCHIVE_ARCHIVE_ERROR_H

#include <archive.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Returns whether a call failed because memory is short. `opening`: it was archive_read_open*, which says nothing at all when
 * memory is short. */
static inline bool archive_lacks_memory(struct archive *a, bool opening) {
    static const char *const reasons[] = {"can't allocate", "out of memory", "no memory", "can't initialize"};
    const char *why = archive_error_string(a);
    if (archive_errno(a) == ENOMEM) return true;
    if (!why) return opening;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strcasestr(why, reasons[i])) return true;
    return false;
}

#endif
