/* Lists a directory of HDFS, by WebHDFS. */
#ifndef FORMATS_REMOTE_REMOTE_HDFS_H
#define FORMATS_REMOTE_REMOTE_HDFS_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "formats/remote/remote_store.h"

struct remote_client;

int remote_hdfs_page(struct bytes json, const char *shown,
                     int (*take)(void *arg, const struct remote_hdfs_entry *e, struct err *err), void *arg, struct buf *last,
                     bool *more, struct err *err);
/* The path of a request, and its query: the operation (with parameters), and who asks. Both with a 0 at the end. */
int remote_hdfs_path(const char *path, struct buf *out, struct err *err);
int remote_hdfs_query(const struct remote_source *s, const char *op, struct buf *out, struct err *err);
int remote_hdfs_list(struct remote_client *c, const struct remote_source *s, const char *path, const struct remote_found *found,
                     struct err *err);

int remote_hdfs_stat(struct remote_client *c, const struct remote_source *s, const char *path, struct remote_facts *out,
                     struct err *err);
int remote_hdfs_read(struct remote_client *c, const struct remote_file *f, struct remote_call *call, struct err *err);

#endif
