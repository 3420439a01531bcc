/* Opens a dataset. */
#ifndef DATASET_DATASET_OPEN_H
#define DATASET_DATASET_OPEN_H

#include "base/err.h"
#include "base/list_room.h"
#include "dataset/manifest.h"
#include "dataset/pack_list.h"

/* A finished dataset: manifest plus every listed file there with its size. One that waits for cells of other datasets, a shard
 * or a share is ERR_UNSUPPORTED, as it is not the table: */
int dataset_open(const char *dir, struct manifest *out, struct err *err);
/* for those who know what to do about it, or only look. */
int dataset_open_waiting(const char *dir, struct manifest *out, struct err *err);
/* As dataset_open_waiting, but a shard may be opened: by who reads all of them. */
int dataset_open_or_shard(const char *dir, struct dataset_files files, struct list_room *room, struct manifest *out,
                          struct err *err);
/* Whatever it is: for joins. */
int dataset_open_part(const char *dir, struct manifest *out, struct err *err);
/* As dataset_open_part; other files need not be there, and those of them in packs may be missing in the list. room: as of
 * pack_list_add. */
int dataset_open_files(const char *dir, struct dataset_files files, struct list_room *room, struct manifest *out,
                       struct err *err);
/* As dataset_open, of the text of a manifest that lies elsewhere: whether its files are there is not asked. */
int dataset_of_text(const char *name, const char *text, size_t n, struct manifest *out, struct err *err);
/* ERR_UNSUPPORTED: a shard whose files are runs, not HFiles. dataset_open_part alone accepts it. */
int dataset_refuse_runs(const char *dir, const struct manifest *m, struct err *err);
int dataset_room(const char *dir, struct list_room *room, struct err *err);
/* Returns whether dir holds a MANIFEST.json: 1, 0, -1 error. */
int dataset_is(const char *dir, struct err *err);

#endif
