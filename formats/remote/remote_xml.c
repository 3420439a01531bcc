/* The texts of some elements of a small XML document, such as an error or the answer of a token service, wherever they are in it.
 * What such a document declares as entities is not followed: it ends there. Listings have their own reader (remote_s3.c), because
 * they are long and the same names mean other things in other places. */
#include "formats/remote/remote_store.h"

#include <expat.h>
#include <string.h>

enum { DEPTH_MAX = 16, TEXT_MAX_BYTES = 64 << 10 };

struct document {
    XML_Parser parser;
    const char *const *names;
    struct buf *texts;
    size_t n;
    struct buf *into; /* the text of the open element goes there; NULL: nowhere */
    int depth;
    struct err *err;
};

static void XMLCALL begin_element(void *arg, const XML_Char *name, const XML_Char **attributes) {
    struct document *d = arg;
    (void)attributes;
    if (++d->depth > DEPTH_MAX) XML_StopParser(d->parser, XML_FALSE);
    d->into = NULL;
    for (size_t i = 0; i < d->n; i++)
        if (!strcmp(name, d->names[i])) d->into = &d->texts[i];
    if (d->into) buf_clear(d->into);
}

static void XMLCALL take_text(void *arg, const XML_Char *text, int n) {
    struct document *d = arg;
    if (d->into && (d->into->n + (size_t)n > TEXT_MAX_BYTES || buf_put(d->into, text, (size_t)n, d->err)))
        XML_StopParser(d->parser, XML_FALSE);
}

static void XMLCALL end_element(void *arg, const XML_Char *name) {
    struct document *d = arg;
    (void)name;
    d->into = NULL;
    d->depth--;
}

static void XMLCALL refuse_entity(void *arg, const XML_Char *name, int is_parameter, const XML_Char *value, int n,
                                  const XML_Char *base, const XML_Char *system, const XML_Char *public,
                                  const XML_Char *notation) {
    struct document *d = arg;
    (void)name, (void)is_parameter, (void)value, (void)n, (void)base, (void)system, (void)public, (void)notation;
    XML_StopParser(d->parser, XML_FALSE);
}

int remote_xml_texts(struct bytes xml, const char *const *names, struct buf *texts, size_t n, struct err *err) {
    struct document d = {.parser = XML_ParserCreate(NULL), .names = names, .texts = texts, .n = n, .err = err};
    if (!d.parser) return err_nomem(err, 0, "an answer");
    XML_SetUserData(d.parser, &d);
    XML_SetElementHandler(d.parser, begin_element, end_element);
    XML_SetCharacterDataHandler(d.parser, take_text);
    XML_SetEntityDeclHandler(d.parser, refuse_entity);
    bool whole = xml.n < INT32_MAX && XML_Parse(d.parser, (const char *)xml.p, (int)xml.n, XML_TRUE) == XML_STATUS_OK;
    XML_ParserFree(d.parser);
    int rc = err->code ? -1 : 0;
    for (size_t i = 0; !rc && i < n; i++) rc = buf_put_byte(&texts[i], 0, err);
    return rc ? -1 : whole;
}
