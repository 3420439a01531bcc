#include "cmd/split/result_folder.h"

#include "base/fs.h"
#include "dataset/manifest.h"

#include <stdlib.h>
#include <sys/stat.h>

int result_folder_check(const struct options *o, const char *of, const char *file, struct err *err) {
    struct stat st;
    if (!o->out.dir || stat(o->out.dir, &st)) return 0; /* it is made */
    if (!S_ISDIR(st.st_mode)) return err_set(err, ERR_OUTPUT, "--output %s: is there, and no folder", o->out.dir);
    int there = dataset_is(o->out.dir, err);
    if (there > 0) err_set(err, ERR_USAGE, "%s holds a dataset or an export: choose another folder for the %s", o->out.dir, of);
    if (there) return -1;
    char *path = fs_join(o->out.dir, file, err);
    there = path ? fs_exists(path, err) : -1;
    free(path);
    return there > 0 && !o->out.overwrite ? err_set(err, ERR_USAGE, "%s holds a %s already: give --overwrite", o->out.dir, of)
           : there < 0                    ? -1
                                          : 0;
}
