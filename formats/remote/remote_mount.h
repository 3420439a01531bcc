/* Mounts a directory of a server, so that readers of files find its files below a path. */
#ifndef FORMATS_REMOTE_REMOTE_MOUNT_H
#define FORMATS_REMOTE_REMOTE_MOUNT_H

#include "base/err.h"
#include "formats/remote/remote_servers.h"

struct path_names;
struct remote_mount;

struct remote_mount *remote_mount_open(const struct remote_opts *o, struct err *err);
/* Lists what is at url, a file or everything below a directory or prefix (up to a pattern, * ? [, in its last names). *path:
 * where it is shown; free it. ERR_INPUT: nothing is there, or it is refused; ERR_BUSY: the server could not be reached. */
int remote_mount_add(struct remote_mount *m, const char *url, char **path, struct err *err);
/* Lists what is at url, where an output is to be: perhaps nothing. *path: the directory of this machine in which it is written.
 * Once. */
int remote_mount_add_output(struct remote_mount *m, const char *url, char **path, struct err *err);
/* Serves bytes from now on, when all is listed. */
int remote_mount_serve(struct remote_mount *m, struct err *err);
/* Returns in *names what paths of the directory are called in messages. */
int remote_mount_names(const struct remote_mount *m, struct path_names *names, struct err *err);
uint64_t remote_mount_bytes(const struct remote_mount *m);    /* that came from servers so far */
uint64_t remote_mount_requests(const struct remote_mount *m); /* that were made, with those repeated */
uint64_t remote_mount_sent(const struct remote_mount *m);     /* bytes of outputs */
uint64_t remote_mount_kept(const struct remote_mount *m);     /* their files that an earlier run had sent */
uint64_t remote_mount_retries(const struct remote_mount *m);
uint64_t remote_mount_memory(const struct remote_mount *m); /* that it takes by now */
void remote_mount_close(struct remote_mount *m);

#endif
