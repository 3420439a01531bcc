/* The images that HBase's backups leave: ROOT/ID/NAMESPACE/TABLE, and ROOT/ID/.backup.manifest. A full image holds an exported
 * snapshot of each table, an incremental one the HFiles of what was written since the image before. */
#ifndef FORMATS_HBASE_BACKUP_H
#define FORMATS_HBASE_BACKUP_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

/* One image, as its manifest describes it: BackupImage of Backup.proto. */

#define BACKUP_MANIFEST ".backup.manifest"

struct backup_table {
    char *ns, *name;
};

struct backup_image {
    char *id;
    bool is_full;
    int64_t start_ms, complete_ms; /* 0: not said */
    struct backup_table *tables;
    size_t n_tables;
    struct backup_image *ancestors; /* direct ones; theirs are left out */
    size_t n_ancestors;
};

/* The bare message. Names are safe as parts of a path. On failure nothing is left to be freed. */
int backup_image_parse(struct bytes message, struct backup_image *out, struct err *err);
/* dir: ROOT/ID, whose name is the image's. */
int backup_image_read(const char *dir, struct backup_image *out, struct err *err);
bool backup_image_has(const struct backup_image *b, const char *ns, const char *table);
void backup_image_free(struct backup_image *b);
/* dir is a table's directory of an image: 1 = its manifest was read, 0 = there is none two levels above, -1. */
int backup_image_above(const char *dir, struct backup_image *out, struct err *err);

/* All images of a root. */

struct backup_images {
    char *root;
    struct backup_image *images; /* by time, oldest first */
    size_t n;
    struct buf problems; /* images that cannot be read, one a line */
    size_t n_problems;
};

int backup_images_read(const char *root, struct backup_images *out, struct err *err);
/* NULL: the newest. ERR_USAGE lists the images there are; ERR_INPUT: one that cannot be read may be the newest. */
const struct backup_image *backup_images_find(const struct backup_images *b, const char *id, struct err *err);
void backup_images_free(struct backup_images *b);

/* What is read for one table to be as it was when an image was taken: that image, after its ancestors. */

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
