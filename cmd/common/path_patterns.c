/* Inputs that are patterns, such as 'in/day*.hfile'. The shell expands them, but not where they are quoted, where a scheduler
 * starts a program without a shell, or where there are more files than a command line takes. A path that exists is that path,
 * whatever characters it contains. Otherwise a pattern is expanded as the shell does it, in byte order, and one that nothing
 * matches is an error. */
#include "cmd/common/inputs.h"

#include "base/buf.h"
#include "cmd/common/path_patterns.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_pattern(const char *path) {
    return strpbrk(path, "*?[") && access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR);
}

static int add_path(struct path_patterns *p, const char *path, struct err *err) {
    const uint64_t bytes = sizeof *p->paths + strlen(path) + LIST_ROOM_EACH;
    if (list_room_take(&p->room, bytes, "the list of input files takes", err)) return -1;
    if (grow_array(&p->paths, (size_t)p->n, sizeof *p->paths, "the list of inputs", err)) return -1;
    char *copy = strdup(path);
    if (!copy) return err_nomem(err, strlen(path), "a path");
    p->paths[p->n++] = copy;
    return 0;
}

static int expand(struct path_patterns *p, const char *pattern, struct err *err) {
    glob_t found = {0};
    errno = 0;
    int got = glob(pattern, GLOB_ERR, NULL, &found), rc = 0;
    if (got == GLOB_NOSPACE)
        rc = err_nomem(err, 0, "the files that a pattern matches");
    else if (got == GLOB_ABORTED)
        rc = err_sys(err, ERR_INPUT, errno, "%s", pattern);
    else if (got)
        rc = err_set(err, ERR_INPUT, "%s: no file has this name, and none matches this pattern", pattern);
    for (size_t i = 0; !got && !rc && i < found.gl_pathc; i++) rc = add_path(p, found.gl_pathv[i], err);
    globfree(&found);
    return rc;
}

int path_patterns_expand(struct path_patterns *p, char **paths, int n, struct err *err) {
    bool any = false;
    for (int i = 0; i < n; i++) any |= is_pattern(paths[i]);
    for (int i = 0; any && i < n; i++)
        if (is_pattern(paths[i]) ? expand(p, paths[i], err) : add_path(p, paths[i], err)) return -1;
    return 0;
}

void path_patterns_free(struct path_patterns *p) {
    for (int i = 0; i < p->n; i++) free(p->paths[i]);
    free(p->paths);
    *p = (struct path_patterns){0};
}
