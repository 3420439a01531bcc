/* The members of an archive, one after the other, in one pass, over libarchive. */
#ifndef FORMATS_ARCHIVE_ARCHIVE_WALK_H
#define FORMATS_ARCHIVE_ARCHIVE_WALK_H

#include "base/err.h"
#include "formats/archive/archive_members.h"

struct archive_walk;
struct instream;

/* Takes ownership of `in`, also on failure. The strings of o are borrowed. */
struct archive_walk *archive_walk_open(struct instream *in, const struct archive_walk_opts *o, struct err *err);
/* 1 = *m filled, 0 = end (everything that must hold for the whole was checked), -1 = error. */
int archive_walk_next(struct archive_walk *w, struct archive_member *m, struct err *err);
/* The content of the FILE, once. It is the caller's, but may not be read after the next call of archive_walk_next. */
struct instream *archive_walk_content(struct archive_walk *w, struct err *err);
uint64_t archive_walk_input_bytes(const struct archive_walk *w); /* of the archive's file: for progress */
int archive_walk_checksum(const struct archive_walk *w, char hex[17], struct err *err);
void archive_walk_close(struct archive_walk *w);

#endif
