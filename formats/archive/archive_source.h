/* Feeds bytes to libarchive, and checks 7z headers before libarchive sees them. */
#ifndef FORMATS_ARCHIVE_ARCHIVE_SOURCE_H
#define FORMATS_ARCHIVE_ARCHIVE_SOURCE_H

#include "base/bytes.h"
#include "base/err.h"

#include <stddef.h>

struct instream;
struct stop;

#define ARCHIVE_MEMBERS_DEFAULT UINT64_C(10000000)
#define ARCHIVE_BYTES_DEFAULT (UINT64_C(16) << 40) /* what positions in ranks can count (cell/cell.h) */
#define ARCHIVE_RATIO_DEFAULT UINT64_C(1000)
#define ARCHIVE_RATIO_FLOOR_BYTES (UINT64_C(1) << 30) /* a ratio is only asked for above */

struct archive_limits {       /* 0: the default */
    uint64_t members;         /* entries of any kind, those of archives inside included */
    uint64_t bytes;           /* unpacked in all */
    uint64_t ratio;           /* unpacked to packed */
    const char *const *names; /* patterns: see archive_name_wanted */
    unsigned n_names;
};

/* Members and bytes used up so far, shared by an archive and those inside it. */
struct archive_use {
    struct archive_limits limits;
    const char *path;
    uint64_t members;
    uint64_t packed_bytes, unpacked_bytes;
};

void archive_use_begin(struct archive_use *u, const struct archive_limits *limits, const char *path);
/* Counts a member. ERR_LIMIT names the option that limits them. */
int archive_use_member(struct archive_use *u, struct err *err);
int archive_use_bytes(struct archive_use *u, uint64_t unpacked, struct err *err);

/* The source of an archive's bytes for libarchive: a stream, or a file that can be read at any offset. Between two members only
 * so many bytes are given as headers may take: libarchive keeps what it reads there in memory, and recurses. */

struct archive;

enum { ARCHIVE_BLOCK_BYTES = 64 * 1024 };

struct archive_source {
    struct instream *in; /* borrowed */
    const struct stop *stop;
    struct archive_use *use;
    int fd;                /* >= 0: of in's file, read at offset */
    uint64_t offset, size; /* offset: of what follows block, also in a stream */
    bool unpacks;          /* bytes of `in` are unpacked ones: they count */
    bool outermost;        /* `in` knows how many packed bytes were taken */
    bool in_header;        /* a header is being read … */
    uint64_t header_left;  /* … and may take so many bytes */
    bool passes_zeros;     /* … where zeros do not count: libarchive passes over those of a tar, and keeps none */
    size_t n;              /* in block, as last given */
    struct err err;        /* of a callback, which cannot pass it on itself */
    uint8_t block[ARCHIVE_BLOCK_BYTES];
};

/* by_offset: only where instream_is_file(in). */
int archive_source_open(struct archive_source *s, struct instream *in, bool by_offset, const struct stop *stop,
                        struct archive_use *use, struct err *err);
void archive_source_close(struct archive_source *s);
/* Opens a, whose format was chosen, over the source. libarchive's return value. */
int archive_source_attach(struct archive_source *s, struct archive *a);
/* Header bytes from now on: so many are given. */
void archive_source_header(struct archive_source *s, uint64_t most);
void archive_source_content(struct archive_source *s);
/* Checks that only zeros follow after the last member of a stream, which ended at `end`. ERR_INPUT: something else does. */
int archive_source_end(struct archive_source *s, uint64_t end, struct err *err);
/* As archive_source_end, of a zip, where the directory follows: ERR_INPUT when that is cut off; refused when another zip stands
 * before it. */
int archive_source_end_of_zip(struct archive_source *s, struct err *err);

/* The headers of a 7z archive say how much memory it needs, and libarchive allocates that much: check them first. */

/* fd is the archive, path its name. memory_bytes: most that dictionaries, and the directory, may take (0: 1 GiB).
 * ERR_LIMIT says how much is wanted; ERR_UNSUPPORTED: encrypted, or with filters or links whose memory cannot be foretold. */
int archive_7z_check(int fd, const char *path, size_t memory_bytes, struct err *err);

#endif
