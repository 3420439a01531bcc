/* hbase-site.xml, core-site.xml and the like, read piece by piece with expat as Hadoop's Configuration reads them. xi:include is
 * followed to files of this machine, at bounded depth and number; declared entities are refused: nothing else is ever opened. */

#include "base/buf.h"
#include "base/fs.h"
#include "cmd/common/site_file.h"

#include <errno.h>
#include <expat.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { FILE_MAX_BYTES = 16 << 20, DEPTH_MAX = 64, INCLUDED_MAX = 100, INCLUDED_DEPTH_MAX = 16 };

/* The parts of a property; text goes to one of them between its tags. */
enum part { NAME, VALUE, FINAL, PARTS };
static const char *const part_names[PARTS] = {"name", "value", "final"};

/* The file that was asked for, and how many were included since. */
struct site {
    const char *path;
    unsigned included;
};

/* The element xi:include that is open. */
struct include {
    int depth, fallback; /* of it and of its xi:fallback; 0: none is open */
    unsigned long line;
    char *href; /* of a file that is not there; NULL: it has been read */
    bool has_fallback;
};

struct site_parse {
    struct site *site;           /* NULL: nothing outside of the text is read */
    const struct site_parse *by; /* includes this file; NULL: it is the first */
    dev_t dev;
    ino_t ino;
    struct include include;
    XML_Parser parser;
    const char *path;
    struct property_list *out;
    int depth, property; /* property: depth of the open one, 0: none is */
    struct buf text[PARTS];
    bool given[PARTS];
    int part; /* text goes there; PARTS: nowhere */
    struct err *err;
    bool failed;
};

static unsigned long line_of(const struct site_parse *p) {
    return XML_GetCurrentLineNumber(p->parser);
}

static void stop_parser(struct site_parse *p) {
    p->failed = true;
    XML_StopParser(p->parser, XML_FALSE);
}

static void refuse_include(struct site_parse *p, const char *what) {
    err_set(p->err, ERR_UNSUPPORTED, "%s:%lu: %s; copy its content into this file", p->path, line_of(p), what);
    stop_parser(p);
}

/* ---- other files ---- */

static int read_file(struct site *site, const char *path, const struct site_parse *by, struct property_list *out,
                     struct err *err);

/* As Configuration does, which searches the directory of configurations: relative to the first file, whichever includes. */
static char *path_of(const struct site_parse *p, const char *href) {
    const char *slash = strrchr(p->site->path, '/');
    if (!strncmp(href, "file://", 7)) href += 7;
    if (!strncmp(href, "file:", 5)) href += 5;
    if (*href == '/' || !slash) return fs_printf(p->err, "%s", href);
    return fs_printf(p->err, "%.*s/%s", (int)(slash - p->site->path), p->site->path, href);
}

static int check_included_file(struct site_parse *p, const char *path, const struct stat *st) {
    unsigned depth = 1;
    if (!S_ISREG(st->st_mode))
        return err_set(p->err, ERR_INPUT, "%s:%lu: includes %s, which is not a file", p->path, line_of(p), path);
    for (const struct site_parse *q = p; q; q = q->by, depth++)
        if (q->dev == st->st_dev && q->ino == st->st_ino)
            return err_set(p->err, ERR_INPUT, "%s:%lu: includes %s, which is already being read", p->path, line_of(p), path);
    if (depth <= INCLUDED_DEPTH_MAX && p->site->included++ < INCLUDED_MAX) return 0;
    return err_set(p->err, ERR_LIMIT, "%s:%lu: includes %s; not more than %d files, nested %d deep, are followed", p->path,
                   line_of(p), path, INCLUDED_MAX, INCLUDED_DEPTH_MAX);
}

static int include_file(struct site_parse *p, const char *href) {
    struct stat st;
    char *path = path_of(p, href);
    int rc = -1;
    if (path && !stat(path, &st)) {
        rc = check_included_file(p, path, &st) || read_file(p->site, path, p, p->out, p->err) ? -1 : 0;
    } else if (path && errno != ENOENT && errno != ENOTDIR) {
        err_sys(p->err, ERR_INPUT, errno, "%s:%lu: includes %s", p->path, line_of(p), path);
    } else if (path && (p->include.href = strdup(href))) {
        rc = 0; /* a fallback may follow */
    } else if (path) {
        err_nomem(p->err, strlen(href), "a file's name");
    }
    free(path);
    return rc;
}

static const char *href_of(const XML_Char **attributes) {
    for (const XML_Char **a = attributes; *a; a += 2)
        if (!strcmp(a[0], "href")) return a[1];
    return NULL;
}

static void begin_include(struct site_parse *p, const XML_Char **attributes) {
    const char *href = href_of(attributes);
    if (!p->site) {
        refuse_include(p, "includes of other files are not followed here");
    } else if (p->property || p->include.depth) {
        refuse_include(p, "an include inside a property or another include is not followed");
    } else if (href && strstr(href, "://") && strncmp(href, "file://", 7)) {
        refuse_include(p, "only local files can be included");
    } else {
        p->include = (struct include){.depth = p->depth, .line = line_of(p)};
        if (href && include_file(p, href)) stop_parser(p);
    }
}

static void end_include(struct site_parse *p) {
    struct include *i = &p->include;
    if (!p->failed && i->href && !i->has_fallback) {
        err_set(p->err, ERR_INPUT, "%s:%lu: includes %s, which does not exist, and gives no fallback", p->path, i->line, i->href);
        stop_parser(p);
    }
    free(i->href);
    *i = (struct include){0};
}

/* A fallback is ignored if the file that it replaces exists. */
static bool is_passed_over(const struct site_parse *p) {
    return p->include.fallback && !p->include.href;
}

/* ---- elements ---- */

static void append_text(struct site_parse *p, int part, struct bytes text) {
    p->given[part] = true;
    if (buf_put(&p->text[part], text.p, text.n, p->err)) stop_parser(p);
}

static void begin_property(struct site_parse *p, const XML_Char **attributes) {
    p->property = p->depth;
    p->part = PARTS;
    for (int i = 0; i < PARTS; i++) {
        buf_clear(&p->text[i]);
        p->given[i] = false;
        for (const XML_Char **a = attributes; *a; a += 2)
            if (!strcmp(a[0], part_names[i])) append_text(p, i, bytes_str(a[1]));
    }
}

static void begin_part(struct site_parse *p, const char *element) {
    p->part = 0;
    while (p->part < PARTS && strcmp(element, part_names[p->part]) != 0) p->part++;
    if (p->part == PARTS) return;
    buf_clear(&p->text[p->part]);
    p->given[p->part] = true;
}

static void XMLCALL on_start(void *arg, const XML_Char *element, const XML_Char **attributes) {
    struct site_parse *p = arg;
    const char *colon = strrchr(element, ':'), *local = colon ? colon + 1 : element;
    p->depth++;
    if (p->failed || is_passed_over(p)) return;
    if (p->depth == 1 && strcmp(element, "configuration") != 0) {
        err_set(p->err, ERR_INPUT, "%s:%lu: begins with <%.60s>, not with <configuration>", p->path, line_of(p), element);
        stop_parser(p);
    } else if (p->depth > DEPTH_MAX) {
        err_set(p->err, ERR_INPUT, "%s:%lu: elements nested more than %d deep", p->path, line_of(p), DEPTH_MAX);
        stop_parser(p);
    } else if (!strcmp(local, "include")) {
        begin_include(p, attributes);
    } else if (p->include.depth && p->depth == p->include.depth + 1 && !strcmp(local, "fallback")) {
        p->include.fallback = p->depth;
        p->include.has_fallback = true;
    } else if (p->property && p->depth == p->property + 1) {
        begin_part(p, element);
    } else if (!p->property && !strcmp(element, "property")) {
        begin_property(p, attributes);
    }
}

static void XMLCALL on_text(void *arg, const XML_Char *text, int n) {
    struct site_parse *p = arg;
    if (!p->failed && p->property && p->part < PARTS && p->depth == p->property + 1)
        append_text(p, p->part, bytes_of(text, (size_t)n));
}

/* Ends a property. Without a value, or with an empty one, it says nothing, as in Configuration.loadProperty; but it can be
 * final. */
static int end_property(struct site_parse *p) {
    char *words[PARTS];
    if (!p->given[NAME]) return 0;
    for (int i = 0; i < PARTS; i++) {
        if (buf_put_byte(&p->text[i], 0, p->err)) return -1;
        words[i] = (char *)p->text[i].p;
    }
    char *name = words[NAME] + strspn(words[NAME], " \t\r\n");
    for (size_t n = strlen(name); n && strchr(" \t\r\n", name[n - 1]); n--) name[n - 1] = 0;
    if (!*name) return 0;
    bool final = p->given[FINAL] && !strcmp(words[FINAL], "true");
    if (!*words[VALUE] && (!final || property_list_find(p->out, name))) {
        if (final) property_list_close(p->out, name);
        return 0;
    }
    char *place = fs_printf(p->err, "%s:%lu", p->path, line_of(p));
    int rc = place ? property_list_put(p->out, name, words[VALUE], place, p->err) : -1;
    free(place);
    if (!rc && final) property_list_close(p->out, name);
    return rc;
}

static void XMLCALL on_end(void *arg, const XML_Char *element) {
    struct site_parse *p = arg;
    (void)element;
    if (p->property == p->depth) {
        p->property = 0;
        if (!p->failed && end_property(p)) stop_parser(p);
    }
    if (p->include.fallback == p->depth) p->include.fallback = 0;
    if (p->include.depth == p->depth) end_include(p);
    p->part = PARTS;
    p->depth--;
}

static void XMLCALL on_entity(void *arg, const XML_Char *name, int is_parameter, const XML_Char *value, int n,
                              const XML_Char *base, const XML_Char *system_id, const XML_Char *public_id,
                              const XML_Char *notation) {
    (void)name, (void)is_parameter, (void)value, (void)n, (void)base, (void)system_id, (void)public_id, (void)notation;
    refuse_include(arg, "entities that a file declares are not followed");
}

static int run_parser(struct site_parse *p, struct bytes text) {
    XML_SetUserData(p->parser, p);
    XML_SetElementHandler(p->parser, on_start, on_end);
    XML_SetCharacterDataHandler(p->parser, on_text);
    XML_SetEntityDeclHandler(p->parser, on_entity);
    if (XML_Parse(p->parser, (const char *)text.p, (int)text.n, XML_TRUE) == XML_STATUS_OK) return 0;
    if (XML_GetErrorCode(p->parser) == XML_ERROR_NO_MEMORY) err_nomem(p->err, text.n, p->path);
    if (!p->failed) err_set(p->err, ERR_INPUT, "%s:%lu: %s", p->path, line_of(p), XML_ErrorString(XML_GetErrorCode(p->parser)));
    return -1;
}

/* p says where the text is from, and which lookup gets its properties. */
static int parse_site(struct site_parse *p, struct bytes text) {
    p->part = PARTS;
    p->parser = XML_ParserCreate(NULL);
    if (!p->parser) return err_nomem(p->err, 1024, "a parser of XML");
    int rc =
        text.n <= FILE_MAX_BYTES ? run_parser(p, text) : err_set(p->err, ERR_LIMIT, "%s: over %d bytes", p->path, FILE_MAX_BYTES);
    for (int i = 0; i < PARTS; i++) buf_free(&p->text[i]);
    free(p->include.href);
    XML_ParserFree(p->parser);
    return rc;
}

static int read_file(struct site *site, const char *path, const struct site_parse *by, struct property_list *out,
                     struct err *err) {
    struct site_parse p = {.site = site, .by = by, .path = path, .out = out, .err = err};
    struct stat st;
    size_t n;
    if (!stat(path, &st)) {
        p.dev = st.st_dev;
        p.ino = st.st_ino;
    }
    char *text = fs_read_text(path, FILE_MAX_BYTES, &n, err);
    int rc = text ? parse_site(&p, bytes_of(text, n)) : -1;
    free(text);
    return rc;
}

int site_file_parse(struct bytes text, const char *path, struct property_list *out, struct err *err) {
    struct site_parse p = {.path = path, .out = out, .err = err};
    return parse_site(&p, text);
}

int site_file_read(const char *path, struct property_list *out, struct err *err) {
    struct site site = {.path = path};
    return read_file(&site, path, NULL, out, err);
}
