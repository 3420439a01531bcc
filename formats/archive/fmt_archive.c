/* Archives of inputs: every member is opened as a file of its own would be, its chunks are handed out as those of the archive.
 * Members are read one after the other, in one pass; a member's reader lives until its last chunk has been parsed, while the next
 * one is read already. */
#include "base/fs.h"
#include "base/warning.h"
#include "formats/archive/archive_kind.h"
#include "formats/archive/archive_level.h"
#include "formats/archive/archive_members.h"
#include "engine/format.h"
#include "formats/archive/archive_walk.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct member {
    struct chunk_origin origin; /* its address is the chunk's origin */
    struct member *next;
    struct reader *reader;
    char *path;
    uint64_t rank_base, content_bytes;
    uint32_t in_flight;
    bool exhausted;
};

struct archive_reader {
    struct reader base;
    struct read_opts o;
    char *path;
    struct archive_walk *walk;
    struct member *current; /* being handed out */
    uint64_t rank;          /* position of the next member's first cell */
    uint64_t seen;          /* members so far, those of archives inside and what is no file included */
    struct passed_over links, special, by_files, leftovers, hidden;
    struct passed_over again; /* read, as all are, though an earlier member has the name */
    uint64_t *names;          /* hashes of names, each in its place: of so many names that a member again is most often noticed */
    pthread_mutex_t lock;     /* of what follows */
    struct member *members;   /* all that are not done */
    struct unread_count unread;
};

/* ---- members ---- */

static void member_close(struct member *m) {
    if (m->reader) m->reader->ops->close(m->reader);
    free(m->path);
    free(m);
}

static bool is_done(const struct member *m) {
    return m->exhausted && !m->in_flight;
}

/* Closes the members all of whose chunks are parsed. Only where the archive itself is read: what finish has to say goes to the
 * run, as what is said when a member is opened does, and not from two threads at once. */
static int retire_members(struct archive_reader *r, struct err *err) {
    int rc = 0;
    pthread_mutex_lock(&r->lock);
    for (struct member **at = &r->members, *m; (m = *at);) {
        if (!is_done(m)) {
            at = &m->next;
            continue;
        }
        if (!rc && m->reader->ops->finish) rc = m->reader->ops->finish(m->reader, err);
        if (m->reader->ops->unread) m->reader->ops->unread(m->reader, &r->unread);
        *at = m->next;
        member_close(m);
    }
    pthread_mutex_unlock(&r->lock);
    return rc;
}

static int open_content(struct archive_reader *r, struct instream *in, const struct archive_member *am, struct err *err) {
    struct read_opts o = r->o;
    struct member *m = calloc(1, sizeof *m);
    if (!m || !(m->path = fs_printf(err, "%s", am->path))) {
        instream_close(in);
        free(m);
        return err_nomem(err, sizeof *m, am->path);
    }
    o.archive.is_member = true;
    o.hfile.view = NULL;
    o.memory.unpack = archive_walk_window(r->walk);
    m->rank_base = r->rank;
    if (!(m->reader = o.formats->open_stream(in, r->o.archive.member_format, &o, &m->origin.format, err))) {
        member_close(m);
        return -1;
    }
    r->base.holds |= m->reader->holds;
    m->origin.path = m->path;
    pthread_mutex_lock(&r->lock);
    m->next = r->members;
    r->members = r->current = m;
    pthread_mutex_unlock(&r->lock);
    return 0;
}

static int open_member(struct archive_reader *r, const struct archive_member *am, struct err *err) {
    struct read_opts o = r->o;
    struct instream *in = archive_walk_content(r->walk, err);
    if (!in) return -1;
    if (!r->o.archive.preview) return open_content(r, in, am, err);
    o.archive.is_member = true;
    const struct format *f = o.formats->choose(in, r->o.archive.member_format, &o, err);
    if (f && !f->needs_file) return open_content(r, in, am, err);
    instream_close(in);
    return f ? 0 : -1;
}

/* Ranks of later members are higher. */
static void count_positions(struct archive_reader *r, const struct member *m) {
    uint64_t n = m->reader->ops->positions ? m->reader->ops->positions(m->reader) : m->content_bytes;
    if (n > RANK_POSITION_MAX - r->rank) n = RANK_POSITION_MAX - r->rank;
    r->rank += n + (r->rank + n < RANK_POSITION_MAX);
}

/* Takes a chunk. 1 a chunk of the current member, 0 it has no more, -1. */
static int next_of_member(struct archive_reader *r, struct chunk *c, struct err *err) {
    struct member *m = r->current;
    int more = m->reader->ops->next(m->reader, c, err), rc = more;
    if (more < 0) return -1;
    pthread_mutex_lock(&r->lock);
    if (more) {
        m->in_flight++;
        m->content_bytes = c->offset + c->data.n;
    } else {
        count_positions(r, m);
        m->exhausted = true;
        r->current = NULL;
    }
    pthread_mutex_unlock(&r->lock);
    c->rank_base = more ? m->rank_base : 0;
    c->origin = more ? &m->origin : NULL;
    return rc;
}

/* ---- the archive ---- */

enum { NAMES_KEPT = 1 << 15 };

/* Notes a name that was there before: tar -r and tar -u add a later state of a file so. */
static int note_name(struct archive_reader *r, const struct archive_member *m, struct err *err) {
    const uint64_t hash = XXH3_64bits(m->name, strlen(m->name)) | 1;
    uint64_t *place = &r->names[hash / 2 % NAMES_KEPT];
    if (*place == hash) return passed_over_add(&r->again, m->path, err);
    *place = hash;
    return 0;
}

/* Opens the next member. 1 = it is open, 0 = there are no more, -1. */
static int next_member(struct archive_reader *r, struct err *err) {
    const struct member_part *part = &r->o.archive.part;
    struct archive_member m;
    for (;;) {
        int rc = archive_walk_next(r->walk, &m, err);
        if (rc <= 0) return rc;
        uint64_t place = r->seen++;
        if (archive_name_of_tree(m.name))
            return err_set(err, ERR_UNSUPPORTED,
                           "%s: belongs to an HBase directory; give the archive as a file on disk, or unpack it", m.path);
        if (part->end && (place < part->first || place >= part->end)) continue; /* another shard's */
        if (m.type == MEMBER_DIRECTORY) continue;
        if (m.type == MEMBER_FILE && !archive_name_wanted(r->o.archive.limits, m.name)) continue;
        if (m.type == MEMBER_FILE && archive_name_leftover(r->o.archive.limits, m.name)) {
            if (passed_over_add(&r->leftovers, m.path, err)) return -1;
            continue;
        }
        if (m.type == MEMBER_FILE && archive_name_hidden(m.name)) {
            if (m.bytes && archive_name_doubtful(m.name) && passed_over_add(&r->hidden, m.path, err)) return -1;
            continue;
        }
        if (m.type == MEMBER_FILE && archive_name_by_file(r->o.archive.limits, m.name)) {
            if (passed_over_add(&r->by_files, m.path, err)) return -1;
            continue;
        }
        if (m.type == MEMBER_FILE) return note_name(r, &m, err) || open_member(r, &m, err) ? -1 : 1;
        if (passed_over_add(m.type == MEMBER_SPECIAL ? &r->special : &r->links, m.path, err)) return -1;
    }
}

static int archive_next(struct reader *base, struct chunk *c, struct err *err) {
    struct archive_reader *r = (struct archive_reader *)base;
    for (;;) {
        if (retire_members(r, err)) return -1;
        int rc = r->current ? 0 : next_member(r, err);
        if (rc < 0 || !r->current) return rc; /* where only members are listed, one may have been passed over */
        rc = next_of_member(r, c, err);
        if (rc) return rc;
    }
}

static int archive_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err) {
    struct archive_reader *r = (struct archive_reader *)base;
    struct member *m = (struct member *)c->origin;
    if (m->reader->ops->parse(m->reader, c, input, e, err)) return -1;
    pthread_mutex_lock(&r->lock);
    m->in_flight--;
    pthread_mutex_unlock(&r->lock);
    return 0;
}

/* Warns of members, once, though an input may be read twice. */
static int warn_of_members(const struct archive_reader *r, const struct passed_over *p, const char *one, const char *many,
                           struct err *err) {
    struct buf *all = r->o.warnings, line = {0};
    if (!p->n || !all) return 0;
    int rc = p->n == 1 ? warning_add(&line, WARN_MEMBERS_PASSED_OVER, 1, err, "%s: %s was skipped: %s", r->path, one, p->first)
                       : warning_add(&line, WARN_MEMBERS_PASSED_OVER, p->n, err, "%s: %llu %s were skipped, among them %s",
                                     r->path, (unsigned long long)p->n, many, p->first);
    if (!rc && !(all->n && memmem(all->p, all->n, line.p, line.n))) rc = buf_put(all, line.p, line.n, err);
    buf_free(&line);
    return rc;
}

/* Warns of names that are there twice, and of an archive without anything in it. */
static int warn_of_names(const struct archive_reader *r, struct err *err) {
    struct buf *all = r->o.warnings, line = {0};
    int rc = 0;
    if (!all || (r->seen && !r->again.n) || r->o.archive.part.end) return 0;
    if (!r->seen)
        rc = warning_add(&line, WARN_EMPTY_FILE, 1, err, "%s holds no file; check that its transfer was complete", r->path);
    else
        rc =
            warning_add(&line, WARN_INPUT_TWICE, r->again.n, err,
                        "%s: an earlier member has the same name: both are read, though unpacking leaves the later one; members: "
                        "%llu, first %s",
                        r->path, (unsigned long long)r->again.n, r->again.first);
    if (!rc && !(all->n && memmem(all->p, all->n, line.p, line.n))) rc = buf_put(all, line.p, line.n, err);
    buf_free(&line);
    return rc;
}

static int archive_finish(struct reader *base, struct err *err) {
    struct archive_reader *r = (struct archive_reader *)base;
    if (retire_members(r, err)) return -1;
    if (r->members) return err_set(err, ERR_INTERNAL, "%s: not all of its members were read", r->path);
    if (warn_of_names(r, err)) return -1;
    return warn_of_members(r, &r->links, "a link", "links", err) ||
                   warn_of_members(r, &r->special, "a device, pipe or socket", "devices, pipes or sockets", err) ||
                   warn_of_members(r, &r->by_files, "a file that accompanies data (README, checksums …)",
                                   "files that accompany data (README, checksums …)", err) ||
                   warn_of_members(r, &r->leftovers, "a backup or half-transferred file", "backups or half-transferred files",
                                   err) ||
                   warn_of_members(r, &r->hidden, "a file with _ at the beginning of its name or directory",
                                   "files with _ at the beginning of their names or directories", err)
               ? -1
               : 0;
}

static void archive_unread(const struct reader *base, struct unread_count *sum) {
    const struct archive_reader *r = (const struct archive_reader *)base;
    sum->cells += r->unread.cells;
    sum->files += r->unread.files;
}

static uint64_t archive_input_bytes(const struct reader *base) {
    return archive_walk_input_bytes(((const struct archive_reader *)base)->walk);
}

static int archive_checksum(const struct reader *base, char hex[17], struct err *err) {
    return archive_walk_checksum(((const struct archive_reader *)base)->walk, hex, err);
}

static void archive_close(struct reader *base) {
    struct archive_reader *r = (struct archive_reader *)base;
    for (struct member *m; (m = r->members);) {
        r->members = m->next;
        member_close(m);
    }
    archive_walk_close(r->walk);
    free(r->links.first);
    free(r->special.first);
    free(r->by_files.first);
    free(r->leftovers.first);
    free(r->hidden.first);
    free(r->again.first);
    free(r->names);
    free(r->path);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static struct reader *archive_open(struct instream *in, const struct read_opts *o, struct err *err) {
    static const struct reader_ops ops = {.next = archive_next,
                                          .parse = archive_parse,
                                          .finish = archive_finish,
                                          .input_bytes = archive_input_bytes,
                                          .checksum = archive_checksum,
                                          .unread = archive_unread,
                                          .close = archive_close};
    struct archive_walk_opts w = {.limits = o->archive.limits,
                                  .unpack_bytes = o->memory.unpack,
                                  .temp_dir = o->temp_dir,
                                  .quota = o->quota,
                                  .stop = o->stop};
    struct archive_reader *r = calloc(1, sizeof *r);
    if (!r || !(r->names = calloc(NAMES_KEPT, sizeof *r->names)) || !(r->path = fs_printf(err, "%s", instream_path(in)))) {
        err_nomem(err, sizeof *r + NAMES_KEPT * sizeof *r->names, "a reader");
        instream_close(in);
        if (r) free(r->names);
        free(r);
        return NULL;
    }
    r->base.ops = &ops;
    r->o = *o;
    r->rank = 1;
    pthread_mutex_init(&r->lock, NULL);
    r->walk = archive_walk_open(in, &w, err);
    if (r->walk) return &r->base;
    archive_close(&r->base);
    return NULL;
}

static int archive_sniff(struct bytes head, const char *path) {
    (void)path;
    return archive_kind(head) ? 64 : 0;
}

const struct format fmt_archive = {.name = "archive",
                                   .about = "tar, zip, 7z or cpio of any of the others",
                                   .sniff = archive_sniff,
                                   .open = archive_open,
                                   .seqs = FORMAT_SEQS_SOME};
