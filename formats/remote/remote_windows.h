/* Keeps windows of files on servers, read a little ahead of those who ask: they grow while a file is read in order and stay small
 * where it is sought. All of them share one amount of memory; the least recently used ones go. */
#ifndef FORMATS_REMOTE_REMOTE_WINDOWS_H
#define FORMATS_REMOTE_REMOTE_WINDOWS_H

#include "formats/remote/remote_store.h"

#include <sys/types.h>

struct remote_client;
struct remote_windows;
struct remote_windows *remote_windows_new(size_t memory_bytes, struct err *err);
/* Reads up to n bytes (at least 1) of the file, from offset, which is before its end: their number, or -1. Called by any thread,
 * with a client of its own. */
ssize_t remote_windows_read(struct remote_windows *w, struct remote_client *c, const struct remote_file *f, uint64_t offset,
                            void *p, size_t n, struct err *err);
/* Gets the next window that somebody will want soon: waits for one. 0, or -1 when remote_windows_end was called. Errors are
 * left to those who want its bytes. */
int remote_windows_ahead(struct remote_windows *w, struct remote_client *c);
void remote_windows_end(struct remote_windows *w);
void remote_windows_free(struct remote_windows *w);

#endif
