/* One request of a server, repeated until its answer is whole. */
#ifndef FORMATS_REMOTE_REMOTE_REQUEST_H
#define FORMATS_REMOTE_REMOTE_REQUEST_H

#include "base/buf.h"
#include "base/err.h"
#include "formats/remote/remote_servers.h"
#include "formats/remote/remote_store.h"

struct remote_client;
struct remote_curl;
struct remote_keys;

struct remote_client *remote_client_new(const struct remote_opts *o, const struct remote_curl *api, struct remote_counts *counts,
                                        struct remote_keys *keys, struct err *err);
/* Requests of the client are given up as soon as *ends is true. */
void remote_client_ends(struct remote_client *c, const bool *ends);
void remote_client_free(struct remote_client *c);
/* 0, or -1 when the answer is not what was asked for, after retries where that may help. Where a part is read, all n bytes have
 * come and belong to the file as it was listed. */
int remote_call(struct remote_client *c, struct remote_call *call, struct err *err);

/* Bytes of a path or query that URLs keep. */
int remote_encode(struct buf *out, const char *text, const char *keep, struct err *err);

#endif
