/* A manifest as it was printed, an input or file a line: it is read so, since the tree of a long one takes ten times its text. */
#ifndef DATASET_MANIFEST_LINES_H
#define DATASET_MANIFEST_LINES_H

#include "base/bytes.h"

struct manifest_lines {
    struct bytes head;          /* all but lists and seal: an object without its last brace */
    struct bytes inputs, files; /* what stands between the brackets */
};

/* false: the text is not laid out so. It must end with a seal of seal_bytes. */
bool manifest_lines_cut(struct bytes text, size_t seal_bytes, struct manifest_lines *out);
size_t manifest_lines_count(struct bytes list);
/* The next entry, which list then begins behind; false: there is none. */
bool manifest_lines_next(struct bytes *list, struct bytes *entry);

#endif
