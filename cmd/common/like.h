/* --like: how the cell files of an example are written, family by family, in the words of the options. */
#ifndef LIKE_H
#define LIKE_H

#include "base/err.h"
#include "cmd/common/inputs.h"

#include <jansson.h>

struct like_family {
    char name[128];                          /* "": every family (the example is a single file) */
    char codec[16], encoding[16], bloom[40]; /* as --codec, --encoding, --bloom take them; "": not known */
    uint64_t block_bytes;                    /* 0 = not known */
    bool tags_compressed;
};

struct like {
    struct like_family *families;
    size_t n;
};

/* path: an HFile, or a snapshot, table or root directory (o->snapshot names one of its snapshots). */
int like_read(const char *path, const struct input_opts *o, struct like *out, struct err *err);
/* NULL: the example tells nothing of this family. */
const struct like_family *like_of(const struct like *l, const char *family);
/* For the settings of a run. */
json_t *like_json(const struct like *l);
void like_free(struct like *l);

#endif
