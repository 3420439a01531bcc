/* One image, as its manifest describes it: BackupImage of Backup.proto. */
#ifndef FORMATS_HBASE_BACKUP_MANIFEST_H
#define FORMATS_HBASE_BACKUP_MANIFEST_H

#include "base/bytes.h"
#include "base/err.h"

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

#endif
