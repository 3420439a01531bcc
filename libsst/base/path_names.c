/* Replaces directories by names wherever they stand in a text. There are few directories, and messages are short: every one is
 * looked for. */
#include "base/path_names.h"

#include "base/fs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int path_names_add(struct path_names *names, const char *dir, const char *name, struct err *err) {
    if (grow_array(&names->names, names->n, sizeof *names->names, "names of unpacked files", err)) return -1;
    struct path_name added = {fs_printf(err, "%s", dir), fs_printf(err, "%s", name)};
    if (added.dir && added.name) {
        names->names[names->n++] = added;
        return 0;
    }
    free(added.dir);
    free(added.name);
    return -1;
}

/* The first of the directories in the text, and where it stands; NULL: none. */
static const struct path_name *find_first(const struct path_names *names, struct bytes text, size_t *at) {
    const struct path_name *first = NULL;
    for (size_t i = 0; i < names->n; i++) {
        const char *dir = names->names[i].dir;
        const uint8_t *found = text.n ? memmem(text.p, text.n, dir, strlen(dir)) : NULL;
        if (!found || (first && (size_t)(found - text.p) >= *at)) continue;
        first = &names->names[i];
        *at = (size_t)(found - text.p);
    }
    return first;
}

int path_names_put(const struct path_names *names, struct bytes text, struct buf *out, struct err *err) {
    const struct path_name *named;
    size_t at;
    while ((named = find_first(names, text, &at))) {
        size_t end = at + strlen(named->dir);
        bool below = end + 1 < text.n && text.p[end] == '/';
        if (buf_put(out, text.p, at, err) || buf_put(out, named->name, strlen(named->name), err)) return -1;
        if (below && buf_put_byte(out, '!', err)) return -1;
        end += below;
        text = bytes_of(text.p + end, text.n - end);
    }
    return text.n ? buf_put(out, text.p, text.n, err) : 0;
}

void path_names_in_error(const struct path_names *names, struct err *err) {
    struct buf text = {0};
    struct err none = {0};
    if (!path_names_put(names, bytes_str(err->text), &text, &none))
        snprintf(err->text, sizeof err->text, "%.*s", (int)text.n, (const char *)text.p);
    buf_free(&text);
}

void path_names_free(struct path_names *names) {
    for (size_t i = 0; i < names->n; i++) {
        free(names->names[i].dir);
        free(names->names[i].name);
    }
    free(names->names);
    *names = (struct path_names){0};
}
