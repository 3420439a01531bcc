/* The files of a shard, as the indexes of its packs list them. */
#ifndef DATASET_PACK_LIST_H
#define DATASET_PACK_LIST_H

#include "base/err.h"
#include "base/list_room.h"
#include "dataset/manifest.h"

/* Files of every of-th partition of a table, from `first` on. */
struct dataset_files {
    uint32_t first, of;
};
#define DATASET_ALL_FILES ((struct dataset_files){0, 1})
#define DATASET_NO_FILES ((struct dataset_files){1, 1})

/* Adds these files of pack i to m->files. room: for the list, which is asked before; NULL: it is not counted. ERR_INPUT: the pack
 * is damaged, or not that of the manifest. */
int pack_list_add(const char *dir, struct manifest *m, size_t i, struct dataset_files files, struct list_room *room,
                  struct err *err);
/* As pack_list_add, of all packs; the files are then in order. */
int pack_list_all(const char *dir, struct manifest *m, struct dataset_files files, struct list_room *room, struct err *err);

#endif
