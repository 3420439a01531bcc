/* The members of an archive, one after the other, in one pass, over libarchive. Nothing is written to disk but a 7z that comes
 * through a pipe, and no name is looked up anywhere. A member that is an archive itself becomes a level of its own:
 *
 *     level 0   outer.tar     a.csv   inner.zip   c.csv   end mark: is it whole?
 *                                       |   ^
 *     level 1                           v   '-- ends: its parent continues
 *               inner.zip               x.csv  y.csv
 *
 * Each level has its libarchive handle and source; an archive two levels deep is refused. */
#include "formats/archive/archive_members.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "base/fs.h"
#include "base/outfile.h"
#include "base/unpack.h"
#include "engine/format.h"
#include "formats/archive/archive_level.h"
#include "formats/archive/archive_walk.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <strings.h>

enum {
    TAR_BLOCK_BYTES = 512,   /* an archive ends with at least one of zeros */
    CPIO_LINKS_MAX = 10000,  /* libarchive goes through all of them for each */
    FIRST_READ_BYTES = 4096, /* enough to know what a member is */
};

static struct archive_level *top(const struct archive_walk *w) {
    return w->levels[w->n - 1];
}

/* ---- content ---- */

static ssize_t read_content(void *arg, uint8_t *p, size_t n, struct err *err) {
    struct archive_level *l = arg;
    if (l->empty) return 0;
    if (!l->content_bytes && n > FIRST_READ_BYTES) n = FIRST_READ_BYTES;
    la_ssize_t r = archive_read_data(l->archive, p, n);
    if (r < 0) return archive_level_failed(l, archive_level_shown(l), err);
    l->content_bytes += (uint64_t)r;
    if (l->limited && l->content_bytes > l->window)
        return err_set(err, ERR_LIMIT,
                       "%s: this compression may need %llu bytes of memory or more; raise --memory, or "
                       "unpack it",
                       archive_level_shown(l), (unsigned long long)l->content_bytes);
    if (l->unpacks && archive_use_bytes(&l->walk->use, (uint64_t)r, err)) return -1;
    return r;
}

static int count_unpacked(void *arg, uint64_t bytes, struct err *err) {
    struct archive_walk *w = arg;
    return archive_use_bytes(&w->use, bytes, err);
}

static int open_content(struct archive_walk *w, struct err *err) {
    struct archive_level *l = top(w);
    struct unpack_from from = {
        .read = read_content, .arg = l, .path = archive_level_shown(l), .memory_bytes = archive_walk_window(w)};
    w->content = instream_over(&from, err);
    if (w->content) instream_watch(w->content, count_unpacked, w);
    return w->content ? 0 : -1;
}

/* Skips the rest of the member. Content that has to be unpacked to be skipped is read, so that it counts. */
static int skip_rest(struct archive_walk *w, struct err *err) {
    struct archive_level *l = top(w);
    uint8_t waste[16384];
    bool by_directory = l->kind == ARCHIVE_KIND_ZIP && l->source.fd >= 0;
    bool read = archive_level_is_packed(l) && !by_directory && !l->empty;
    ssize_t r = read;
    instream_close(w->content);
    w->content = NULL;
    while (r > 0) r = read_content(l, waste, sizeof waste, err);
    if (r < 0) return -1;
    if (!read && archive_read_data_skip(l->archive) != ARCHIVE_OK) return archive_level_failed(l, archive_level_shown(l), err);
    l->content_end = (uint64_t)archive_filter_bytes(l->archive, 0);
    return 0;
}

/* ---- members ---- */

static enum archive_member_type type_of(struct archive_entry *e) {
    if (archive_entry_hardlink(e) && !archive_entry_size(e)) return MEMBER_HARDLINK;
    switch (archive_entry_filetype(e)) {
    case AE_IFREG: return MEMBER_FILE;
    case AE_IFDIR: return MEMBER_DIRECTORY;
    case AE_IFLNK: return MEMBER_SYMLINK;
    default: return MEMBER_SPECIAL;
    }
}

static const char *or_empty(const char *s) {
    return s ? s : "";
}

static int name_member(struct archive_level *l, struct archive_member *m, struct err *err) {
    const char *name = archive_entry_pathname(l->entry);
    const char *link = archive_entry_hardlink(l->entry);
    if (!name) name = archive_entry_pathname_utf8(l->entry);
    if (!link) link = archive_entry_symlink(l->entry);
    buf_clear(&l->name);
    buf_clear(&l->link);
    if (buf_printf(&l->name, err, "%s%s", l->prefix, or_empty(name)) || buf_put_byte(&l->name, 0, err)) return -1;
    if (buf_printf(&l->link, err, "%s%s", link ? l->prefix : "", or_empty(link)) || buf_put_byte(&l->link, 0, err)) return -1;
    if (archive_level_show(&l->shown, l->path, or_empty(name), err)) return -1;
    m->name = (const char *)l->name.p;
    m->path = archive_level_shown(l);
    m->link = (const char *)l->link.p;
    return 0;
}

/* Zip methods that need much memory and do not say how much: RSS stays below what they produced. */
static int check_method(struct archive_level *l, const char *path, struct err *err) {
    const char *name = archive_format_name(l->archive);
    l->limited = l->empty = false;
    if (l->kind != ARCHIVE_KIND_ZIP || archive_level_says(name, "(uncompressed)") || archive_level_says(name, "(deflation)") ||
        archive_level_says(name, "(bzip)"))
        return 0;
    const char *method = name ? strchr(name, '(') : NULL;
    l->limited = archive_level_says(name, "(lzma)") || archive_level_says(name, "(xz)") || archive_level_says(name, "(zstd)");
    l->empty = l->limited && archive_entry_size_is_set(l->entry) && !archive_entry_size(l->entry);
    return l->limited ? 0
                      : err_set(err, ERR_UNSUPPORTED, "%s: zip with a compression that is not supported %s; unpack it", path,
                                or_empty(method));
}

static int check_member(struct archive_walk *w, const struct archive_member *m, struct err *err) {
    struct archive_level *l = top(w);
    if (archive_entry_is_encrypted(l->entry))
        return err_set(err, ERR_UNSUPPORTED, "%s: is encrypted; unpack it with its password", m->path);
    if (l->kind == ARCHIVE_KIND_CPIO && archive_entry_nlink(l->entry) > 1 && m->type != MEMBER_DIRECTORY &&
        ++l->cpio_links > CPIO_LINKS_MAX)
        return err_set(err, ERR_LIMIT, "%s: more than %d hard links; unpack it", l->path, CPIO_LINKS_MAX);
    l->unpacks = archive_level_is_packed(l) || archive_entry_sparse_count(l->entry) > 0;
    return m->type == MEMBER_FILE ? check_method(l, m->path, err) : 0;
}

/* A damaged entry ends the directory for libarchive, and the members after it would be missing. */
static int check_members(const struct archive_level *l, struct err *err) {
    if (l->directory.members == ZIP_MEMBERS_UNKNOWN || l->directory.members == l->headers % 65536) return 0;
    return err_set(err, ERR_INPUT, "%s: damaged zip archive: its directory has %u members, %llu were found", l->path,
                   l->directory.members, (unsigned long long)l->headers);
}

/* The archive of the top level has ended: is it whole? */
static int check_end(struct archive_walk *w, struct err *err) {
    struct archive_level *l = top(w);
    uint64_t end = (uint64_t)archive_filter_bytes(l->archive, 0);
    archive_source_content(&l->source);
    switch (l->kind) {
    case ARCHIVE_KIND_NONE:
    case ARCHIVE_KIND_TAR:
        if (end / TAR_BLOCK_BYTES > (l->content_end + TAR_BLOCK_BYTES - 1) / TAR_BLOCK_BYTES) return 0;
        return err_set(err, ERR_INPUT, "%s: truncated tar archive: no end mark after its last member", l->path);
    case ARCHIVE_KIND_CPIO: return archive_source_end(&l->source, end, err);
    case ARCHIVE_KIND_ZIP: return l->source.fd >= 0 ? check_members(l, err) : archive_source_end_of_zip(&l->source, err);
    case ARCHIVE_KIND_7Z: return 0;
    }
    return 0;
}

static int read_header(struct archive_walk *w, struct err *err) {
    struct archive_level *l = top(w);
    locale_t before = uselocale(w->utf8); /* else libarchive finds no names for what is not ASCII */
    if (l->started) archive_source_header(&l->source, ARCHIVE_HEADER_BYTES);
    int rc = archive_read_next_header2(l->archive, l->entry);
    uselocale(before);
    if (rc == ARCHIVE_EOF) return 0;
    /* Warnings are about damage, too, but for names in no character set. */
    bool fine = rc == ARCHIVE_OK || (rc == ARCHIVE_WARN && archive_level_says(archive_error_string(l->archive), "be converted"));
    if (!fine) return archive_level_failed(l, l->started ? archive_level_shown(l) : l->path, err);
    archive_source_content(&l->source);
    l->started = true;
    l->headers++;
    l->content_bytes = 0;
    return 1;
}

/* 1 = the member is an archive, which is the top level now; 0 = it is not. */
static int enter_archive(struct archive_walk *w, struct err *err) {
    struct bytes head;
    if (w->n == ARCHIVE_LEVELS) return 0;
    if (instream_peek(w->content, FORMAT_SNIFF_BYTES, &head, err)) return -1;
    if (!archive_kind(head)) return 0;
    char *prefix = fs_printf(err, "%s/", (const char *)top(w)->name.p);
    struct instream *in = w->content;
    w->content = NULL;
    int rc = prefix ? archive_level_open(w, in, archive_level_shown(top(w)), prefix, err) : -1;
    if (!prefix) instream_close(in);
    free(prefix);
    return rc ? -1 : 1;
}

/* The level's next member into *m. 1, 0 = the level has ended, -1. */
static int take_member(struct archive_walk *w, struct archive_member *m, struct err *err) {
    struct archive_level *l = top(w);
    if (w->at_member && skip_rest(w, err)) return -1;
    w->at_member = false;
    int rc = read_header(w, err);
    if (rc <= 0) return rc ? rc : check_end(w, err);
    w->at_member = true;
    *m = (struct archive_member){
        .type = type_of(l->entry), .is_nested = w->n > 1, .mtime_ns = (int64_t)archive_entry_mtime(l->entry) * 1000000000};
    m->bytes_known = archive_entry_size_is_set(l->entry) && archive_entry_size(l->entry) >= 0;
    m->bytes = m->bytes_known ? (uint64_t)archive_entry_size(l->entry) : 0;
    if (archive_use_member(&w->use, err) || name_member(l, m, err) || check_member(w, m, err)) return -1;
    return 1;
}

int archive_walk_next(struct archive_walk *w, struct archive_member *m, struct err *err) {
    for (;;) {
        int rc = take_member(w, m, err);
        if (rc < 0) return -1;
        if (rc == 0) {
            if (w->n == 1) return 0;
            archive_level_close(w->levels[--w->n]);
            w->at_member = true; /* the nested archive itself, of which nothing is left */
            continue;
        }
        if (m->type != MEMBER_FILE) return 1;
        if (open_content(w, err)) return -1;
        rc = enter_archive(w, err);
        if (rc < 0) return -1;
        w->at_member = !rc;
        if (!rc) return 1;
    }
}

struct instream *archive_walk_content(struct archive_walk *w, struct err *err) {
    struct instream *in = w->content;
    w->content = NULL;
    if (!in) err_set(err, ERR_INTERNAL, "%s: content asked for twice", archive_level_shown(top(w)));
    return in;
}

/* ---- life ---- */

struct archive_walk *archive_walk_open(struct instream *in, const struct archive_walk_opts *o, struct err *err) {
    struct archive_walk *w = calloc(1, sizeof *w);
    if (!w) {
        instream_close(in);
        err_nomem(err, sizeof *w, "an archive");
        return NULL;
    }
    w->o = *o;
    w->outermost = in;
    archive_use_begin(&w->use, o->limits, instream_path(in));
    w->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (archive_level_open(w, in, instream_path(in), "", err) == 0) return w;
    archive_walk_close(w);
    return NULL;
}

uint64_t archive_walk_input_bytes(const struct archive_walk *w) {
    return w->seekable ? w->levels[0]->source.offset : instream_input_bytes(w->outermost);
}

int archive_walk_checksum(const struct archive_walk *w, char hex[17], struct err *err) {
    if (w->seekable && !instream_is_temporary(w->outermost)) return file_sum_of(instream_path(w->outermost), hex, err);
    instream_checksum(w->outermost, hex);
    return 0;
}

void archive_walk_close(struct archive_walk *w) {
    if (!w) return;
    instream_close(w->content);
    while (w->n) archive_level_close(w->levels[--w->n]);
    if (w->utf8) freelocale(w->utf8);
    free(w);
}
