/* Makes the settings by which cell files are written: --codec, --encoding, --set and their like, and the example
 * that --like names. */
#ifndef CMD_COMMON_WRITE_OPTIONS_H
#define CMD_COMMON_WRITE_OPTIONS_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "cmd/common/options.h"
#include "hfile/hfile.h"

#include <jansson.h>

struct like_family {
    char name[128];                          /* "": every family (the example is a single file) */
    char codec[16], encoding[16], bloom[40]; /* as --codec, --encoding, --set BLOOMFILTER take them; "": not known */
    uint64_t block_bytes;                    /* 0 = not known */
    bool tags_compressed;
};

struct like {
    struct like_family *families;
    size_t n;
};

/* path: an HFile, or a snapshot, table or root directory (o->snapshot names one of its snapshots). */
int like_read(const char *path, const struct input_opts *o, struct like *out, struct err *err);
/* Returns the example's family; NULL: it does not have this one. */
const struct like_family *like_of(const struct like *l, const char *family);
/* Returns the example as JSON, for the settings of a run. */
json_t *like_json(const struct like *l);
void like_free(struct like *l);

/* Defaults, unless an option or an example says otherwise; that FAST_DIFF is among them was measured: docs/performance.md. */
#define WRITE_CODEC "snappy"
#define WRITE_ENCODING "fast_diff"
#define WRITE_BLOOM "row"
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
