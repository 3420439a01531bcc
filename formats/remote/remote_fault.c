/* Reads why a server refuses: the error documents of S3 (XML: Code, Message) and WebHDFS (JSON: exception, message). Only these
 * two texts are taken, and only printable ones: what else a server sends is not shown. */
#include "formats/remote/remote_store.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Replaces by blanks what would act on a terminal. */
static void clean(char *text) {
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f) *p = ' ';
}

static void parse_xml(struct bytes body, struct remote_fault *out) {
    static const char *const names[] = {"Code", "Message"};
    struct buf texts[countof(names)] = {0};
    struct err ignored = {0}; /* without memory there is no text */
    if (remote_xml_texts(body, names, texts, countof(names), &ignored) >= 0) {
        snprintf(out->code, sizeof out->code, "%s", (char *)texts[0].p);
        snprintf(out->text, sizeof out->text, "%s", (char *)texts[1].p);
    }
    for (size_t i = 0; i < countof(names); i++) buf_free(&texts[i]);
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
