/* Inputs that are patterns, such as 'in/day*.hfile'. The shell expands them, but not where they are quoted, where a scheduler
 * starts a program without a shell, or where there are more files than a command line takes. A path that exists is that path,
 * whatever characters it contains. Otherwise a pattern is expanded as the shell does it, in byte order, and one that nothing
 * matches is an error. */
#include "cmd/common/inputs.h"

#include "base/buf.h"
#include "base/fs.h"
#include "cmd/common/path_patterns.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static int expand_below(struct path_patterns *p, const char *dir, const char *pattern, struct err *err);

/* One component of a pattern in one directory. */
struct component {
    struct path_patterns *p;
    const char *dir;     /* with its slash; "": the working directory */
    const char *pattern; /* of its names */
    const char *slashes; /* that follow; "": it is the last component */
    const char *rest;    /* of the pattern, after them */
};

static int take_name(void *arg, const char *name, bool is_dir, struct err *err) {
    const struct component *c = arg;
    if (fnmatch(c->pattern, name, FNM_PERIOD) || (c->slashes[0] && !is_dir)) return 0;
    char *path = fs_printf(err, "%s%s%s", c->dir, name, c->slashes);
    int rc = !path ? -1 : c->rest[0] ? expand_below(c->p, path, c->rest, err) : add_path(c->p, path, err);
    free(path);
    return rc;
}

/* A component that can only be one name is not looked for in its directory, which may be one that nobody may list. */
static int take_literal(const struct component *c, struct err *err) {
    struct stat st;
    char *path = fs_printf(err, "%s%s%s", c->dir, c->pattern, c->slashes);
    int rc = path ? 0 : -1;
    if (path && c->rest[0])
        rc = expand_below(c->p, path, c->rest, err);
    else if (path && !lstat(path, &st))
        rc = add_path(c->p, path, err);
    free(path);
    return rc;
}

/* Adds what matches in the order of the directories. Each path is compared with the room of the list before it is kept: glob(3)
 * builds its whole list first. */
static int expand_below(struct path_patterns *p, const char *dir, const char *pattern, struct err *err) {
    const size_t bytes = strcspn(pattern, "/"), slashes = strspn(pattern + bytes, "/");
    char *component = strndup(pattern, bytes), *after = strndup(pattern + bytes, slashes);
    const struct component c = {p, dir, component, after, pattern + bytes + slashes};
    int rc = component && after ? 0 : err_nomem(err, bytes + slashes, "a pattern");
    if (!rc && !strpbrk(component, "*?[\\"))
        rc = take_literal(&c, err);
    else if (!rc)
        rc = directory_each(dir[0] ? dir : ".", take_name, (void *)&c, err) < 0 ? -1 : 0;
    free(component);
    free(after);
    return rc;
}

static int compare_paths(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int expand(struct path_patterns *p, const char *pattern, struct err *err) {
    const int before = p->n;
    if (expand_below(p, "", pattern, err)) return -1;
    if (p->n == before) return err_set(err, ERR_INPUT, "%s: no file has this name, and none matches this pattern", pattern);
    qsort(p->paths + before, (size_t)(p->n - before), sizeof *p->paths, compare_paths);
    return 0;
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
