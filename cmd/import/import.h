/* Declares what obkv-import does beside writing one dataset: many tables, or only a list of what there is. */
#ifndef CMD_IMPORT_IMPORT_H
#define CMD_IMPORT_IMPORT_H

#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/common/target.h"
#include "formats/hbase/backup_manifest.h"

#include <string.h>

struct import_finished;
/* The program's own options. */
struct import_options {
    const char *shards; /* N: as many, one after the other; I/N: one of them */
    bool list;
    uint64_t preview;                 /* records to show; 0 = not asked for */
    bool is_for_join;                 /* no option: the shard is for --shards, whose join removes it */
    struct import_finished *finished; /* no option: the first shard of --shards lists its inputs here; NULL: none does */
};
static inline const struct import_options *import_options(const struct options *o) {
    return o->own;
}

enum { IMPORT_SHARDS_MAX = 10000 }; /* of --shards N */

/* I/N of --shards; NULL: it asks for none. */
static inline const char *import_shard_asked(const struct options *o) {
    const char *shards = import_options(o)->shards;
    return shards && strchr(shards, '/') ? shards : NULL;
}

/* Imports the inputs into one dataset. */
typedef int import_one_fn(struct environment *env, struct intake *intake, int *code, struct err *err);

/* Finds out which shards are finished (import_finished.c). first_dir: the first one, borrowed. */
struct import_finished {
    const char *first_dir;
    struct manifest first;
    struct manifest_input *inputs; /* all, as they were when the first shard listed them */
    size_t n_inputs;
    uint64_t bytes; /* of memory */
    bool listed;
};

/* All shards into the output of s, by way of shares in `parent` if that takes long enough (import_join.c). */
#define IMPORT_SHARE "share-"

/* --preview N: prints what the first N records become. */
int import_preview(struct environment *env, struct intake *intake, struct target *target, const struct input_list *in,
                   struct err *err);
/* --list. */
int import_list(struct environment *env, struct err *err);
/* Lists the images of HBase's backups in root: import_list_backups.c. entries NULL: as text. */
int import_list_image(const char *root, const struct backup_image *b, json_t *entries, struct err *err);
int import_list_store(const struct input_store *in, bool packed, bool first, json_t *entries, struct err *err);
/* Lists a write-ahead log: import_list_logs.c. entries NULL: as text. *torn: why it was not read to its end, which is no failure.
 * 1; 0: the input is no log; -1. */
int import_list_log(struct environment *env, const struct input *what, json_t *entries, struct err *torn, struct err *err);

#endif
