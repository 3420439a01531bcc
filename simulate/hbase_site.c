#include "simulate/hbase_site.h"

#include "base/buf.h"
#include "base/fs.h"

#include <expat.h>
#include <stdlib.h>

enum { FILE_MAX_BYTES = 16 << 20, DEPTH_MAX = 64 };

/* The parts of a property; text goes to one of them between its tags. */
enum part { NAME, VALUE, FINAL, PARTS };
static const char *const part_names[PARTS] = {"name", "value", "final"};

struct parse {
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

static unsigned long line_of(const struct parse *p) {
    return XML_GetCurrentLineNumber(p->parser);
}

static void fail(struct parse *p) {
    p->failed = true;
    XML_StopParser(p->parser, XML_FALSE);
}

static void refuse(struct parse *p, const char *what) {
    err_set(p->err, ERR_UNSUPPORTED, "%s:%lu: %s: write what is in there into this file", p->path, line_of(p), what);
    fail(p);
}

static void put_part(struct parse *p, int part, struct bytes text) {
    p->given[part] = true;
    if (buf_put(&p->text[part], text.p, text.n, p->err)) fail(p);
}

static void begin_property(struct parse *p, const XML_Char **attributes) {
    p->property = p->depth;
    p->part = PARTS;
    for (int i = 0; i < PARTS; i++) {
        buf_clear(&p->text[i]);
        p->given[i] = false;
        for (const XML_Char **a = attributes; *a; a += 2)
            if (!strcmp(a[0], part_names[i])) put_part(p, i, bytes_str(a[1]));
    }
}

static void begin_part(struct parse *p, const char *element) {
    p->part = 0;
    while (p->part < PARTS && strcmp(element, part_names[p->part]) != 0) p->part++;
    if (p->part == PARTS) return;
    buf_clear(&p->text[p->part]);
    p->given[p->part] = true;
}

static void XMLCALL on_start(void *arg, const XML_Char *element, const XML_Char **attributes) {
    struct parse *p = arg;
    const char *colon = strrchr(element, ':');
    p->depth++;
    if (p->depth == 1 && strcmp(element, "configuration") != 0) {
        err_set(p->err, ERR_INPUT, "%s:%lu: begins with <%.60s>, not with <configuration>", p->path, line_of(p), element);
        fail(p);
    } else if (p->depth > DEPTH_MAX) {
        err_set(p->err, ERR_INPUT, "%s:%lu: more than %d elements in each other", p->path, line_of(p), DEPTH_MAX);
        fail(p);
    } else if (!strcmp(colon ? colon + 1 : element, "include")) {
        refuse(p, "includes of other files are not followed");
    } else if (p->property && p->depth == p->property + 1) {
        begin_part(p, element);
    } else if (!p->property && !strcmp(element, "property")) {
        begin_property(p, attributes);
    }
}

static void XMLCALL on_text(void *arg, const XML_Char *text, int n) {
    struct parse *p = arg;
    if (!p->failed && p->property && p->part < PARTS && p->depth == p->property + 1)
        put_part(p, p->part, bytes_of(text, (size_t)n));
}

/* Without a value, or with an empty one, it says nothing, as in Configuration.loadProperty; but it can be final. */
static int end_property(struct parse *p) {
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
    if (!*words[VALUE] && (!final || property_list_find(p->out, name))) return final ? property_list_close(p->out, name), 0 : 0;
    char *place = fs_printf(p->err, "%s:%lu", p->path, line_of(p));
    int rc = place ? property_list_put(p->out, name, words[VALUE], place, p->err) : -1;
    free(place);
    if (!rc && final) property_list_close(p->out, name);
    return rc;
}

static void XMLCALL on_end(void *arg, const XML_Char *element) {
    struct parse *p = arg;
    (void)element;
    if (p->property == p->depth) {
        p->property = 0;
        if (!p->failed && end_property(p)) fail(p);
    }
    p->part = PARTS;
    p->depth--;
}

static void XMLCALL on_entity(void *arg, const XML_Char *name, int is_parameter, const XML_Char *value, int n,
                              const XML_Char *base, const XML_Char *system_id, const XML_Char *public_id,
                              const XML_Char *notation) {
    (void)name, (void)is_parameter, (void)value, (void)n, (void)base, (void)system_id, (void)public_id, (void)notation;
    refuse(arg, "entities that a file declares are not followed");
}

static int run(struct parse *p, struct bytes text) {
    XML_SetUserData(p->parser, p);
    XML_SetElementHandler(p->parser, on_start, on_end);
    XML_SetCharacterDataHandler(p->parser, on_text);
    XML_SetEntityDeclHandler(p->parser, on_entity);
    if (XML_Parse(p->parser, (const char *)text.p, (int)text.n, XML_TRUE) == XML_STATUS_OK) return 0;
    if (!p->failed) err_set(p->err, ERR_INPUT, "%s:%lu: %s", p->path, line_of(p), XML_ErrorString(XML_GetErrorCode(p->parser)));
    return -1;
}

int hbase_site_parse(struct bytes text, const char *path, struct property_list *out, struct err *err) {
    struct parse p = {.parser = XML_ParserCreate(NULL), .path = path, .out = out, .part = PARTS, .err = err};
    if (!p.parser) return err_nomem(err, 1024, "a parser of XML");
    int rc = text.n <= FILE_MAX_BYTES ? run(&p, text) : err_set(err, ERR_LIMIT, "%s: over %d bytes", path, FILE_MAX_BYTES);
    for (int i = 0; i < PARTS; i++) buf_free(&p.text[i]);
    XML_ParserFree(p.parser);
    return rc;
}

int hbase_site_read(const char *path, struct property_list *out, struct err *err) {
    size_t n;
    char *text = fs_read_text(path, FILE_MAX_BYTES, &n, err);
    int rc = text ? hbase_site_parse(bytes_of(text, n), path, out, err) : -1;
    free(text);
    return rc;
}
