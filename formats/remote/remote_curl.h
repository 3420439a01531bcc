/* The functions of libcurl that this room calls. It is opened when the first URL is read, so that other runs neither need nor
 * load it: with what it brings along it would double the time in which a program starts. */
#ifndef FORMATS_REMOTE_REMOTE_CURL_H
#define FORMATS_REMOTE_REMOTE_CURL_H

#include "base/err.h"

#include <curl/curl.h>

struct remote_curl {
    void *library;
    CURLcode (*global_init)(long flags);
    void (*global_cleanup)(void);
    CURL *(*init)(void);
    void (*cleanup)(CURL *u);
    void (*reset)(CURL *u);
    CURLcode (*setopt)(CURL *u, CURLoption option, ...);
    CURLcode (*getinfo)(CURL *u, CURLINFO info, ...);
    CURLcode (*perform)(CURL *u);
    const char *(*text)(CURLcode code);
    struct curl_slist *(*append)(struct curl_slist *list, const char *text);
    void (*free_list)(struct curl_slist *list);
};
/* Opens libcurl. ERR_UNSUPPORTED: it is not installed, or too old. */
int remote_curl_open(struct remote_curl *c, struct err *err);
void remote_curl_close(struct remote_curl *c);

#endif
