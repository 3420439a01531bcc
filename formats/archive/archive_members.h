/* The members of an archive, what kinds of archives there are, and what one may use up.
 * Exports: archive, member_name, passed_over */
#ifndef FORMATS_ARCHIVE_ARCHIVE_MEMBERS_H
#define FORMATS_ARCHIVE_ARCHIVE_MEMBERS_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/instream.h"

#include <stdint.h>

/* Which archives are read, and how they are known: by content only. */

enum archive_kind_code { ARCHIVE_KIND_NONE, ARCHIVE_KIND_TAR, ARCHIVE_KIND_ZIP, ARCHIVE_KIND_7Z, ARCHIVE_KIND_CPIO };

/* head: the first bytes, up to 4 KiB. */
enum archive_kind_code archive_kind(struct bytes head);
const char *archive_kind_name(enum archive_kind_code kind); /* "tar", … */

/* A step of a member's name begins with "." or "_": Hadoop passes over files and directories that are called so (.x.crc,
 * _SUCCESS, all below _temporary), and so do we in directories. */
bool archive_name_hidden(const char *name);
/* Hidden by a "_" alone, and no step is what Hadoop, Spark or Hive write beside data: perhaps data. */
bool archive_name_doubtful(const char *name);
/* Of a file in a directory or archive: it fits one of the patterns that include, if there are any, and none that excludes. A
 * pattern is of the whole name below the input, or of its last step; one that begins with "/" only of the whole name.
 * limits may be NULL. */
struct archive_limits;
bool archive_name_wanted(const struct archive_limits *limits, const char *name);
/* A file that only accompanies data, by its name: README, checksums and the like. One that a pattern includes is data. */
bool archive_name_by_file(const struct archive_limits *limits, const char *name);
/* A backup of an editor, or a file that has not arrived as a whole, by its name. One that a pattern includes is data. */
bool archive_name_leftover(const struct archive_limits *limits, const char *name);
/* Does this name mark a directory of HBase? .hbase-snapshot, data.manifest, .tabledesc, .regioninfo … */
bool archive_name_of_tree(const char *name);

/* What is skipped of an archive or directory, for a warning. Zeroed: nothing. */
struct passed_over {
    uint64_t n;
    char *first; /* path of the first; owned: free */
};
int passed_over_add(struct passed_over *p, const char *path, struct err *err); /* ERR_LIMIT: no memory */

/* Names of members, as paths below a directory of ours. */

enum { MEMBER_STEPS_MAX = 40, MEMBER_STEP_BYTES = 255, MEMBER_NAME_BYTES = 3000 };

/* name without leading, double and closing slashes and "." steps, NUL-terminated, in *out ("" is the top). 1, 0 = refused (a ".."
 * step, or too long or deep for a path of ours), -1 = error. */
int member_name_clean(const char *name, struct buf *out, struct err *err);
/* Takes the first step off *name; false: none is left. */
bool member_name_step(const char **name, struct bytes *step);

/* What an archive may do to us. Archives are made by others: a small one may unpack to anything. */

#define ARCHIVE_MEMBERS_DEFAULT UINT64_C(10000000)
#define ARCHIVE_BYTES_DEFAULT (UINT64_C(16) << 40) /* what positions in ranks can count (cell/cell.h) */
#define ARCHIVE_RATIO_DEFAULT UINT64_C(1000)
#define ARCHIVE_RATIO_FLOOR_BYTES (UINT64_C(1) << 30) /* a ratio is only asked for above */

struct archive_limits {                          /* 0: the default */
    uint64_t members;                            /* entries of any kind, those of archives inside included */
    uint64_t bytes;                              /* unpacked in all */
    uint64_t ratio;                              /* unpacked to packed */
    const char *const *include, *const *exclude; /* patterns of names: see archive_name_wanted */
    unsigned n_include, n_exclude;
};

/* What was used up so far, shared by an archive and those inside it. */
struct archive_use {
    struct archive_limits limits;
    const char *path;
    uint64_t members;
    uint64_t packed_bytes, unpacked_bytes;
};

void archive_use_begin(struct archive_use *u, const struct archive_limits *limits, const char *path);
/* ERR_LIMIT names the flag. */
int archive_use_member(struct archive_use *u, struct err *err);
int archive_use_bytes(struct archive_use *u, uint64_t unpacked, struct err *err);

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

struct archive_walk;
/* Takes ownership of `in`, also on failure. The strings of o are borrowed. */
struct archive_walk *archive_walk_open(struct instream *in, const struct archive_walk_opts *o, struct err *err);
/* 1 = *m filled, 0 = end (everything that must hold for the whole was checked), -1 = error. */
int archive_walk_next(struct archive_walk *w, struct archive_member *m, struct err *err);
/* The content of the FILE, once. It is the caller's, but may not be read after the next call of archive_walk_next. */
struct instream *archive_walk_content(struct archive_walk *w, struct err *err);
size_t archive_walk_window(const struct archive_walk *w);        /* what is left of unpack_bytes for a member's own content */
uint64_t archive_walk_input_bytes(const struct archive_walk *w); /* of the archive's file: for progress */
int archive_walk_checksum(const struct archive_walk *w, char hex[17], struct err *err);
void archive_walk_close(struct archive_walk *w);

/* Where an archive on disk that is not compressed as a whole can be divided between members (archive_parts.c). */

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
