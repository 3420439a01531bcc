/* The list of the inputs of a run. */
#ifndef CMD_COMMON_INPUT_LIST_H
#define CMD_COMMON_INPUT_LIST_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cmd/common/inputs.h"
#include "dataset/manifest.h"
#include "engine/input.h"
#include "engine/job.h"
#include "formats/hbase/metadata.h"
#include "formats/hbase/read_tree.h"
#include "table/table.h"

struct archive_tree;

int input_list_add_dataset(struct input_list *l, const char *dir, const struct manifest *m, struct err *err);
int input_store_keep(struct input_list *l, const struct input *in, const struct store_part *part, struct err *err);
/* Returns between which rows file i of the store is read, because a shard begins or ends there; p == NULL: open. */
void input_store_rows(const struct input_store *s, size_t i, struct bytes *from, struct bytes *to);
/* Unpacks, before the inputs are read, and only then, store files that are in archives, into the job's temp_dir, and looks into
 * all. Text of warnings is added to `warnings`. */
int input_list_survey(struct input_list *l, const struct job *job, struct buf *warnings, struct err *err);
/* The table that the stores among the inputs are of, all families with HBase's rules: 1 made (free it), 0 there are none, -1
 * error. */
int input_list_table(const struct input_list *l, struct table *out, struct err *err);
/* As input_list_table, of a file with a create statement of HBase's shell, which is left in *from (free both); 0: it has none. */
int input_shell_table(const char *path, struct table *out, struct hbase_table *from, struct err *err);
/* A single file, "-", or something that only its reader can refuse. */
int input_list_add_file(struct input_list *l, const char *path, const char *format, struct err *err);
/* An input of which all is known already; the path is copied, the rest borrowed. */
int input_list_add_known(struct input_list *l, const struct input *in, struct err *err);
/* files: read already, from path. Owns files and tree (NULL: on disk) from now on. */
int input_list_add_store(struct input_list *l, const char *path, struct store_files *files, struct archive_tree *tree,
                         const struct input_opts *o, struct buf *warnings, struct err *err);
/* Frees inputs when the manifest has what was read of them; their paths stay for input_watch_check. */
int input_list_forget(struct input_list *l, struct err *err);
void input_list_free(struct input_list *l);
/* The input's path as manifests name it: from the root where there is such a file, "-" as it is; of a copy, the original. */
char *input_full_path(const struct input_list *l, const struct input *in, struct err *err);

#endif
