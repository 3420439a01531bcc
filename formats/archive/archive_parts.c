/* Finds where an archive can be divided between its members, for shards. A tar has the size of a member in front of it, and a zip
 * has a directory, so the headers alone say how many bytes there are before a member. A header counts as a block of tar: an
 * archive of a million empty files takes time, too. */
#include "base/instream.h"
#include "engine/read_opts.h"
#include "formats/archive/archive_level.h"
#include "formats/archive/archive_parts.h"
#include "formats/archive/archive_walk.h"

enum { HEADER_WEIGHT = 512 };

/* Takes the next member. 1 = *m filled and *bytes of it counted, 0 = end, -1. */
static int next_weighed(struct archive_walk *w, struct archive_member *m, uint64_t *bytes, struct err *err) {
    int rc = archive_walk_next(w, m, err);
    bool is_data = rc == 1 && m->type == MEMBER_FILE && m->bytes_known;
    *bytes = HEADER_WEIGHT + (is_data ? m->bytes : 0);
    return rc;
}

static struct archive_walk *open_archive(const char *path, const struct archive_walk_opts *o, struct err *err) {
    struct archive_walk_opts by_headers = *o;
    by_headers.by_offset = true;
    struct instream *in = instream_open(path, o->stop, o->unpack_bytes, err);
    return in ? archive_walk_open(in, &by_headers, err) : NULL;
}

int archive_parts_sum(const char *path, const struct archive_walk_opts *o, struct archive_parts *out, struct err *err) {
    struct archive_walk *w = open_archive(path, o, err);
    struct archive_member m;
    uint64_t bytes;
    int rc = w ? 1 : -1;
    *out = (struct archive_parts){.solid = w && w->levels[0]->kind == ARCHIVE_KIND_7Z};
    while (rc == 1 && (rc = next_weighed(w, &m, &bytes, err)) == 1) {
        out->members++;
        out->bytes += bytes;
        out->nested |= m.is_nested;
    }
    archive_walk_close(w);
    return rc;
}

int archive_parts_between(const char *path, const struct archive_walk_opts *o, uint64_t from, uint64_t to,
                          struct member_part *out, struct err *err) {
    struct archive_walk *w = open_archive(path, o, err);
    struct archive_member m;
    uint64_t before = 0, of_member;
    int rc = w ? 1 : -1;
    *out = (struct member_part){0};
    for (; rc == 1 && before < to && (rc = next_weighed(w, &m, &of_member, err)) == 1; before += of_member) {
        out->first += before < from;
        out->end++;
    }
    archive_walk_close(w);
    return rc < 0 ? -1 : 0;
}
