/* What obkv-import does beside writing one dataset: many tables, or only a list of what there is. */
#ifndef CMD_IMPORT_IMPORT_H
#define CMD_IMPORT_IMPORT_H

#include "formats/hbase/backup.h"
#include "cmd/common/session.h"
#include "formats/hbase/store_files.h"

struct import_finished;
/* The program's own options. */
struct import_options {
    const char *tables;
    const char *shard; /* I/N */
    uint64_t shards;   /* as many, one after the other; 0 = not asked for */
    bool list;
    uint64_t preview;                 /* records to show; 0 = not asked for */
    struct import_finished *finished; /* no option: the first shard of --shards lists its inputs here; NULL: none does */
};
static inline const struct import_options *import_options(const struct options *o) {
    return o->own;
}

/* Imports the inputs of s into one dataset. */
typedef int import_one_fn(struct session *s, int *code, struct err *err);
/* --tables PATTERN: every table of the roots that fits, each into its own directory below OUT; one after the other. The code is
 * the highest of all; an error ends the whole. */
int import_tables(struct session *s, import_one_fn *import_one, int *code, struct err *err);
/* Is e a table (not a snapshot) whose name fits? also false when memory is short: see err. */
bool import_table_fits(const char *pattern, const struct tree_catalog_entry *e, struct err *err);
/* --shard I/N: `in`, which has all inputs, keeps those of the shard, which s then writes. */
int import_shard_begin(struct session *s, struct input_list *in, struct manifest_shard *shard, struct err *err);
/* --shard I/N --list: the files, or parts of files, that this shard reads. `in` has only those. */
int import_shard_list(struct session *s, const struct input_list *in, struct err *err);
/* --shards N: each in a directory of its own beside OUT, then all joined. What is finished is kept for the next start. */
int import_shards(struct session *s, import_one_fn *import_one, int *code, struct err *err);

/* Which shards are finished (import_finished.c). first_dir: the first one, borrowed. */
struct import_finished {
    const char *first_dir;
    struct manifest first;
    struct manifest_input *inputs; /* all, as they were when the first shard listed them */
    size_t n_inputs;
    uint64_t bytes; /* of memory */
    bool listed;
};
/* l has the inputs of the first shard in front, cut from a list in which they begin at `first`. */
int import_finished_list(struct import_finished *f, const struct input_list *l, uint32_t first, struct err *err);
/* *is: dir holds the shard of this number, of the same run and inputs as they were listed; *code is at least that of its run.
 * Otherwise nothing is said of it. When the first shard is finished. */
int import_finished_is(struct import_finished *f, const char *dir, uint32_t number, bool *is, int *code, struct err *err);
/* The same of a share of the shards that are joined, whose files are read: they must be what was written. */
struct join_opts;
int import_finished_share(struct import_finished *f, const char *dir, const struct join_opts *share, const struct stop *stop,
                          bool *is, struct err *err);
void import_finished_free(struct import_finished *f);

/* What part of a run with --shards, from 0 to 1, the shards are expected to take; the rest is for the join. */
double import_part_of_shards(const struct session *s);

/* All shards into the output of s, by way of shares in `parent` if that takes long enough (import_join.c). */
#define IMPORT_SHARE "share-"
int import_join(struct session *s, struct import_finished *f, const char *parent, char *const *dirs, uint64_t n, int *code,
                struct err *err);

/* --preview N: prints what the first N records become. */
int import_preview(struct session *s, const struct input_list *in, struct err *err);
/* --list. */
int import_list(struct session *s, struct err *err);
/* Lists the images of HBase's backups in root: import_list_backups.c. entries NULL: as text. */
int import_list_image(const char *root, const struct backup_image *b, json_t *entries, struct err *err);
/* Of a snapshot or table: import_list_stores.c. entries NULL: as text, below a line of heads where it is the first. packed: it
 * lies in an archive, whose store files are not opened. */
struct input_store;
int import_list_store(const struct input_store *in, bool packed, bool first, json_t *entries, struct err *err);
/* Of a write-ahead log: import_list_logs.c. entries NULL: as text. *torn: why it was not read to its end, which is no failure. 1;
 * 0: the input is no log; -1. */
int import_list_log(struct session *s, const struct input *what, json_t *entries, struct err *torn, struct err *err);

#endif
