/* A level of a walk: an archive that is opened, its source chosen by what can be read at an offset, and closed. libarchive is
 * given the one format that the first bytes show; what it says about damage becomes an error under the name of what was read. */
#include "formats/archive/archive_level.h"

#include "base/fs.h"
#include "base/outfile.h"
#include "engine/format.h"
#include "formats/archive/archive_error.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

enum {
    NAME_SHOWN_BYTES = 300, /* of a name in messages */
    DIRECTORY_PART = 4,     /* a zip's directory takes about four times its bytes in memory */
    DEFAULT_WINDOW_BYTES = 64 << 20
};

static size_t window_of(const struct archive_walk *w) {
    return w->o.unpack_bytes ? w->o.unpack_bytes : DEFAULT_WINDOW_BYTES;
}

/* An archive that is unpacked itself, and one inside it, hold a window each. */
size_t archive_walk_window(const struct archive_walk *w) {
    size_t window = window_of(w);
    for (unsigned i = 0; i < w->n; i++)
        if (w->levels[i]->unpacks || instream_is_compressed(w->levels[i]->in)) window /= 2;
    return window;
}

const char *archive_level_shown(const struct archive_level *l) {
    return (const char *)l->shown.p;
}

bool archive_level_is_packed(const struct archive_level *l) {
    return l->kind == ARCHIVE_KIND_ZIP || l->kind == ARCHIVE_KIND_7Z;
}

/* ---- messages ---- */

bool archive_level_says(const char *text, const char *word) {
    return text && strcasestr(text, word);
}

/* Sets the error that libarchive reports, under the name of what it was reading. Returns -1. */
int archive_level_failed(struct archive_level *l, const char *path, struct err *err) {
    const char *why = archive_error_string(l->archive);
    const char *kind = archive_kind_name(l->kind);
    err_keep(err, &l->source.err);
    if (err->code) return -1;
    if (archive_lacks_memory(l->archive, !l->is_open)) return err_nomem(err, 0, path);
    if (archive_level_says(why, "encrypt") || archive_level_says(why, "passphrase"))
        return err_set(err, ERR_UNSUPPORTED, "%s: is encrypted; unpack it with its password", path);
    if (archive_level_says(why, "unsupported") || archive_level_says(why, "not supported"))
        return err_set(err, ERR_UNSUPPORTED, "%s: %s archive: %s: unpack it", path, kind, why);
    if (!why || !*why) why = "it ends in the middle";
    return err_set(err, ERR_INPUT, "%s: damaged or truncated %s archive: %.*s", path, kind, (int)strcspn(why, "\n"), why);
}

/* The end of a long name says more than its beginning. */
int archive_level_show(struct buf *out, const char *path, const char *name, struct err *err) {
    size_t n = strlen(name), skipped = n > NAME_SHOWN_BYTES ? n - NAME_SHOWN_BYTES : 0;
    buf_clear(out);
    if (buf_printf(out, err, "%s!%s", path, skipped ? "..." : "")) return -1;
    for (const char *p = name + skipped; *p; p++)
        if (buf_put_byte(out, (uint8_t)*p < ' ' || *p == 0x7f ? '?' : (uint8_t)*p, err)) return -1;
    return buf_put_byte(out, 0, err);
}

/* ---- levels ---- */

void archive_level_close(struct archive_level *l) {
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

/* Returns whether a zip is read by its directory. With it a zip says more (links, sizes), but libarchive holds all of it in
 * memory. */
static bool zip_by_directory(struct archive_walk *w, struct archive_level *l) {
    if (!instream_is_file(l->in)) return false;
    struct err err = {0};
    if (archive_source_open(&l->source, l->in, true, w->o.stop, &w->use, &err)) return false;
    l->directory = zip_directory_find(l->source.fd, l->source.size);
    if (l->directory.bytes && l->directory.bytes <= l->window / DIRECTORY_PART)
        return true; /* libarchive does not find an empty one */
    archive_source_close(&l->source);
    return false;
}

static int open_source(struct archive_walk *w, struct archive_level *l, struct err *err) {
    bool file = instream_is_file(l->in);
    const bool by_directory = l->kind == ARCHIVE_KIND_ZIP && zip_by_directory(w, l);
    if (l->directory.is_joined) return zip_refuse_joined(l->path, err);
    if (by_directory) return 0;
    if (l->kind == ARCHIVE_KIND_7Z && !file) {
        if (instream_to_file(l->in, w->o.temp_dir, w->o.quota, err)) return err_prefix(err, "%s", l->path);
        file = true;
    }
    bool by_offset = file && (l->kind == ARCHIVE_KIND_7Z || (w->o.by_offset && l->kind != ARCHIVE_KIND_ZIP));
    if (archive_source_open(&l->source, l->in, by_offset, w->o.stop, &w->use, err)) return -1;
    return l->kind == ARCHIVE_KIND_7Z ? archive_7z_check(l->source.fd, l->path, l->window, err) : 0;
}

/* Sets the one format: what looks like another must not be guessed at. */
static int choose_format(struct archive_level *l, struct err *err) {
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
int archive_level_open(struct archive_walk *w, struct instream *in, const char *path, const char *prefix, struct err *err) {
    struct bytes head;
    struct archive_level *l = malloc(sizeof *l);
    if (!l) {
        instream_close(in);
        return err_nomem(err, sizeof *l, "an archive");
    }
    memset(l, 0, offsetof(struct archive_level, source.block));
    w->levels[w->n++] = l;
    l->walk = w;
    l->in = in;
    l->source.fd = -1;
    l->window = archive_walk_window(w);
    if (!(l->path = fs_printf(err, "%s", path)) || !(l->prefix = fs_printf(err, "%s", prefix))) return -1;
    if (instream_peek(in, FORMAT_SNIFF_BYTES, &head, err)) return -1;
    l->kind = archive_kind(head);
    if (open_source(w, l, err) || choose_format(l, err)) return -1;
    l->unpacks = archive_level_is_packed(l);
    l->source.passes_zeros = l->kind == ARCHIVE_KIND_TAR;
    /* The directory of a zip, the header of a 7z: their sizes have been checked. Other headers are small. */
    bool directory = l->unpacks && l->source.fd >= 0;
    archive_source_header(&l->source, ARCHIVE_HEADER_BYTES + (directory ? l->window : 0));
    if (w->n == 1) {
        w->seekable = l->source.fd >= 0;
        w->use.packed_bytes = l->source.size;
        l->source.outermost = !w->seekable;
    }
    if (archive_source_attach(&l->source, l->archive) != ARCHIVE_OK) return archive_level_failed(l, l->path, err);
    l->is_open = true;
    return 0;
}
