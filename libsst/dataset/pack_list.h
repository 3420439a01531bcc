/* The files of a shard, as the indexes of its packs list them. */
#ifndef DATASET_PACK_LIST_H
#define DATASET_PACK_LIST_H

#include "base/err.h"
#include "dataset/manifest.h"

/* Partitions p of the table with p % of == number - 1; of == 0: all. */
struct pack_share {
    uint32_t number, of;
};

/* Adds the files of pack i to m->files. ERR_INPUT: the pack is damaged, or not that of the manifest. */
int pack_list_add(const char *dir, struct manifest *m, size_t i, struct pack_share share, struct err *err);
/* As pack_list_add, of all packs; the files are then in order. */
int pack_list_all(const char *dir, struct manifest *m, struct pack_share share, struct err *err);

#endif
