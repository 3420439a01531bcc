/* The members of an archive, one after the other, those of archives that are members themselves included (one level, found by
 * content). Nothing is written, no name is looked up anywhere.
 *
 *   archive_walk_open -> { archive_walk_next -> archive_walk_content … } … -> 0 at the end -> archive_walk_close */
#ifndef FORMATS_ARCHIVE_ARCHIVE_WALK_H
#define FORMATS_ARCHIVE_ARCHIVE_WALK_H

#include "base/instream.h"
#include "formats/archive/archive_limits.h"

struct disk_quota;
struct stop;

enum archive_member_type { MEMBER_FILE, MEMBER_FOLDER, MEMBER_SYMLINK, MEMBER_HARDLINK, MEMBER_SPECIAL };

/* Valid until the next call of archive_walk_next. */
struct archive_member {
    enum archive_member_type type;
    const char *name; /* as it stands in the archive; of a nested one: its name, '/', the name inside. Not to be trusted */
    const char *path; /* ARCHIVE!member, for messages: printable, shortened where it is long */
    const char *link; /* HARDLINK, SYMLINK: where to, as it stands there; "" when that is not told */
    uint64_t bytes;   /* FILE: as the archive says beforehand … */
    bool bytes_known; /* … which some do not */
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

struct archive_walk;
/* Takes over `in` also when it fails. The strings of o are borrowed. */
struct archive_walk *archive_walk_open(struct instream *in, const struct archive_walk_opts *o, struct err *err);
/* 1 = *m filled, 0 = end (everything that must hold for the whole was checked), -1 = error. */
int archive_walk_next(struct archive_walk *w, struct archive_member *m, struct err *err);
/* The content of the FILE, once. It is the caller's, but may not be read after the next call of archive_walk_next. */
struct instream *archive_walk_content(struct archive_walk *w, struct err *err);
size_t archive_walk_window(const struct archive_walk *w);        /* what is left of unpack_bytes for a member's own content */
uint64_t archive_walk_input_bytes(const struct archive_walk *w); /* of the archive's file: for progress */
void archive_walk_checksum(const struct archive_walk *w, char hex[17]);
void archive_walk_close(struct archive_walk *w);

#endif
