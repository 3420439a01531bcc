/* The packs of a shard: what its manifest says of them, and the list of files that their indexes hold. */
#ifndef DATASET_MANIFEST_PACKS_H
#define DATASET_MANIFEST_PACKS_H

#include "base/err.h"
#include "dataset/manifest.h"

/* Partitions p of the table with p % of == number - 1; of == 0: all. */
struct pack_share {
    uint32_t number, of;
};

/* A member of the head, where there are any. */
int manifest_packs_put(const struct manifest *m, json_t *head);
int manifest_packs_parse(const json_t *head, struct manifest *m, struct err *err);
void manifest_packs_free(struct manifest *m);
/* Adds the files of pack i to m->files. ERR_INPUT: the pack is damaged, or not that of the manifest. */
int manifest_packs_list(const char *dir, struct manifest *m, size_t i, struct pack_share share, struct err *err);
/* As manifest_packs_list, of all packs; the files are then in order. */
int manifest_packs_list_all(const char *dir, struct manifest *m, struct pack_share share, struct err *err);
/* Checks that a pack is there, and as long as the manifest says. */
int manifest_packs_check(const char *dir, const struct pack_made *p, struct err *err);

#endif
