/* Why a server refuses: the error documents of S3 (XML: Code, Message) and WebHDFS (JSON: exception, message). Only these two
 * texts are taken, and only printable ones: what else a server sends is not shown. */
#include "formats/remote/remote_store.h"

#include <expat.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 16 };

struct parse {
    XML_Parser parser;
    struct remote_fault *out;
    char *into; /* the text of the open element goes there; NULL: nowhere */
    size_t room, n;
    int depth;
};

/* What would act on a terminal, or show what was sent (a token in an address), stays away. */
static void clean(char *text) {
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f) *p = ' ';
}

static void XMLCALL on_start(void *arg, const XML_Char *name, const XML_Char **attributes) {
    struct parse *p = arg;
    (void)attributes;
    if (++p->depth > DEPTH_MAX) XML_StopParser(p->parser, XML_FALSE);
    p->into = NULL;
    p->n = 0;
    if (!strcmp(name, "Code")) {
        p->into = p->out->code;
        p->room = sizeof p->out->code;
    } else if (!strcmp(name, "Message")) {
        p->into = p->out->text;
        p->room = sizeof p->out->text;
    }
}

static void XMLCALL on_end(void *arg, const XML_Char *name) {
    struct parse *p = arg;
    (void)name;
    p->depth--;
    p->into = NULL;
}

static void XMLCALL on_text(void *arg, const XML_Char *text, int n) {
    struct parse *p = arg;
    for (int i = 0; p->into && i < n && p->n + 1 < p->room; i++) p->into[p->n++] = text[i];
    if (p->into) p->into[p->n] = 0;
}

static void XMLCALL on_entity(void *arg, const XML_Char *name, int is_parameter, const XML_Char *value, int n,
                              const XML_Char *base, const XML_Char *system, const XML_Char *public, const XML_Char *notation) {
    struct parse *p = arg;
    (void)name, (void)is_parameter, (void)value, (void)n, (void)base, (void)system, (void)public, (void)notation;
    XML_StopParser(p->parser, XML_FALSE);
}

static void parse_xml(struct bytes body, struct remote_fault *out) {
    struct parse p = {.parser = XML_ParserCreate(NULL), .out = out};
    if (!p.parser) return;
    XML_SetUserData(p.parser, &p);
    XML_SetElementHandler(p.parser, on_start, on_end);
    XML_SetCharacterDataHandler(p.parser, on_text);
    XML_SetEntityDeclHandler(p.parser, on_entity);
    XML_Parse(p.parser, (const char *)body.p, (int)body.n, XML_TRUE);
    XML_ParserFree(p.parser);
}

static void copy_text(const json_t *from, const char *member, char *to, size_t room) {
    const char *text = json_string_value(json_object_get(from, member));
    if (text) snprintf(to, room, "%.*s", (int)strcspn(text, "\n"), text);
}

static void parse_json(struct bytes body, struct remote_fault *out) {
    json_t *j = json_loadb((const char *)body.p, body.n, 0, NULL);
    const json_t *e = json_object_get(j, "RemoteException");
    copy_text(e, "exception", out->code, sizeof out->code);
    copy_text(e, "message", out->text, sizeof out->text);
    json_decref(j);
}

void remote_fault_parse(struct bytes body, struct remote_fault *out) {
    enum { BODY_MAX = 1 << 20 };
    *out = (struct remote_fault){"", ""};
    if (!body.n || body.n > BODY_MAX) return;
    if (body.p[0] == '{')
        parse_json(body, out);
    else
        parse_xml(body, out);
    clean(out->code);
    clean(out->text);
}
