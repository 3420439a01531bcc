/* Inputs that lie on a server: S3, WebHDFS, HTTP. What is asked for is listed once, and shown as a directory of files without
 * content (base/remote.h); a few threads serve the bytes of these files while the program reads them. Exports: remote */
#ifndef FORMATS_REMOTE_REMOTE_SERVERS_H
#define FORMATS_REMOTE_REMOTE_SERVERS_H

#include "base/list_room.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stop;

/* A name of hdfs:// that stands for namenodes. */
struct remote_service {
    const char *name, *namenodes; /* host:port of WebHDFS, with commas between */
    bool tls;
};

/* Options for reaching servers. Strings are borrowed and outlive the mount; NULL: not given. */
struct remote_opts {
    const char *temp_dir; /* where the directory goes */
    const struct stop *stop;
    size_t memory_bytes;   /* for what was read ahead */
    struct list_room room; /* for the list of files */
    unsigned retries;      /* of a request that fails for a reason that may pass */
    unsigned timeout_s;    /* without a byte from a server */
    const char *ca_file;   /* certificates that are trusted instead of the system's */
    struct {
        const char *endpoint; /* of another server than AWS's: https://host:port */
        const char *region;   /* us-east-1 */
        const char *key_id, *secret, *token;
        struct {
            const char *token_file, *role, *session, *endpoint; /* of AWS's token service */
        } identity;          /* keys are asked for with a token; token_file NULL: they are given */
        uint64_t part_bytes; /* of a file that is written: larger ones are sent in parts */
        bool in_host;        /* the bucket is in the name of the host, even with an endpoint */
    } s3;
    struct {
        const char *namenodes;                 /* of a pair: host:port,host:port; the one that is active answers */
        const struct remote_service *services; /* where namenodes is NULL */
        size_t n_services;
        const char *by_default; /* host, and maybe port, of hdfs:///path */
        const char *user, *token;
        bool negotiate; /* Kerberos */
    } hdfs;
};

#endif
