#include "cmd/split/result_folder.h"

#include "base/fs.h"
#include "dataset/manifest.h"

#include <stdlib.h>
#include <sys/stat.h>

int result_folder_check(const struct options *o, const char *of, const char *file, struct err *err) {
    struct stat st;
    if (!o->output || stat(o->output, &st)) return 0; /* it is made */
    if (!S_ISDIR(st.st_mode)) return err_set(err, ERR_OUTPUT, "--output %s: is there, and no folder", o->output);
    int there = dataset_is(o->output, err);
    if (there > 0) err_set(err, ERR_USAGE, "%s holds a dataset or an export: choose another folder for the %s", o->output, of);
    if (there) return -1;
    char *path = fs_join(o->output, file, err);
    there = path ? fs_exists(path, err) : -1;
    free(path);
    return there > 0 && !o->overwrite ? err_set(err, ERR_USAGE, "%s holds a %s already: give --overwrite", o->output, of)
           : there < 0                ? -1
                                      : 0;
}
