/* What temporary paths are called in messages and reports: an archive's members are unpacked into a directory that the reader of
 * a message never named, and that has another name in every run. */
#ifndef BASE_PATH_NAMES_H
#define BASE_PATH_NAMES_H

#include "base/buf.h"

/* Zero-initialise. */
struct path_names {
    struct path_name {
        char *dir, *name;
    } * names;
    size_t n;
};

/* DIR/x is called NAME!x from now on, and DIR itself NAME. */
int path_names_add(struct path_names *names, const char *dir, const char *name, struct err *err);
/* Appends the text, with these names for all paths in it. */
int path_names_put(const struct path_names *names, struct bytes text, struct buf *out, struct err *err);
/* The same in the text of an error; what does not fit is cut off. */
void path_names_in_error(const struct path_names *names, struct err *err);
void path_names_free(struct path_names *names);

#endif
