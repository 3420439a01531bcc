/* How much the mob files of a family hold. The cells of the table say only where their values are, so a plan that counted cells
 * alone would leave out most of such a table. Sizes come from the directories, lengths of KeyValues from file infos: no value is
 * read. A link in a mob directory is an empty file; the directory that it leads to is listed, too. */
#include "formats/hbase/mob_sizes.h"

#include "base/fs.h"
#include "formats/hbase/survey.h"
#include "hfile/hfile_open.h"

#include <stdlib.h>
#include <sys/stat.h>

struct mob_sizing {
    const char *dir;
    size_t block_limit;
    struct mob_sizes *sizes;
};

static int size_file(void *arg, const char *name, bool is_dir, struct err *err) {
    const struct mob_sizing *at = arg;
    struct err why = {0};
    struct stat st;
    if (is_dir || *name == '.') return 0;
    char *path = fs_join(at->dir, name, err);
    if (!path) return -1;
    if (!stat(path, &st) && st.st_size > 0) {
        struct hfile *h = hfile_open(path, at->block_limit, &why);
        at->sizes->files++;
        at->sizes->bytes += (uint64_t)st.st_size;
        at->sizes->kv_bytes += h ? survey_kv_bytes(h) : (uint64_t)st.st_size;
        hfile_close(h);
    }
    free(path);
    return 0;
}

int mob_sizes_add(const struct store_files *s, uint32_t family, size_t block_limit, struct mob_sizes *sizes, struct err *err) {
    for (size_t i = 0; i < s->n_mob; i++) {
        struct mob_sizing at = {s->mob[i].path, block_limit, sizes};
        if (s->mob[i].family == family && directory_each(at.dir, size_file, &at, err) < 0) return -1;
    }
    return 0;
}
