/* Rejected records once more, in a file for each source: its name, its header, its own format. Once corrected, the file is read
 * by the command that read the source. It is in a directory of its own, whose number counts sources with rejects: so inputs
 * keep their order, and names may be equal. */

#include "base/fd.h"
#include "base/fs.h"
#include "base/unpack.h"
#include "engine/reject_sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NUMBER_BYTES = 24, SUFFIX_BYTES = 6, NAME_LONGEST = 255 };

/* The last part of a path, without the ending of a compression. */
static size_t name_of(const char *path, const char **name) {
    const char *slash = strrchr(path, '/'), *inside = strrchr(path, '!'); /* ARCHIVE!member */
    *name = inside && (!slash || inside > slash) && inside[1] ? inside + 1 : slash ? slash + 1 : path;
    if (!strcmp(*name, "-") || !**name) *name = "stdin";
    return unpack_plain_length(*name);
}

static char *path_of(const struct reject_sources *s, size_t i, const char *dir, bool is_text, struct err *err) {
    const char *name;
    struct buf path = {0};
    size_t n = name_of(s->paths[i], &name);
    if (n > NAME_LONGEST - SUFFIX_BYTES) n = NAME_LONGEST - SUFFIX_BYTES;
    int rc = buf_printf(&path, err, "%s/rejects/%05zu", dir, i + 1);
    if (!rc && !(rc = fs_mkdirs((const char *)path.p, err))) /* reading a directory skips such names */
        rc = buf_printf(&path, err, "/%s%.*s%s", *name == '.' || *name == '_' ? "rejects" : "", (int)n, name,
                        is_text ? "" : ".cells");
    if (!rc && !buf_put_byte(&path, 0, err)) return (char *)path.p;
    buf_free(&path);
    return NULL;
}

/* Returns the number of a path, and whether it is new; the latest ones are asked for most. */
static int find_or_add_path(struct reject_sources *s, const char *path, size_t *number, bool *fresh, struct err *err) {
    *fresh = false;
    for (*number = s->n; (*number)--;)
        if (!strcmp(s->paths[*number], path)) return 0;
    if (grow_array(&s->paths, s->n, sizeof *s->paths, "rejects", err)) return -1;
    *number = s->n;
    *fresh = true;
    if (!(s->paths[s->n] = strdup(path))) return err_nomem(err, strlen(path), "rejects");
    s->n++;
    return 0;
}

static int close_current(struct reject_sources *s, struct err *err) {
    int fd = s->fd;
    if (!s->is_open) return 0;
    s->is_open = false;
    int rc = fsync(fd) ? err_sys(err, ERR_OUTPUT, errno, "cannot sync the rejects of %s", s->paths[s->current]) : 0;
    fd_close(fd);
    return rc;
}

int reject_sources_put(struct reject_sources *s, const char *dir, const char *path, struct bytes header, bool is_text,
                       struct bytes raw, struct err *err) {
    size_t number;
    bool fresh;
    if (find_or_add_path(s, path, &number, &fresh, err)) return -1;
    if (!s->is_open || s->current != number) {
        if (close_current(s, err)) return -1;
        char *file = path_of(s, number, dir, is_text, err);
        if (!file) return -1;
        s->fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | (fresh ? O_TRUNC : O_APPEND), 0666);
        int rc = s->fd < 0 ? err_sys(err, ERR_OUTPUT, errno, "cannot create %s", file) : 0;
        free(file);
        if (rc) return -1;
        s->is_open = true;
        s->current = number;
    }
    if ((!fresh || !fs_write_full(s->fd, header.p, header.n, "rejects", err)) &&
        !fs_write_full(s->fd, raw.p, raw.n, "rejects", err))
        return 0;
    return err_prefix(err, "%s", dir);
}

int reject_sources_finish(struct reject_sources *s, struct err *err) {
    return close_current(s, err);
}

void reject_sources_free(struct reject_sources *s) {
    if (s->is_open) fd_close(s->fd);
    for (size_t i = 0; i < s->n; i++) free(s->paths[i]);
    free(s->paths);
    *s = (struct reject_sources){0};
}
