/* The images of HBase's backups as inputs: which directories are read for a path. The directory of all images stands for one of
 * them, after its ancestors; an image, or a table's directory in one, is read alone unless backup = ID asks for the ancestors. */
#include "cmd/common/inputs.h"

#include "base/fs.h"

#include <errno.h>
#include <stdlib.h>

static int make_chain(const char *root, const char *id, const char *ns, const char *table, struct backup_chain *out,
                      struct err *err) {
    struct backup_images all;
    if (backup_images_read(root, &all, err)) return -1;
    const struct backup_image *image = backup_images_find(&all, id, err);
    int rc = image ? backup_chain_make(&all, image, ns, table, out, err) : -1;
    backup_images_free(&all);
    return rc;
}

/* path: ROOT/ID. */
static int of_image(const char *path, const char *id, struct backup_chain *out, struct err *err) {
    struct backup_image image;
    char *root = directory_above(path, err);
    int rc = !root ? -1 : id ? make_chain(root, id, NULL, NULL, out, err) : backup_image_read(path, &image, err);
    if (!rc && !id) {
        rc = backup_chain_alone(path, &image, out, err);
        backup_image_free(&image);
    }
    free(root);
    return rc;
}

/* path: ROOT/ID/NAMESPACE/TABLE, if there is a manifest two levels above it. */
static int of_table(const char *path, const char *id, struct backup_chain *out, struct err *err) {
    struct backup_image image;
    int is = backup_image_above(path, &image, err);
    if (is < 0) return -1;
    if (!is)
        return err_set(err, ERR_USAGE, "backup %s: %s is not a directory of HBase's backups, which hold ID/%s", id, path,
                       BACKUP_MANIFEST);
    backup_image_free(&image);
    char *ns = directory_above(path, err), *of = ns ? directory_above(ns, err) : NULL,
         *root = of ? directory_above(of, err) : NULL;
    int rc = root ? make_chain(root, id, directory_name(ns), directory_name(path), out, err) : -1;
    free(ns);
    free(of);
    free(root);
    return rc;
}

int input_backup_dirs(const char *path, enum tree_kind kind, const char *id, struct backup_chain *out, struct err *err) {
    *out = (struct backup_chain){0};
    if (kind != TREE_BACKUPS && kind != TREE_IMAGE && !id) return 0;
    char *real = realpath(path, NULL); /* names above it are needed */
    if (!real) return err_sys(err, ERR_INPUT, errno, "%s", path);
    int rc = kind == TREE_BACKUPS ? make_chain(real, id, NULL, NULL, out, err)
             : kind == TREE_IMAGE ? of_image(real, id, out, err)
                                  : of_table(real, id, out, err);
    free(real);
    if (!rc) return 1;
    backup_chain_free(out);
    return -1;
}
