/* Lists a bucket of S3. */
#ifndef FORMATS_REMOTE_REMOTE_S3_H
#define FORMATS_REMOTE_REMOTE_S3_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "formats/remote/remote_store.h"

struct remote_client;

/* One page of ListObjectsV2. next: the token of the next page; empty: it is the last. */
int remote_s3_page(struct bytes xml, const char *shown, const struct remote_found *found, struct buf *next, struct err *err);

/* A file at this path, or 0 and everything below it. 1 = it was a file, 0 = what is below was found (perhaps nothing), -1. */
int remote_s3_list(struct remote_client *c, const struct remote_source *s, const char *path, const struct remote_found *found,
                   struct err *err);

#endif
