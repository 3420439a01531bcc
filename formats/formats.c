/* The formats there are, and which of them an input is: each says by how many bits the first bytes speak for it, options add to
 * that, and a tie is an error that asks for --format. Archives are found whatever was said: the format is that of their members.
 * The list of formats is made by make from the names of the files fmt_*.c. */
#include "formats/archive/archive_kind.h"
#include "formats/formats.h"

#include "base/bytes.h"
#include "base/fd.h"
#include "base/fs.h"
#include "formats/mapping/mapping.h"
#include "gen/format_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define BY_PIPE "read it by: python -m obkv_sst cells FILE… | obkv-import … - (docs/parquet.md)"

enum { BITS_OPTION = 16 };

#define DECLARE(name) extern const struct format name;
#define ADDRESS(name) &name,
FORMAT_LIST(DECLARE)
static const struct format *const formats[] = {FORMAT_LIST(ADDRESS)};

const struct format *format_by_name(const char *name) {
    for (size_t i = 0; i < countof(formats); i++)
        if (!strcmp(formats[i]->name, name)) return formats[i];
    return NULL;
}

int format_names(struct buf *out, struct err *err) {
    for (size_t i = 0; i < countof(formats); i++)
        if (buf_printf(out, err, "%s%s", i ? ", " : "", formats[i]->name)) return -1;
    return 0;
}

struct foreign {
    const char *magic;
    size_t n;
    const char *what;
};

#define AS_CSV "; save it as CSV in UTF-8"
/* For content that was unpacked, if it was packed. */
#define PACKED_AGAIN "packed twice, or cut off in its first bytes; unpack it once, or get it again"

/* A spreadsheet is a zip archive; its first member says so. */
static const char *office_kind(struct bytes head) {
    enum { NAME_AT = 30 };
    static const char zip[] = "PK\3\4";
    static const struct foreign kinds[] = {
        {"[Content_Types].xml", 19, "an Excel workbook or another document of Office" AS_CSV},
        {"mimetypeapplication/vnd.oasis", 29, "a document of OpenOffice" AS_CSV},
    };
    if (head.n < NAME_AT || memcmp(head.p, zip, sizeof zip - 1) != 0) return NULL;
    for (size_t i = 0; i < countof(kinds); i++)
        if (head.n >= NAME_AT + kinds[i].n && !memcmp(head.p + NAME_AT, kinds[i].magic, kinds[i].n)) return kinds[i].what;
    return NULL;
}

/* Returns what the first bytes show content to be that is neither text nor a cell file, and what to do with it; NULL: nothing
 * known. */
static const char *foreign_kind(struct bytes head) {
    static const struct foreign kinds[] = {
        {"Rar!\x1a\x07", 6, "a rar archive; unpack it first"},
        {"PAR1", 4, "a Parquet file; " BY_PIPE},
        {"Obj\1", 4, "an Avro file; " BY_PIPE},
        {"ORC\x08", 4, "an ORC file; " BY_PIPE},
        {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, "an Excel workbook (.xls) or another document of Office" AS_CSV},
        {"SQLite format 3", 16, "a database of SQLite; export its table as CSV"},
        {"PGCOPY\n\xff\r\n", 11, "a binary COPY of PostgreSQL; write text, which --dialect postgres reads"},
        {"\x1f\x9d", 2, "packed by compress (.Z); unpack it first (gzip -d)"},
        {"\x5d\0\0", 3, "packed as .lzma; unpack it first (xz -d)"},
        {"\xff\x06\0\0sNaPpY", 10, "packed by Snappy; unpack it first"},
        {"\x89LZO", 4, "packed by lzop; unpack it first"},
        {"\x1f\x8b", 2, PACKED_AGAIN},
        {"\xfd"
         "7zXZ",
         6, PACKED_AGAIN},
        {"\x28\xb5\x2f\xfd", 4, PACKED_AGAIN},
        {"\x04\x22\x4d\x18", 4, PACKED_AGAIN},
    };
    for (size_t i = 0; i < countof(kinds); i++) {
        const struct foreign *k = &kinds[i];
        if (head.n >= k->n && !memcmp(head.p, k->magic, k->n)) return k->what;
    }
    return office_kind(head);
}

/* Whole units of so many bytes: none is a control character but line ends and TABs, and some delimit. */
static bool is_text_of(struct bytes units, size_t width, bool little) {
    bool delimits = false;
    for (size_t i = 0; i + width <= units.n; i += width) {
        uint32_t v = 0;
        for (size_t k = 0; k < width; k++) v = v << 8 | units.p[i + (little ? width - 1 - k : k)];
        bool blank = v == '\t' || v == '\r' || v == '\n';
        if ((v < ' ' && !blank) || v > 0x10ffff) return false;
        delimits |= blank || v == ',' || v == ';' || v == '|';
    }
    return delimits;
}

/* Returns whether head is UTF-16 without a byte order mark: nearly every second byte is NUL, and there is a line end or
 * delimiter. */
static bool is_wide_ascii(struct bytes head, bool little) {
    enum { FEWEST = 8, HARDLY = 16 };
    size_t zeros = 0, others = 0;
    for (size_t i = 0; i + 1 < head.n; i += 2) {
        zeros += !head.p[i + little];
        others += !head.p[i + !little];
    }
    return head.n >= FEWEST && !others && zeros > head.n / 2 - head.n / HARDLY && is_text_of(head, 2, little);
}

/* A byte order mark alone says little: a row key may begin with its bytes. */
static bool is_wide_text(struct bytes head) {
    static const struct {
        const char *mark;
        size_t width;
        bool little;
    } kinds[] = {{"\xff\xfe\0\0", 4, true}, {"\0\0\xfe\xff", 4, false}, {"\xff\xfe", 2, true}, {"\xfe\xff", 2, false}};
    for (size_t i = 0; i < countof(kinds); i++) {
        size_t n = kinds[i].width;
        if (head.n < n || memcmp(head.p, kinds[i].mark, n) != 0) continue;
        return is_text_of(bytes_of(head.p + n, head.n - n), n, kinds[i].little);
    }
    return is_wide_ascii(head, true) || is_wide_ascii(head, false);
}

static int refuse_foreign(const struct instream *in, struct bytes head, struct err *err) {
    const char *what = foreign_kind(head);
    if (what) return err_set(err, ERR_UNSUPPORTED, "%s: is %s", instream_path(in), what);
    if (!is_wide_text(head)) return 0;
    return err_set(err, ERR_UNSUPPORTED,
                   "%s: is text in UTF-16 or UTF-32; convert it to UTF-8 first (iconv -f UTF-16 -t "
                   "UTF-8)",
                   instream_path(in));
}

/* Returns what content without a known format looks like, as " (…)"; "" if it looks like nothing. */
static const char *likeness(struct bytes head) {
    size_t i = 0;
    while (i < head.n && !head.p[i]) i++;
    if (head.n && i == head.n) return " (it holds only zero bytes: it was not written to its end, or is damaged)";
    i = 0;
    if (memchr(head.p, 0, head.n)) return " (it holds zero bytes, so it may be UTF-16: convert it with iconv -f UTF-16 -t UTF-8)";
    while (i < head.n && memchr(" \t\r\n", head.p[i], 4)) i++;
    if (i == head.n) return "";
    return head.p[i] == '<' ? " (it looks like HTML or XML, perhaps an error page of a server)" : "";
}

/* Returns how likely the format is by head, path and options. Eight columns of hex and numbers may be cells or a table like any
 * other: with --columns neither is likelier. */
static int score(const struct format *f, struct bytes head, const char *path, const struct read_opts *o) {
    int bits = f->sniff(head, path);
    const bool named_csv = strstr(path, ".csv") != NULL; /* a csv with TABs */
    const struct dialect *d = o->text.dialect;
    if (dialect_is_named(d) && f == (d->exact ? &fmt_csv : &fmt_tsv)) return bits + BITS_OPTION;
    const bool given = dialect_says(d, DIALECT_DELIMITER), is_tab = given && bytes_eq(dialect_delimiter(d), bytes_str("\t"));
    bool tab = is_tab && !named_csv, other = given && !tab;
    bool quote =
        dialect_says(d, DIALECT_QUOTE) && d->quote >= 0 && bits >= fmt_tsv.sniff(head, path); /* else a tsv with quotes */
    if (f == &fmt_cells && bits && strstr(path, ".cells")) return bits + BITS_OPTION;         /* as our own rejects are named */
    if (f == &fmt_cells && bits && o->text.columns) return fmt_tsv.sniff(head, path);
    if ((f == &fmt_tsv && tab) || (f == &fmt_csv && (other || quote))) return bits + BITS_OPTION;
    return bits;
}

static const struct format *vote(const char *path, struct bytes head, const struct read_opts *o, struct err *err) {
    int best = 0;
    const struct format *first = NULL, *second = NULL;
    for (size_t i = 0; i < countof(formats); i++) {
        int bits = score(formats[i], head, path, o);
        if (bits < best || !bits) continue;
        second = bits > best ? NULL : formats[i];
        if (bits > best) first = formats[i];
        best = bits;
    }
    if (!first && !head.n && o->text.columns) return &fmt_csv; /* no records in any dialect */
    if (second) {
        err_set(err, ERR_USAGE, "%s: could be %s or %s; choose with --format", path, first->name, second->name);
        return NULL;
    }
    if (!first)
        err_set(err, ERR_USAGE,
                "%s: %s%s; give its format with --format; if it is no data, leave it out of its directory or archive with "
                "--files '!PATTERN'",
                path, head.n ? "has no known format" : "is empty", likeness(head));
    return first;
}

static const struct format *named(const char *name, struct err *err) {
    const struct format *f = format_by_name(name);
    const bool by_pipe = !strcasecmp(name, "parquet") || !strcasecmp(name, "orc") || !strcasecmp(name, "avro");
    struct buf names = {0};
    if (!f && by_pipe)
        err_set(err, ERR_USAGE, "--format %s: " BY_PIPE, name);
    else if (!f && format_names(&names, err) == 0)
        err_set(err, ERR_USAGE, "--format %s: there is no such format; known formats: %.*s", name, (int)names.n, (char *)names.p);
    buf_free(&names);
    return f;
}

/* Copies a stream to a temporary file if the format has to seek. 0, -1. */
static int copy_to_file_if_needed(const struct format *f, struct instream *in, const struct read_opts *o, struct err *err) {
    if (!f->needs_file || instream_is_file(in)) return 0;
    if (o->temp_dir) return instream_to_file(in, o->temp_dir, o->quota, err);
    return err_set(err, ERR_UNSUPPORTED, "%s: %s is read from its end, so it must be a file on disk, not compressed",
                   instream_path(in), f->about);
}

/* Returns the format of an archive; NULL: in is none, or (err) one that is refused. */
static const struct format *as_archive(struct instream *in, struct bytes head, const struct read_opts *o, struct err *err) {
    if (!archive_kind(head)) return NULL;
    if (!o->archive.is_member) return &fmt_archive;
    err_set(err, ERR_UNSUPPORTED, "%s: is an archive in an archive in an archive; unpack the outermost", instream_path(in));
    return NULL;
}

/* Returns whether a mapped file is TSV: by name, TABs in its first line, and no delimiter that is given. As CSV it would have one
 * column. */
static bool is_mapped_tsv(const struct mapping_source *s, struct bytes head, const char *path, const struct read_opts *o) {
    const int by_tabs = fmt_tsv.sniff(head, "");
    return by_tabs > 0 && fmt_tsv.sniff(head, path) > by_tabs && !dialect_says(&s->dialect, DIALECT_DELIMITER) &&
           !dialect_says(o->text.dialect, DIALECT_DELIMITER);
}

/* A file that a mapping is about is text, and of which kind where that is not said, is plain to see; NULL: none of it is. */
static const struct format *mapped_format(const struct read_opts *o, struct bytes head, const char *path) {
    const struct mapping_source *s = mapping_source_of(o->text.mapping, path);
    if (!s || s->format) return s ? format_by_name(s->format) : NULL;
    if (dialect_is_named(&s->dialect)) return s->dialect.exact ? &fmt_csv : &fmt_tsv;
    if (fmt_jsonl.sniff(head, path)) return &fmt_jsonl;
    return is_mapped_tsv(s, head, path, o) ? &fmt_tsv : &fmt_csv;
}

const struct format *format_choose(struct instream *in, const char *name, const struct read_opts *o, struct err *err) {
    struct bytes head;
    const struct format *f = name ? named(name, err) : NULL;
    if (err->code || instream_peek(in, FORMAT_SNIFF_BYTES, &head, err)) return NULL;
    if (!name && o->text.mapping) f = mapped_format(o, head, instream_path(in));
    if (refuse_foreign(in, head, err)) return NULL;
    const struct format *archive = as_archive(in, head, o, err);
    if (archive || err->code) return archive;
    return f ? f : vote(instream_path(in), head, o, err);
}

/* An archive says it of its members, when they are opened. */
static struct reader *say_what_it_holds(struct reader *r, const struct format *f) {
    if (r && f != &fmt_archive) r->holds = f->is_log ? HOLDS_EDITS : HOLDS_UNSAID;
    return r;
}

struct reader *format_open_stream(struct instream *in, const char *name, const struct read_opts *o, const struct format **which,
                                  struct err *err) {
    struct read_opts members = *o;
    const struct format *f = format_choose(in, name, o, err);
    if (!f || copy_to_file_if_needed(f, in, o, err)) {
        instream_close(in);
        return NULL;
    }
    members.formats = &formats_known;
    members.archive.member_format = name && strcmp(name, fmt_archive.name) ? name : NULL;
    if (which) *which = f;
    return say_what_it_holds(f->open(in, &members, err), f);
}

/* *out: what a file on disk is that is neither compressed nor an archive; NULL: it is not plain to see. */
static int plain_format(const char *path, const char *name, const struct read_opts *o, const struct format **out,
                        struct err *err) {
    struct err doubt = {0}; /* its reader asks which it is */
    struct bytes head;
    *out = NULL;
    struct instream *in = instream_open(path, o->stop, o->memory.unpack, err);
    bool plain = in && instream_is_file(in);
    int rc = plain ? instream_peek(in, FORMAT_SNIFF_BYTES, &head, err) : in ? 0 : -1;
    if (!rc && plain && !archive_kind(head)) *out = name ? format_by_name(name) : vote(path, head, o, &doubt);
    instream_close(in);
    return rc;
}

/* A file that cannot be opened is not verified: its reader fails as well, or damage that it finds ends the run. */
int format_verify(const char *path, const char *name, const struct read_opts *o, uint64_t *cells, struct err *err) {
    const struct format *f = &fmt_hfile;
    struct err unread = {0};
    *cells = LOST_UNKNOWN;
    if (!o->hfile.view && plain_format(path, name, o, &f, &unread)) {
        if (unread.code == ERR_INPUT) return 0;
        err_keep(err, &unread);
        return -1;
    }
    return f && f->verify ? f->verify(path, o, cells, err) : 0;
}

/* The blocks of an HFile of version 1 may be compressed from the first byte on, magic and all: its trailer shows what it is. */
static int is_packed_hfile_v1(const char *path, struct err *err) {
    enum { TRAILER_BYTES = 60, VERSION_AT = TRAILER_BYTES - 4 };
    static const char magic[] = "TRABLK\"$";
    uint8_t trailer[TRAILER_BYTES];
    struct stat st;
    if (!strcmp(path, "-")) return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot open", path);
    int rc = fstat(fd, &st) ? err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path) : 0;
    bool has_trailer = !rc && S_ISREG(st.st_mode) && st.st_size >= TRAILER_BYTES;
    if (has_trailer) rc = fs_pread_full(fd, trailer, TRAILER_BYTES, (uint64_t)st.st_size - TRAILER_BYTES, path, err);
    fd_close(fd);
    return rc ? -1 : has_trailer && !memcmp(trailer, magic, sizeof magic - 1) && be32(trailer + VERSION_AT) == 1;
}

struct reader *format_open(const char *path, const char *name, const struct read_opts *o, const struct format **which,
                           struct err *err) {
    const struct format *f = name ? named(name, err) : NULL;
    if (name && !f) return NULL;
    if (f && f->open_path && o->hfile.view) { /* the caller knows the format: the first bytes are not checked */
        if (which) *which = f;
        return say_what_it_holds(f->open_path(path, o, err), f);
    }
    struct err damage = {0};
    struct instream *in = instream_open(path, o->stop, o->memory.unpack, &damage);
    bool packed = in ? instream_is_compressed(in) : damage.code == ERR_INPUT && !damage.sys;
    int old = packed ? is_packed_hfile_v1(path, err) : 0;
    if (old > 0)
        err_set(err, ERR_UNSUPPORTED, "%s: HFile v1 is not supported; major-compact the table with HBase 0.92-1.2 first", path);
    if (old) {
        instream_close(in);
        return NULL;
    }
    err_keep(err, &damage);
    if (in) instream_use_threads(in, o->unpackers);
    return in ? format_open_stream(in, name, o, which, err) : NULL;
}

int format_look(struct instream *in, struct content *out, struct err *err) {
    const struct read_opts o = {0};
    struct bytes head;
    struct err doubt = {0};
    *out = (struct content){0};
    if (instream_peek(in, FORMAT_SNIFF_BYTES, &head, err)) return -1;
    enum archive_kind_code kind = archive_kind(head);
    out->is_compressed = instream_is_compressed(in);
    out->is_empty = !head.n;
    out->archive = kind ? archive_kind_name(kind) : NULL;
    out->format = kind ? NULL : vote(instream_path(in), head, &o, &doubt);
    return 0;
}

int format_content(const char *path, size_t unpack_bytes, struct content *out, struct err *err) {
    struct instream *in = instream_open(path, NULL, unpack_bytes, err);
    int rc = in ? format_look(in, out, err) : -1;
    instream_close(in);
    return rc;
}

static int ask_reader(struct reader *r, struct reason *why, struct err *err) {
    int rc = 0;
    if (r->ops->by_blocks)
        rc = r->ops->by_blocks(r, why, err);
    else
        snprintf(why->text, sizeof why->text, "it can be read only from its beginning");
    r->ops->close(r);
    return rc;
}

int format_by_blocks(const char *path, const char *name, const struct read_opts *o, struct reason *why, struct err *err) {
    struct stat st;
    *why = (struct reason){0};
    bool piped = !strcmp(path, "-");
    if (!piped && stat(path, &st)) return err_sys(err, ERR_INPUT, errno, "%s", path);
    if (piped || !S_ISREG(st.st_mode)) {
        snprintf(why->text, sizeof why->text, "it is not a file on disk");
        return 0;
    }
    struct reader *r = format_open(path, name, o, NULL, err);
    return r ? ask_reader(r, why, err) : -1;
}

const struct format_table formats_known = {.by_name = format_by_name,
                                           .open = format_open,
                                           .open_stream = format_open_stream,
                                           .choose = format_choose,
                                           .verify = format_verify};
