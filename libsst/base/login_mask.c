/* Messages go into logs and mails: user and password of a URL never do. A password may hold what ends an authority by the rules
 * of URLs, since people write it as it is. */
#include "base/login_mask.h"

#include <stdio.h>
#include <string.h>

static size_t replace_by_stars(char *text, size_t n) {
    static const char stars[] = "***";
    const size_t k = n < sizeof stars - 1 ? n : sizeof stars - 1;
    memcpy(text, stars, k);
    memmove(text + k, text + n, strlen(text + n) + 1);
    return k;
}

static const char *last_at(const char *from, size_t n) {
    const char *at = NULL;
    for (size_t i = 0; i < n; i++)
        if (from[i] == '@') at = from + i;
    return at;
}

/* Bytes of user and password in front of the host; 0: there are none. A password may have a slash in it. */
static size_t login_bytes(const char *authority) {
    const size_t whole = strcspn(authority, " \t\n'\"<>,;"), n = strcspn(authority, "/?# \t\n'\"<>,;");
    const char *at = last_at(authority, n), *colon = memchr(authority, ':', n);
    const bool port = colon && strspn(colon + 1, "0123456789") == (size_t)(authority + n - colon - 1);
    if (!at && colon && !port && authority[0] != '[') at = last_at(authority, whole);
    return at ? (size_t)(at - authority) : 0;
}

void login_mask(char *text) {
    for (char *p = text; (p = strstr(p, "://"));) {
        p += 3;
        size_t n = login_bytes(p);
        if (n) p += replace_by_stars(p, n);
    }
}

char *login_mask_address(const char *address, char *out, size_t room) {
    snprintf(out, room, "%s", address);
    char *scheme = strstr(out, "://"), *from = scheme ? scheme + 3 : out;
    const char *at = last_at(from, strlen(from));
    if (at) from += replace_by_stars(from, (size_t)(at - from));
    char *parameters = strchr(from, '?');
    if (parameters && parameters[1]) replace_by_stars(parameters + 1, strlen(parameters + 1));
    return out;
}

/* USER:PASSWORD, with or without a tenant; cluster:tenant:user of a proxy has two colons before any @. */
bool login_has_password(const char *user) {
    const char *first = strchr(user, ':'), *at = strchr(user, '@');
    return first && ((at && at < first) || !strchr(first + 1, ':'));
}

char *login_mask_user(const char *user, char *out, size_t room) {
    snprintf(out, room, "%s", user);
    char *colon = strchr(out, ':');
    if (login_has_password(user) && colon && colon[1]) replace_by_stars(colon + 1, strlen(colon + 1));
    return out;
}
