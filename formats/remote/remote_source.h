/* One file of any server. */
#ifndef FORMATS_REMOTE_REMOTE_SOURCE_H
#define FORMATS_REMOTE_REMOTE_SOURCE_H

#include "base/err.h"
#include "formats/remote/remote_store.h"

struct remote_client;

/* The path of a request for an object, with a 0 at its end. */
int remote_source_path(const struct remote_source *s, const char *path, struct buf *out, struct err *err);
/* Asks the server for the facts of one file as they are now. 1, 0 = there is none, -1. */
int remote_source_stat(struct remote_client *c, const struct remote_source *s, const char *path, struct remote_facts *out,
                       struct err *err);
/* n bytes of a file at an offset, all of them. */
int remote_source_read(struct remote_client *c, const struct remote_file *f, uint64_t offset, uint8_t *p, size_t n,
                       struct err *err);

#endif
