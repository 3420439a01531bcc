/* The images of a root of HBase's backups, and the chain of images that makes a table whole. */
#ifndef FORMATS_HBASE_BACKUP_IMAGES_H
#define FORMATS_HBASE_BACKUP_IMAGES_H

#include "base/buf.h"
#include "base/err.h"
#include "formats/hbase/backup_manifest.h"

struct backup_images {
    char *root;
    struct backup_image *images; /* by time, oldest first */
    size_t n;
    struct buf problems; /* images that cannot be read, one a line */
    size_t n_problems;
};

int backup_images_read(const char *root, struct backup_images *out, struct err *err);
/* Finds the image of this id; NULL: the newest. ERR_USAGE lists the images there are; ERR_INPUT: one that cannot be read may be
 * the newest. */
const struct backup_image *backup_images_find(const struct backup_images *b, const char *id, struct err *err);
void backup_images_free(struct backup_images *b);

struct backup_chain {
    char **dirs; /* of the table in each image, oldest first; the first is full */
    size_t n;
};

/* ns and table: NULL for the only one of the image. ERR_INPUT names ancestors that are missing. Free *out whatever is
 * returned. */
int backup_chain_make(const struct backup_images *b, const struct backup_image *image, const char *ns, const char *table,
                      struct backup_chain *out, struct err *err);
/* The only table of an image, without ancestors. dir: ROOT/ID. */
int backup_chain_alone(const char *dir, const struct backup_image *image, struct backup_chain *out, struct err *err);
void backup_chain_free(struct backup_chain *c);

#endif
