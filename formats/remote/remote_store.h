/* Shared by the files of this room: servers, the files found on them, and requests. */
#ifndef FORMATS_REMOTE_REMOTE_STORE_H
#define FORMATS_REMOTE_REMOTE_STORE_H

#include "base/buf.h"
#include "base/bytes.h"

enum remote_kind { REMOTE_S3, REMOTE_HDFS, REMOTE_HTTP };
enum { REMOTE_TAG_BYTES = 128, REMOTE_BASES_MAX = 8, REMOTE_LISTED_MAX = 4000000, REMOTE_ANSWER_MAX = 64 << 20 };

/* A server, or a pair of which one is active. */
struct remote_source {
    enum remote_kind kind;
    char *shown;                   /* "s3://bucket": in messages */
    char *place;                   /* "s3:/bucket": how its paths begin in the mount */
    char *bases[REMOTE_BASES_MAX]; /* https://host:port */
    unsigned n_bases, active;      /* active: changed by any thread, atomically */
    char *bucket;                  /* s3 */
    char *query;                   /* http: of the only file, with what may be secret in it; NULL: none */
};

/* Facts that a server gives about a file; -1, "": it did not give them. */
struct remote_facts {
    int64_t bytes, mtime_ms;
    char tag[REMOTE_TAG_BYTES];
};

struct remote_file {
    const struct remote_source *source;
    char *name; /* in the mount: "s3:/bucket/key" */
    const char *path;
    struct remote_facts facts;
};

/* Takes the listings of servers. */
struct remote_found {
    int (*file)(void *arg, const char *path, const struct remote_facts *facts, struct err *err);
    void *arg;
};

/* ---- requests (remote_request.c) ---- */

struct remote_counts {
    uint64_t bytes, requests, retries; /* added to by any thread, atomically */
};

/* The headers of an answer (remote_headers.c). */
struct remote_headers {
    struct remote_facts facts;      /* bytes: of the whole file, if it is known */
    int64_t first, last, body, age; /* of Content-Range; Content-Length; Retry-After in seconds; -1: not given */
};

/* Bytes that a request sends: of an open file, or a text. */
struct remote_body {
    int fd; /* -1: text */
    const char *text;
    uint64_t offset, n;
    char md5[25]; /* base64: the server refuses other bytes; "": not sent */
};

/* One thing to get, or to do. shown: what it is called in messages. */
struct remote_call {
    const struct remote_source *source;
    const char *method;              /* of what changes the server: PUT, POST, DELETE; NULL: something is read */
    const struct remote_body *sends; /* with PUT and POST */
    const char *path, *query;        /* encoded; query without ?, "" or NULL: none */
    const char *shown;
    const char *post;                    /* sent as a form; NULL: nothing is sent */
    const struct remote_facts *expected; /* of the file whose part is read; NULL: it is not known yet */
    uint64_t offset;
    uint8_t *into; /* NULL: `body` gets all */
    size_t n;
    struct buf *body;
    struct remote_headers headers; /* out */
    bool may_miss;                 /* 404 is an answer */
    bool probe;                    /* only the length is wanted: an empty file is an answer */
    long status;                   /* out */
};

/* ---- errors of servers (remote_fault.c) ---- */

/* Code and text from the body of a refusal: XML of S3, JSON of WebHDFS. "" where it has none. */
struct remote_fault {
    char code[64], text[300];
};
void remote_fault_parse(struct bytes body, struct remote_fault *out);

/* ---- small documents (remote_xml.c) ---- */

/* Returns in texts the content of the last element of each name, with a 0 at its end; "": there is none. 1; 0 = the document is
 * cut off or no XML, and texts have what came before; -1: no memory. The caller frees texts in any case. */
int remote_xml_texts(struct bytes xml, const char *const *names, struct buf *texts, size_t n, struct err *err);

/* ---- listings ---- */

/* One page of LISTSTATUS or LISTSTATUS_BATCH. *more: there are further ones, after the last name, which is in `last`. */
struct remote_hdfs_entry {
    const char *name; /* "" in the answer to GETFILESTATUS */
    bool is_dir;
    struct remote_facts facts;
};

#endif
