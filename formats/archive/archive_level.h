/* The state of a walk through an archive (archive_walk.c), and its levels. Private to these two files. */
#ifndef FORMATS_ARCHIVE_ARCHIVE_LEVEL_H
#define FORMATS_ARCHIVE_ARCHIVE_LEVEL_H

#include "base/buf.h"
#include "formats/archive/archive_kind.h"
#include "formats/archive/archive_members.h"
#include "formats/archive/archive_source.h"
#include "formats/archive/archive_zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

struct archive;
struct archive_entry;
struct instream;

enum {
    ARCHIVE_LEVELS = 2,            /* an archive, and one inside it */
    ARCHIVE_HEADER_BYTES = 1 << 20 /* names, links, attributes, sparse maps of one member */
};

/* An archive that is being read. */
struct archive_level {
    struct archive_walk *walk;
    struct archive *archive;
    struct archive_entry *entry; /* of the member; libarchive's own may be missing: archive_read_new() does not say so */
    enum archive_kind_code kind;
    struct instream *in;
    char *path;                   /* for messages */
    char *prefix;                 /* of names inside: "" or "inner.tar.gz/" */
    struct buf name, shown, link; /* of the member */
    uint64_t cpio_links;
    uint64_t content_bytes; /* of the member, so far */
    uint64_t content_end;   /* where the last member ended */
    size_t window;          /* what a member of a zip may make its decompressor keep */
    bool limited;           /* that cannot be known beforehand: its content must not be longer */
    bool empty;             /* and there is none, which libarchive takes for damage */
    bool unpacks;           /* the members' content counts as unpacked */
    bool is_open, started;
    struct zip_directory directory; /* of a zip that is read by it */
    uint64_t headers;               /* of members, read so far */
    struct archive_source source;
};

struct archive_walk {
    struct archive_walk_opts o;
    struct archive_use use;
    struct archive_level *levels[ARCHIVE_LEVELS];
    unsigned n;
    struct instream *content; /* of the member, until it is asked for */
    struct instream *outermost;
    locale_t utf8;
    bool at_member, seekable;
};

/* Opens the next level of w. Takes ownership of in, also on failure. */
int archive_level_open(struct archive_walk *w, struct instream *in, const char *path, const char *prefix, struct err *err);
void archive_level_close(struct archive_level *l); /* NULL is fine */
/* Returns whether libarchive's text, which may be NULL, holds the word. */
bool archive_level_says(const char *text, const char *word);
/* ERR_INPUT, or what else libarchive says, under the name of what it was reading. */
int archive_level_failed(struct archive_level *l, const char *path, struct err *err);
/* Replaces out's content by PATH!NAME, fit for messages: the end of a long name says more than its beginning. */
int archive_level_show(struct buf *out, const char *path, const char *name, struct err *err);
/* The member, as messages name it. */
const char *archive_level_shown(const struct archive_level *l);
bool archive_level_is_packed(const struct archive_level *l);

size_t archive_walk_window(const struct archive_walk *w); /* what is left of unpack_bytes for a member's own content */

#endif
