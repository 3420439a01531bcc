/* Finds the inputs in a directory that is no input itself: datasets and directories of HBase. A refusal names them all, so that
 * each can be given. Looked for only then: links are not followed, and what cannot be read is passed over. */
#include "cmd/common/sources_below.h"

#include "base/buf.h"
#include "base/fs.h"
#include "dataset/dataset_open.h"
#include "formats/hbase/store_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SHOWN = 20, LEVELS = 8 };

struct sources_found {
    struct buf names; /* "a, b" */
    size_t n;
};

static int add_source(struct sources_found *s, const char *dir, struct err *err) {
    if (s->n++ >= SHOWN) return 0;
    return buf_printf(&s->names, err, "%s%s", s->n > 1 ? ", " : "", dir);
}

static bool is_source(const char *dir) {
    enum tree_kind kind = TREE_NONE;
    struct err ignored = {0};
    return dataset_is(dir, &ignored) == 1 || (!tree_kind_of(dir, &kind, &ignored) && kind != TREE_NONE);
}

static int visible(const struct dirent *d) {
    return d->d_name[0] != '.' && d->d_name[0] != '_';
}

static int look_below(struct sources_found *s, const char *dir, unsigned level, struct err *err) {
    struct dirent **entries;
    struct stat st;
    int n = level < LEVELS ? scandir(dir, &entries, visible, alphasort) : 0, rc = 0;
    if (n <= 0) return 0;
    for (int i = 0; i < n; i++) {
        char *path = rc ? NULL : fs_join(dir, entries[i]->d_name, err);
        if (!path)
            rc = -1;
        else if (!lstat(path, &st) && S_ISDIR(st.st_mode))
            rc = is_source(path) ? add_source(s, path, err) : look_below(s, path, level + 1, err);
        free(path);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

int sources_below_refuse(const char *dir, enum err_code code, struct err *err) {
    struct sources_found s = {0};
    char more[40] = "";
    int rc = look_below(&s, dir, 0, err);
    if (s.n > SHOWN) snprintf(more, sizeof more, " and %zu more", s.n - SHOWN);
    if (!rc && s.n == 1)
        rc = err_set(err, code, "%s is not an input itself; give %.*s", dir, (int)s.names.n, (const char *)s.names.p);
    else if (!rc && s.n)
        rc = err_set(err, code,
                     "%s is not an input itself, but holds %zu datasets or HBase directories; give each of them: %.*s%s", dir,
                     s.n, (int)s.names.n, (const char *)s.names.p, more);
    buf_free(&s.names);
    return rc;
}
