/* Changes what is on a server: puts files there and removes them. HTTP servers are only read. */
#ifndef FORMATS_REMOTE_REMOTE_PUT_H
#define FORMATS_REMOTE_REMOTE_PUT_H

#include "base/err.h"
#include "formats/remote/remote_store.h"

struct remote_client;

/* A file to put at a path of a server. */
struct remote_put {
    const struct remote_source *source;
    const char *path;
    int fd; /* -1: text */
    const char *text;
    uint64_t bytes;
    const struct remote_facts *there; /* what is there now; NULL: nothing, or not known */
};
/* Puts the file, on S3 whole or not at all. *facts: of the file there. *kept: it was there already, with the same content, and
 * nothing was sent. ERR_OUTPUT: it is refused; ERR_BUSY: the server could not be reached. */
int remote_put_file(struct remote_client *c, const struct remote_put *p, struct remote_facts *facts, bool *kept, struct err *err);
/* Puts a file that is seen whole or not at all, also by HDFS, which gives it its name when it is complete: from the path `by`. */
int remote_put_whole(struct remote_client *c, const struct remote_put *p, const char *by, struct err *err);
/* A path that is not there is fine. HDFS: with all that is below it. */
int remote_put_remove(struct remote_client *c, const struct remote_source *s, const char *path, struct err *err);
/* S3: gives up the uploads in parts that were begun below the path and not ended. */
int remote_put_tidy(struct remote_client *c, const struct remote_source *s, const char *path, struct err *err);

#endif
