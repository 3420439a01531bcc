/* The packs of a shard while they are written. */
#ifndef HFILE_PACK_FILES_H
#define HFILE_PACK_FILES_H

#include "base/err.h"
#include "base/outfile.h"
#include "hfile/pack_index.h"

struct pack_files;
struct pack_put;

/* Below dir, where the family directories are. dir and quota are borrowed. */
struct pack_files *pack_files_new(const char *dir, struct disk_quota *quota, struct err *err);
/* Begins an HFile, by any thread. path: its name below dir. is_own: its bytes are there until it ends, because others are
 * written meanwhile; else they go into a pack at once. name: of the family, borrowed. */
struct pack_put *pack_files_begin(struct pack_files *l, uint32_t family, const char *name, const char *path, bool is_own,
                                  struct err *err);
/* Returns where its bytes are to be written. */
struct outfile *pack_files_out(struct pack_put *m);
/* Ends the HFile, of which e says all but its place and checksum. *path: its path below dir, fresh. */
int pack_files_end(struct pack_put *m, struct pack_entry *e, char checksum[17], char **path, struct err *err);
/* Accepts NULL. What was not ended makes its pack useless. */
void pack_files_free_put(struct pack_put *m);
/* Writes the indexes. *packs, *n: fresh, by family and path. */
int pack_files_finish(struct pack_files *l, struct pack_made **packs, size_t *n, struct err *err);
/* Accepts NULL. Packs that are not finished are removed. */
void pack_files_free(struct pack_files *l);

#endif
