/* The headers of an answer that matter here: length, range, tag, time, and when to come again. Whatever a server sends, a header
 * that cannot be read counts as not sent. */
#include "formats/remote/remote_headers.h"
#include "formats/remote/remote_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { VALUE_BYTES = 256 };

void remote_headers_begin(struct remote_headers *h) {
    *h = (struct remote_headers){.facts = {-1, -1, ""}, .first = -1, .last = -1, .body = -1, .age = -1};
}

/* Digits, and nothing that does not fit; -1. *end: after them. */
static int64_t number(const char *p, const char **end) {
    int64_t v = 0;
    const char *at = p;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (v > (INT64_MAX - 9) / 10) return -1;
        v = v * 10 + (*at - '0');
    }
    if (end) *end = at;
    return at > p ? v : -1;
}

/* "bytes 0-99/1234"; of a range that does not exist: "bytes" then an asterisk, and the length. */
static void take_range(struct remote_headers *h, const char *v) {
    const char *at = v + strspn(v, " ");
    if (strncasecmp(at, "bytes", 5)) return;
    at += 5 + strspn(at + 5, " ");
    int64_t first = -1, last = -1;
    if (*at == '*') {
        at++;
    } else {
        first = number(at, &at);
        if (first < 0 || *at != '-') return;
        last = number(at + 1, &at);
        if (last < first) return;
    }
    if (*at != '/') return;
    h->first = first;
    h->last = last;
    h->facts.bytes = number(at + 1, NULL);
}

static void take_tag(struct remote_headers *h, const char *v) {
    if (strlen(v) < sizeof h->facts.tag) snprintf(h->facts.tag, sizeof h->facts.tag, "%s", v);
}

static void take(struct remote_headers *h, const char *name, const char *v) {
    if (!strcasecmp(name, "content-length"))
        h->body = number(v, NULL);
    else if (!strcasecmp(name, "content-range"))
        take_range(h, v);
    else if (!strcasecmp(name, "etag"))
        take_tag(h, v);
    else if (!strcasecmp(name, "retry-after"))
        h->age = number(v, NULL);
    else if (!strcasecmp(name, "last-modified")) {
        struct tm t = {0};
        const char *rest = strptime(v, "%a, %d %b %Y %H:%M:%S GMT", &t); /* programs do not set a locale */
        if (rest && !*rest) h->facts.mtime_ms = (int64_t)timegm(&t) * 1000;
    }
}

void remote_headers_line(struct remote_headers *h, struct bytes line) {
    char text[VALUE_BYTES];
    while (line.n && (line.p[line.n - 1] == '\n' || line.p[line.n - 1] == '\r' || line.p[line.n - 1] == ' ')) line.n--;
    if (line.n >= 5 && !memcmp(line.p, "HTTP/", 5)) { /* of a redirect or "100 Continue" before: those count for nothing */
        remote_headers_begin(h);
        return;
    }
    if (line.n >= sizeof text || memchr(line.p, 0, line.n)) return;
    memcpy(text, line.p, line.n);
    text[line.n] = 0;
    char *colon = strchr(text, ':');
    if (!colon) return;
    *colon = 0;
    take(h, text, colon + 1 + strspn(colon + 1, " \t"));
}

bool remote_headers_same_tag(const char *a, const char *b) {
    a += *a == '"';
    b += *b == '"';
    for (; *a && *a == *b; a++) b++;
    return !a[*a == '"'] && !b[*b == '"'];
}
