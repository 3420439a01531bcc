/* One attempt to get an answer, between those who make it (remote_request.c) and who judges what came (remote_verdict.c). */
#ifndef FORMATS_REMOTE_REMOTE_ATTEMPT_H
#define FORMATS_REMOTE_REMOTE_ATTEMPT_H

#include "formats/remote/remote_curl.h"
#include "formats/remote/remote_keys.h"
#include "formats/remote/remote_servers.h"
#include "formats/remote/remote_store.h"

struct remote_client {
    const struct remote_opts *o;
    const struct remote_curl *api;
    struct remote_counts *counts;
    struct remote_keys *keys;
    CURL *curl;
    struct buf url, fault;
    struct buf avoided; /* ",host:port,host:port,": datanodes that failed */
    uint64_t seed;      /* of pauses */
    const bool *ends;   /* the mount is closed: requests are given up; NULL: they are not */
};

enum remote_verdict { GOOD, AGAIN, REFUSED };

/* One attempt. */
struct attempt {
    struct remote_client *c;
    struct remote_call *call;
    size_t got, before; /* of call->n: so far, and before this attempt */
    bool judged, good;  /* the headers; is the body what was asked for? */
    bool changed;       /* … or of another file than was listed */
    bool too_long;
    unsigned base; /* of the source: which namenode was asked */
    bool sent_on;  /* by it, to a datanode */
    uint64_t put;  /* bytes of call->sends that were handed out */
    char why[CURL_ERROR_SIZE + 64];
    struct err err; /* memory, stop */
};

/* REFUSED: err says why. AGAIN: a->why does. */
enum remote_verdict remote_judge(struct attempt *a, CURLcode code, struct err *err);

#endif
