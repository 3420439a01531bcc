/* Outputs on servers: what a run writes below the directory of remote files goes to its server, file by file. */
#ifndef FORMATS_REMOTE_REMOTE_OUTPUTS_H
#define FORMATS_REMOTE_REMOTE_OUTPUTS_H

#include "base/err.h"
#include "formats/remote/remote_store.h"

struct remote_client;
struct remote_outputs;
struct remote_tree;

enum { REMOTE_OUTPUTS_MEMORY = 4 << 20 };

/* tree: where files are written, and which were there when the run began. */
struct remote_outputs *remote_outputs_new(const struct remote_tree *tree, struct err *err);
/* Takes a finished file, OUT/.obkv/tmp/NAME, named below the tree, which goes to OUT/NAME on the source. A thread of
 * remote_outputs_work sends it; waits while many are to be sent. An error comes now or later. */
int remote_outputs_put(struct remote_outputs *o, const struct remote_source *s, const char *name, struct err *err);
/* Sends a file of OUT/_report at once, whether or not the output is published. */
int remote_outputs_report(struct remote_outputs *o, struct remote_client *c, const struct remote_source *s, const char *name,
                          struct err *err);
/* Waits for all files of the output OUT, checks what is there, removes what is not part of it, and puts the manifest
 * OUT/.obkv/tmp/MANIFEST.json. ERR_BUSY: another run writes there, or files were lost. */
int remote_outputs_publish(struct remote_outputs *o, struct remote_client *c, const struct remote_source *s, const char *out,
                           struct err *err);
/* Removes what a run that was killed after its publication left there. */
int remote_outputs_tidy(struct remote_outputs *o, struct remote_client *c, const struct remote_source *s, const char *out,
                        struct err *err);
/* Finds a file that was sent, by its name in OUT or OUT/.obkv/tmp; NULL: none. It stays as long as o. */
const struct remote_file *remote_outputs_find(struct remote_outputs *o, const char *name);
/* Sends the next file. Waits for one. 0, or -1 when remote_outputs_end was called. c NULL: it could not be made, and `why` is the
 * error of the file's output. */
int remote_outputs_work(struct remote_outputs *o, struct remote_client *c, const struct err *why);
void remote_outputs_end(struct remote_outputs *o);
const bool *remote_outputs_ended(const struct remote_outputs *o); /* changes when remote_outputs_end is called */
uint64_t remote_outputs_bytes(const struct remote_outputs *o);    /* that were sent */
uint64_t remote_outputs_kept(const struct remote_outputs *o);     /* files that an earlier run had sent */
void remote_outputs_free(struct remote_outputs *o);

#endif
