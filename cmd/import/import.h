/* What obkv-import does beside writing one dataset: many tables, or only a list of what there is. */
#ifndef CMD_IMPORT_IMPORT_H
#define CMD_IMPORT_IMPORT_H

#include "cmd/common/session.h"
#include "formats/hbase/store_files.h"

/* The program's own options. */
struct import_options {
    const char *tables;
    const char *shard; /* I/N */
    uint64_t shards;   /* as many, one after the other; 0 = not asked for */
    bool list;
    uint64_t preview; /* records to show; 0 = not asked for */
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
/* --preview N: prints what the first N records become. */
int import_preview(struct session *s, const struct input_list *in, struct err *err);
/* --list. */
int import_list(struct session *s, struct err *err);
/* Of a snapshot or table: import_list_stores.c. entries NULL: as text, below a line of heads where it is the first. packed: it
 * lies in an archive, whose store files are not opened. */
struct input_store;
int import_list_store(const struct input_store *in, bool packed, bool first, json_t *entries, struct err *err);
/* Of a write-ahead log: import_list_logs.c. entries NULL: as text. *torn: why it was not read to its end, which is no failure. */
int import_list_log(struct session *s, const char *path, json_t *entries, struct err *torn, struct err *err);

#endif
