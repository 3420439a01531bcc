/* The members of an archive, one after the other, in one pass, over libarchive. Nothing is written to disk but a 7z that comes
 * by a pipe, no name is looked up anywhere. A member that is an archive itself becomes a level of its own:
 *
 *     level 0   outer.tar     a.csv   inner.zip   c.csv   end mark: is it whole?
 *                                       |   ^
 *     level 1                           v   '-- ends: its parent continues
 *               inner.zip               x.csv  y.csv
 *
 * Each level has its libarchive handle and source; an archive two levels deep is refused. */
#include "formats/archive/archive_members.h"

#include "base/archive_error.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/fs.h"
#include "base/outfile.h"
#include "base/unpack.h"
#include "engine/format.h"
#include "formats/archive/archive_source.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <strings.h>

enum {
    LEVELS = 2,              /* an archive, and one inside it */
    HEADER_BYTES = 1 << 20,  /* names, links, attributes, sparse maps of one member */
    NAME_SHOWN_BYTES = 300,  /* of a name in messages */
    TAR_BLOCK_BYTES = 512,   /* an archive ends with at least one of zeros */
    CPIO_LINKS_MAX = 10000,  /* libarchive goes through all of them for each */
    FIRST_READ_BYTES = 4096, /* enough to know what a member is */
    DIRECTORY_PART = 4,      /* a zip's directory takes about four times its bytes in memory */
    DEFAULT_WINDOW_BYTES = 64 << 20
};

/* An archive that is being read. */
struct level {
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
    struct level *levels[LEVELS];
    unsigned n;
    struct instream *content; /* of the member, until it is asked for */
    struct instream *outermost;
    locale_t utf8;
    bool at_member, seekable;
};

static struct level *top(const struct archive_walk *w) {
    return w->levels[w->n - 1];
}

static const char *shown(const struct level *l) {
    return (const char *)l->shown.p;
}

static bool is_packed(const struct level *l) {
    return l->kind == ARCHIVE_KIND_ZIP || l->kind == ARCHIVE_KIND_7Z;
}

/* ---- messages ---- */

static bool says(const char *text, const char *word) {
    return text && strcasestr(text, word);
}

/* What libarchive says, under the name of what it was reading. */
static int failed(struct level *l, const char *path, struct err *err) {
    const char *why = archive_error_string(l->archive);
    const char *kind = archive_kind_name(l->kind);
    err_keep(err, &l->source.err);
    if (err->code) return -1;
    if (archive_lacks_memory(l->archive, !l->is_open)) return err_nomem(err, 0, path);
    if (says(why, "encrypt") || says(why, "passphrase"))
        return err_set(err, ERR_UNSUPPORTED, "%s: is encrypted: unpack it with its password", path);
    if (says(why, "unsupported") || says(why, "not supported"))
        return err_set(err, ERR_UNSUPPORTED, "%s: %s archive: %s: unpack it", path, kind, why);
    if (!why || !*why) why = "it ends in the middle";
    return err_set(err, ERR_INPUT, "%s: damaged or truncated %s archive: %.*s", path, kind, (int)strcspn(why, "\n"), why);
}

/* The end of a long name says more than its beginning. */
static int show(struct buf *out, const char *path, const char *name, struct err *err) {
    size_t n = strlen(name), skipped = n > NAME_SHOWN_BYTES ? n - NAME_SHOWN_BYTES : 0;
    buf_clear(out);
    if (buf_printf(out, err, "%s!%s", path, skipped ? "..." : "")) return -1;
    for (const char *p = name + skipped; *p; p++)
        if (buf_put_byte(out, (uint8_t)*p < ' ' || *p == 0x7f ? '?' : (uint8_t)*p, err)) return -1;
    return buf_put_byte(out, 0, err);
}

/* ---- levels ---- */

static void level_close(struct level *l) {
    if (!l) return;
    archive_entry_free(l->entry);
    if (l->archive) archive_read_free(l->archive);
    archive_source_close(&l->source);
    instream_close(l->in);
    free(l->path);
    free(l->prefix);
    buf_free(&l->name);
    buf_free(&l->shown);
    buf_free(&l->link);
    free(l);
}

static size_t window_of(const struct archive_walk *w) {
    return w->o.unpack_bytes ? w->o.unpack_bytes : DEFAULT_WINDOW_BYTES;
}

/* With its directory a zip says more (links, sizes), but libarchive holds all of it in memory. */
static bool zip_by_directory(struct archive_walk *w, struct level *l) {
    if (!instream_is_file(l->in)) return false;
    struct err err = {0};
    if (archive_source_open(&l->source, l->in, true, w->o.stop, &w->use, &err)) return false;
    l->directory = zip_directory_find(l->source.fd, l->source.size);
    if (l->directory.bytes && l->directory.bytes <= l->window / DIRECTORY_PART)
        return true; /* libarchive does not find an empty one */
    archive_source_close(&l->source);
    return false;
}

static int open_source(struct archive_walk *w, struct level *l, struct err *err) {
    bool file = instream_is_file(l->in);
    if (l->kind == ARCHIVE_KIND_ZIP && zip_by_directory(w, l)) return 0;
    if (l->kind == ARCHIVE_KIND_7Z && !file) {
        if (instream_to_file(l->in, w->o.temp_dir, w->o.quota, err)) return err_prefix(err, "%s", l->path);
        file = true;
    }
    bool by_offset = file && (l->kind == ARCHIVE_KIND_7Z || (w->o.by_offset && l->kind != ARCHIVE_KIND_ZIP));
    if (archive_source_open(&l->source, l->in, by_offset, w->o.stop, &w->use, err)) return -1;
    return l->kind == ARCHIVE_KIND_7Z ? archive_7z_check(l->source.fd, l->path, l->window, err) : 0;
}

/* Only the one format: what looks like another must not be guessed at. */
static int choose_format(struct level *l, struct err *err) {
    struct archive *a = l->archive = archive_read_new();
    if (!a || !(l->entry = archive_entry_new2(a))) return err_nomem(err, 0, "an archive");
    int rc = ARCHIVE_OK;
    switch (l->kind) {
    case ARCHIVE_KIND_NONE:
    case ARCHIVE_KIND_TAR:
        rc = archive_read_support_format_tar(a);
        if (!rc) rc = archive_read_set_options(a, "tar:read_concatenated_archives");
        break;
    case ARCHIVE_KIND_ZIP:
        rc = l->source.fd >= 0 ? archive_read_support_format_zip_seekable(a) : archive_read_support_format_zip_streamable(a);
        break;
    case ARCHIVE_KIND_7Z: rc = archive_read_support_format_7zip(a); break;
    case ARCHIVE_KIND_CPIO: rc = archive_read_support_format_cpio(a); break;
    }
    if (rc == ARCHIVE_OK) return 0;
    return archive_lacks_memory(a, true) ? err_nomem(err, 0, l->path)
                                         : err_set(err, ERR_INTERNAL, "%s: libarchive: %s", l->path, archive_error_string(a));
}

/* Takes ownership of in, also on failure. */
static int level_open(struct archive_walk *w, struct instream *in, const char *path, const char *prefix, struct err *err) {
    struct bytes head;
    struct level *l = malloc(sizeof *l);
    if (!l) {
        instream_close(in);
        return err_nomem(err, sizeof *l, "an archive");
    }
    memset(l, 0, offsetof(struct level, source.block));
    w->levels[w->n++] = l;
    l->walk = w;
    l->in = in;
    l->source.fd = -1;
    l->window = archive_walk_window(w);
    if (!(l->path = fs_printf(err, "%s", path)) || !(l->prefix = fs_printf(err, "%s", prefix))) return -1;
    if (instream_peek(in, FORMAT_SNIFF_BYTES, &head, err)) return -1;
    l->kind = archive_kind(head);
    if (open_source(w, l, err) || choose_format(l, err)) return -1;
    l->unpacks = is_packed(l);
    /* The directory of a zip, the header of a 7z: their sizes have been checked. Other headers are small. */
    bool directory = l->unpacks && l->source.fd >= 0;
    archive_source_header(&l->source, HEADER_BYTES + (directory ? l->window : 0));
    if (w->n == 1) {
        w->seekable = l->source.fd >= 0;
        w->use.packed_bytes = l->source.size;
        l->source.outermost = !w->seekable;
    }
    if (archive_source_attach(&l->source, l->archive) != ARCHIVE_OK) return failed(l, l->path, err);
    l->is_open = true;
    return 0;
}

/* ---- content ---- */

static ssize_t read_content(void *arg, uint8_t *p, size_t n, struct err *err) {
    struct level *l = arg;
    if (l->empty) return 0;
    if (!l->content_bytes && n > FIRST_READ_BYTES) n = FIRST_READ_BYTES;
    la_ssize_t r = archive_read_data(l->archive, p, n);
    if (r < 0) return failed(l, shown(l), err);
    l->content_bytes += (uint64_t)r;
    if (l->limited && l->content_bytes > l->window)
        return err_set(err, ERR_LIMIT, "%s: this compression may need %llu bytes of memory or more: raise --memory, or unpack it",
                       shown(l), (unsigned long long)l->content_bytes);
    if (l->unpacks && archive_use_bytes(&l->walk->use, (uint64_t)r, err)) return -1;
    return r;
}

static int count_unpacked(void *arg, uint64_t bytes, struct err *err) {
    struct archive_walk *w = arg;
    return archive_use_bytes(&w->use, bytes, err);
}

static int open_content(struct archive_walk *w, struct err *err) {
    struct level *l = top(w);
    struct unpack_from from = {.read = read_content, .arg = l, .path = shown(l), .memory_bytes = archive_walk_window(w)};
    w->content = instream_over(&from, err);
    if (w->content) instream_watch(w->content, count_unpacked, w);
    return w->content ? 0 : -1;
}

/* What is left of the member. What has to be unpacked to be skipped is read, so that it counts. */
static int skip_rest(struct archive_walk *w, struct err *err) {
    struct level *l = top(w);
    uint8_t waste[16384];
    bool by_directory = l->kind == ARCHIVE_KIND_ZIP && l->source.fd >= 0;
    bool read = is_packed(l) && !by_directory && !l->empty;
    ssize_t r = read;
    instream_close(w->content);
    w->content = NULL;
    while (r > 0) r = read_content(l, waste, sizeof waste, err);
    if (r < 0) return -1;
    if (!read && archive_read_data_skip(l->archive) != ARCHIVE_OK) return failed(l, shown(l), err);
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

static int name_member(struct level *l, struct archive_member *m, struct err *err) {
    const char *name = archive_entry_pathname(l->entry);
    const char *link = archive_entry_hardlink(l->entry);
    if (!name) name = archive_entry_pathname_utf8(l->entry);
    if (!link) link = archive_entry_symlink(l->entry);
    buf_clear(&l->name);
    buf_clear(&l->link);
    if (buf_printf(&l->name, err, "%s%s", l->prefix, or_empty(name)) || buf_put_byte(&l->name, 0, err)) return -1;
    if (buf_printf(&l->link, err, "%s%s", link ? l->prefix : "", or_empty(link)) || buf_put_byte(&l->link, 0, err)) return -1;
    if (show(&l->shown, l->path, or_empty(name), err)) return -1;
    m->name = (const char *)l->name.p;
    m->path = shown(l);
    m->link = (const char *)l->link.p;
    return 0;
}

/* Zip methods that need much memory and do not say how much: RSS stays below what they produced. */
static int check_method(struct level *l, const char *path, struct err *err) {
    const char *name = archive_format_name(l->archive);
    l->limited = l->empty = false;
    if (l->kind != ARCHIVE_KIND_ZIP || says(name, "(uncompressed)") || says(name, "(deflation)") || says(name, "(bzip)"))
        return 0;
    const char *method = name ? strchr(name, '(') : NULL;
    l->limited = says(name, "(lzma)") || says(name, "(xz)") || says(name, "(zstd)");
    l->empty = l->limited && archive_entry_size_is_set(l->entry) && !archive_entry_size(l->entry);
    return l->limited ? 0
                      : err_set(err, ERR_UNSUPPORTED, "%s: zip with a compression that is not supported %s: unpack it", path,
                                or_empty(method));
}

static int check_member(struct archive_walk *w, const struct archive_member *m, struct err *err) {
    struct level *l = top(w);
    if (archive_entry_is_encrypted(l->entry))
        return err_set(err, ERR_UNSUPPORTED, "%s: is encrypted: unpack it with its password", m->path);
    if (l->kind == ARCHIVE_KIND_CPIO && archive_entry_nlink(l->entry) > 1 && m->type != MEMBER_DIRECTORY &&
        ++l->cpio_links > CPIO_LINKS_MAX)
        return err_set(err, ERR_LIMIT, "%s: more than %d hard links: unpack it", l->path, CPIO_LINKS_MAX);
    l->unpacks = is_packed(l) || archive_entry_sparse_count(l->entry) > 0;
    return m->type == MEMBER_FILE ? check_method(l, m->path, err) : 0;
}

/* A damaged entry ends the directory for libarchive, and the members after it would be missing. */
static int check_members(const struct level *l, struct err *err) {
    if (l->directory.members == ZIP_MEMBERS_UNKNOWN || l->directory.members == l->headers % 65536) return 0;
    return err_set(err, ERR_INPUT, "%s: damaged zip archive: its directory has %u members, %llu were found", l->path,
                   l->directory.members, (unsigned long long)l->headers);
}

/* The archive of the top level has ended: is it whole? */
static int check_end(struct archive_walk *w, struct err *err) {
    struct level *l = top(w);
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
    struct level *l = top(w);
    locale_t before = uselocale(w->utf8); /* else libarchive finds no names for what is not ASCII */
    if (l->started) archive_source_header(&l->source, HEADER_BYTES);
    int rc = archive_read_next_header2(l->archive, l->entry);
    uselocale(before);
    if (rc == ARCHIVE_EOF) return 0;
    /* Warnings are about damage, too, but for names in no character set. */
    bool fine = rc == ARCHIVE_OK || (rc == ARCHIVE_WARN && says(archive_error_string(l->archive), "be converted"));
    if (!fine) return failed(l, l->started ? shown(l) : l->path, err);
    archive_source_content(&l->source);
    l->started = true;
    l->headers++;
    l->content_bytes = 0;
    return 1;
}

/* 1 = the member is an archive, which is the top level now; 0 = it is not. */
static int enter(struct archive_walk *w, struct err *err) {
    struct bytes head;
    if (w->n == LEVELS) return 0;
    if (instream_peek(w->content, FORMAT_SNIFF_BYTES, &head, err)) return -1;
    if (!archive_kind(head)) return 0;
    char *prefix = fs_printf(err, "%s/", (const char *)top(w)->name.p);
    struct instream *in = w->content;
    w->content = NULL;
    int rc = prefix ? level_open(w, in, shown(top(w)), prefix, err) : -1;
    if (!prefix) instream_close(in);
    free(prefix);
    return rc ? -1 : 1;
}

/* The level's next member into *m. 1, 0 = the level has ended, -1. */
static int take_member(struct archive_walk *w, struct archive_member *m, struct err *err) {
    struct level *l = top(w);
    if (w->at_member && skip_rest(w, err)) return -1;
    w->at_member = false;
    int rc = read_header(w, err);
    if (rc <= 0) return rc ? rc : check_end(w, err);
    w->at_member = true;
    *m = (struct archive_member){.type = type_of(l->entry), .mtime_ns = (int64_t)archive_entry_mtime(l->entry) * 1000000000};
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
            level_close(w->levels[--w->n]);
            w->at_member = true; /* the nested archive itself, of which nothing is left */
            continue;
        }
        if (m->type != MEMBER_FILE) return 1;
        if (open_content(w, err)) return -1;
        rc = enter(w, err);
        if (rc < 0) return -1;
        w->at_member = !rc;
        if (!rc) return 1;
    }
}

struct instream *archive_walk_content(struct archive_walk *w, struct err *err) {
    struct instream *in = w->content;
    w->content = NULL;
    if (!in) err_set(err, ERR_INTERNAL, "%s: content asked for twice", shown(top(w)));
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
    if (level_open(w, in, instream_path(in), "", err) == 0) return w;
    archive_walk_close(w);
    return NULL;
}

/* An archive that is unpacked itself, and one inside it, hold a window each. */
size_t archive_walk_window(const struct archive_walk *w) {
    size_t window = window_of(w);
    for (unsigned i = 0; i < w->n; i++)
        if (w->levels[i]->unpacks || instream_is_compressed(w->levels[i]->in)) window /= 2;
    return window;
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
    while (w->n) level_close(w->levels[--w->n]);
    if (w->utf8) freelocale(w->utf8);
    free(w);
}
