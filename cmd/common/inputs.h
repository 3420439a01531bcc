/* What a tool is to read, from the paths it was given: files, folders of files, datasets, and what HBase left on disk. */
#ifndef INPUTS_H
#define INPUTS_H

#include "cmd/common/input_opts.h"
#include "dataset/manifest.h"
#include "engine/load_input.h"
#include "formats/hbase/survey.h"

/* A snapshot, table, region or family directory: one input of many files. */
struct input_store {
    struct store_files files;
    struct survey survey;
    struct mob_resolver *mob;         /* NULL: no family keeps values in mob files */
    struct bytes start_row, stop_row; /* borrowed; where not empty, only these rows are seen */
    struct load_files as_input;
    struct archive_tree *tree; /* it lies in an archive; NULL: on disk */
};

struct input_list {
    struct load_input *inputs;
    uint32_t n, groups;
    struct input_store **stores;
    struct store_input *store_inputs; /* as the engine wants them */
    uint32_t n_stores;
};

struct archive_tree;

int input_list_add_dataset(struct input_list *l, const char *dir, const struct manifest *m, struct err *err);
/* Whatever path is. Text of warnings (one a line) is added to `warnings`. */
int input_list_add_any(struct input_list *l, const char *path, const struct input_opts *o, struct buf *warnings, struct err *err);
/* Before the inputs are read, and only then: unpacks store files that lie in archives, into the job's temp_dir, and looks
 * into all. Text of warnings is added to `warnings`. */
int input_list_survey(struct input_list *l, const struct job *job, struct buf *warnings, struct err *err);
/* What HBase left at path, without a look into the store files. *out is to be freed whatever is returned. */
int input_read_store(const char *path, const struct input_opts *o, struct store_files *out, struct err *err);
/* The table that the stores among the inputs are of, all families with HBase's rules: 1 made (free it), 0 there are none, -1
 * error. */
int input_list_table(const struct input_list *l, struct table *out, struct err *err);
/* Files that are among the inputs twice, whatever their paths: text of warnings. */
int input_list_warn_twice(const struct input_list *l, struct buf *warnings, struct err *err);
void input_list_free(struct input_list *l);
/* The input's path as manifests name it: from the root where there is such a file, "-" as it is. */
char *input_full_path(const struct load_input *in, struct err *err);

#endif
