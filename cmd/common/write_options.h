/* How cell files are written: the options --codec, --encoding, --bloom, --block-size and their like, and --like where they are
 * not given. */
#ifndef WRITE_OPTIONS_H
#define WRITE_OPTIONS_H

#include "cmd/common/like.h"
#include "cmd/common/options.h"
#include "hfile/hfile_writer.h"

enum { WRITE_BLOCK_BYTES = 65536 };

struct write_env {
    const struct options *o;
    const struct like *like;
    const struct table *table;
    int64_t now_ms;
    const char *tool;
};

/* family: whose example counts; "": that of a single file, NULL: none. ERR_USAGE names option and value. */
int write_options_make(const struct write_env *env, const char *family, struct hfile_write_opts *out, struct err *err);

#endif
