/* The members of an archive, what kinds of archives there are, and what one may use up.
 * Exports: archive, member_name, passed_over */
#ifndef FORMATS_ARCHIVE_ARCHIVE_MEMBERS_H
#define FORMATS_ARCHIVE_ARCHIVE_MEMBERS_H

#include "base/bytes.h"

#include <stdint.h>

struct archive_limits;

/* The members of an archive, one after the other, those of archives that are members themselves included (one level, found by
 * content). Nothing is written, no name is looked up anywhere.
 *
 *   archive_walk_open -> { archive_walk_next -> archive_walk_content … } … -> 0 at the end -> archive_walk_close */

struct disk_quota;
struct stop;

enum archive_member_type { MEMBER_FILE, MEMBER_DIRECTORY, MEMBER_SYMLINK, MEMBER_HARDLINK, MEMBER_SPECIAL };

/* Valid until the next call of archive_walk_next. */
struct archive_member {
    enum archive_member_type type;
    const char *name; /* as in the archive; of a nested one: its name, '/', the name inside. Not to be trusted */
    const char *path; /* ARCHIVE!member, for messages: printable, shortened where it is long */
    const char *link; /* HARDLINK, SYMLINK: the destination as the archive gives it; "" when it gives none */
    uint64_t bytes;   /* FILE: as the archive says beforehand … */
    bool bytes_known; /* … which some do not */
    bool is_nested;   /* it is in an archive that is a member itself */
    int64_t mtime_ns;
};

struct archive_walk_opts {
    const struct archive_limits *limits; /* NULL: defaults */
    size_t unpack_bytes;                 /* largest window or dictionary, and what a directory may take; 0 = see unpack.h */
    const char *temp_dir;                /* for a 7z that is no file on disk; NULL: such is refused */
    struct disk_quota *quota;
    const struct stop *stop;
    bool by_offset; /* where the archive is a file on disk, content that is not asked for is not read either: no checksum */
};

#endif
