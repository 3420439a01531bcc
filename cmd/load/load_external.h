/* Loads tables that take no direct load by INSERT … SELECT from an external table over the files. */
#ifndef CMD_LOAD_LOAD_EXTERNAL_H
#define CMD_LOAD_LOAD_EXTERNAL_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/load/load_batch.h"
#include "cmd/load/load_files.h"

struct connection;

/* Returns whether f can be loaded through an external table. */
bool load_external_takes(const struct load_files_opts *o, const struct export_file *f);
/* Finds out whether the server permits external tables: makes one and drops it. false: why says why not, "" where no file can be
 * loaded so. -1: the connection broke. */
int load_external_try(struct connection *c, const struct load_files_opts *o, bool *permitted, char why[500], struct err *err);

/* The statements of a batch, with a NUL. The name of the external table is the same for all batches of a family. */
struct load_external_sql {
    struct buf drop, create, insert, commit;
};
int load_external_put(struct load_external_sql *s, const struct load_files_opts *o, const struct load_batch *b, struct err *err);
void load_external_free(struct load_external_sql *s);
/* All rows or none. *rows: how many. */
int load_external_run(struct connection *c, const struct load_files_opts *o, const struct load_batch *b, uint64_t *rows,
                      struct err *err);
/* The name, which an INSERT or COMMIT that still runs has in its text. */
void load_external_name(const struct load_files_opts *o, uint32_t family, char name[64]);

#endif
