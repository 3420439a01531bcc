/* Finds where an archive on disk that is not compressed as a whole can be divided between members. */
#ifndef FORMATS_ARCHIVE_ARCHIVE_PARTS_H
#define FORMATS_ARCHIVE_ARCHIVE_PARTS_H

#include "base/err.h"
#include "formats/archive/archive_members.h"

struct archive_parts {
    uint64_t members, bytes; /* of what is read of the members, about */
    bool nested;             /* a member is an archive itself */
    bool solid;              /* to skip a member, it must be decompressed */
};
/* Goes over the headers. */
int archive_parts_sum(const char *path, const struct archive_walk_opts *o, struct archive_parts *out, struct err *err);
/* The members before which there are at least `from` bytes, and fewer than `to`; UINT64_MAX: to the last one. */
struct member_part;
int archive_parts_between(const char *path, const struct archive_walk_opts *o, uint64_t from, uint64_t to,
                          struct member_part *out, struct err *err);

#endif
