/* One output on a server, from its first file to its manifest. */
#ifndef FORMATS_REMOTE_REMOTE_OUTPUT_H
#define FORMATS_REMOTE_REMOTE_OUTPUT_H

#include "base/err.h"
#include "formats/remote/remote_store.h"

#define REMOTE_STAGED "/.obkv/tmp/" /* follows on OUT in names of files that are written */

struct remote_client;

struct remote_output {
    char *name; /* "s3:/bucket/out" */
    const struct remote_source *source;
    const char *path;           /* "out" */
    bool begun, begins;         /* begins: a thread is asking the server */
    struct remote_facts writer; /* our own mark */
    struct remote_file **files; /* handed over; bytes < 0: not yet sent */
    size_t n_files, n_pending;
    struct err err; /* the first of its files */
};

/* Marks the output as being written, and withdraws its manifest. Once. */
int remote_output_begin(struct remote_client *c, struct remote_output *out, struct err *err);
/* Checks that all files are there, removes what is not part of the output, and puts the manifest that is staged below dir.
 * ERR_BUSY: another run writes there, or files were lost. */
int remote_output_publish(const char *dir, struct remote_client *c, struct remote_output *out, struct err *err);
/* Removes the mark and uploads that a run left which was killed after it had published. */
int remote_output_tidy(struct remote_client *c, const struct remote_output *out, struct err *err);

#endif
