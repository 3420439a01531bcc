/* Addresses of inputs on servers: which are such, and their parts. */
#ifndef FORMATS_REMOTE_REMOTE_ADDRESS_H
#define FORMATS_REMOTE_REMOTE_ADDRESS_H

#include "base/err.h"
#include "formats/remote/remote_servers.h"
#include "formats/remote/remote_store.h"

/* 0: not a URL of a server we read; else the length of its scheme. */
size_t remote_scheme(const char *url);

/* Returns whether outputs can be written there. */
bool remote_can_write(const char *url);

/* A URL, parsed. */
struct remote_address {
    struct remote_source *source; /* fresh: free it with remote_source_free */
    char *path;                   /* on it, without a slash at the beginning, up to the last name without a pattern */
    char *pattern;                /* the whole path, with its pattern; NULL: there is none */
};
const char *remote_scheme_name(size_t i); /* the i-th scheme that is read; NULL: there are no more */
int remote_address_parse(const char *url, const struct remote_opts *o, struct remote_address *out, struct err *err);
void remote_address_free(struct remote_address *a); /* but not the source */
void remote_source_free(struct remote_source *s);

#endif
