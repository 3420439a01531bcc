/* Inputs that lie on a server: S3, WebHDFS, HTTP. What is asked for is listed once, and shown as a directory of files without
 * content (base/remote.h); a few threads serve the bytes of these files while the program reads them. Exports: remote */
#ifndef FORMATS_REMOTE_REMOTE_SERVERS_H
#define FORMATS_REMOTE_REMOTE_SERVERS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct path_names;
struct stop;

/* How servers are reached. Strings are borrowed and outlive the mount; NULL: not given. */
struct remote_opts {
    const char *temp_dir; /* where the directory goes */
    const struct stop *stop;
    size_t memory_bytes; /* for what was read ahead */
    unsigned retries;    /* of a request that fails for a reason that may pass */
    unsigned timeout_s;  /* without a byte from a server */
    const char *ca_file; /* certificates that are trusted instead of the system's */
    struct {
        const char *endpoint; /* of another server than AWS's: https://host:port */
        const char *region;   /* us-east-1 */
        const char *key_id, *secret, *token;
        struct {
            const char *token_file, *role, *session, *endpoint; /* of AWS's token service */
        } identity;   /* keys are asked for with a token; token_file NULL: they are given */
        bool in_host; /* the bucket is in the name of the host, even with an endpoint */
    } s3;
    struct {
        const char *namenodes; /* of a pair: host:port,host:port; the one that is active answers */
        const char *user, *token;
        bool negotiate; /* Kerberos */
    } hdfs;
};

/* 0: not a URL of a server we read; else the length of its scheme. */
size_t remote_scheme(const char *url);

struct remote_mount;
struct remote_mount *remote_mount_open(const struct remote_opts *o, struct err *err);
/* Lists what is at url, a file or everything below a directory or prefix (up to a pattern, * ? [, in its last names). *path:
 * where it is shown; free it. ERR_INPUT: nothing is there, or it is refused; ERR_BUSY: the server could not be reached. */
int remote_mount_add(struct remote_mount *m, const char *url, char **path, struct err *err);
/* When all is listed: from now on bytes are served. */
int remote_mount_serve(struct remote_mount *m, struct err *err);
/* What paths of the directory are called in messages. */
int remote_mount_names(const struct remote_mount *m, struct path_names *names, struct err *err);
uint64_t remote_mount_bytes(const struct remote_mount *m);    /* that came from servers so far */
uint64_t remote_mount_requests(const struct remote_mount *m); /* that were made, with those repeated */
uint64_t remote_mount_retries(const struct remote_mount *m);
uint64_t remote_mount_memory(const struct remote_mount *m); /* that it takes by now */
void remote_mount_close(struct remote_mount *m);

#endif
