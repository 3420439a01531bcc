/* obkv-split: brings a dataset into another partitioning. */
#include "cmd/common/frame.h"
#include "cmd/split/split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The table is that of --ddl, or of the datasets with another partitioning. */
static int take_table(struct session *s, int i, const struct table *t, struct err *err) {
    if (i == 0) return session_table(s, t, err);
    return s->o.ddl ? 0 : session_add_families(s, t, err);
}

/* What one dataset has been through stays true of its cells; several together are another matter. */
static int list_inputs(struct session *s, struct input_list *l, char **rules, struct kept_rules **kept, struct err *err) {
    for (int i = 0; i < s->o.n_inputs; i++) {
        int is = dataset_is(s->o.inputs[i], err);
        if (is < 0) return -1;
        if (!is && access(s->o.inputs[i], F_OK)) return err_sys(err, ERR_INPUT, errno, "%s", s->o.inputs[i]);
        if (!is)
            return err_set(err, ERR_USAGE, "%s is not a dataset: obkv-import makes one of it, in any partitioning",
                           s->o.inputs[i]);
        struct manifest m;
        if (dataset_open(s->o.inputs[i], &m, err)) return -1;
        int rc = input_list_add_dataset(l, s->o.inputs[i], &m, err);
        if (!rc) rc = take_table(s, i, &m.table, err);
        if (!rc && s->o.n_inputs == 1 && m.rules && !(*rules = strdup(m.rules))) rc = err_nomem(err, 0, "rules");
        if (!rc && s->o.n_inputs == 1) rc = kept_rules_read(s->o.inputs[i], &m, &s->table, kept, err);
        manifest_free(&m);
        if (rc) return -1;
    }
    return 0;
}

static int apply(struct session *s, int *code, struct err *err) {
    struct input_list in = {0};
    struct frame_write w = {.command = "split apply", .did = "re-partitioned", .tie = TIE_BY_SEQUENCE};
    if (!s->o.ddl && !s->o.partition)
        return err_set(err, ERR_USAGE, "into which partitioning? give --ddl FILE.sql, or --partition none | key:N | range:FILE");
    char *rules = NULL;
    struct kept_rules *kept = NULL;
    int rc = list_inputs(s, &in, &rules, &kept, err);
    w.rules = rules;
    w.kept = kept;
    if (!rc) rc = frame_write(s, &in, &w, code, err);
    free(rules);
    free(kept);
    input_list_free(&in);
    return rc;
}

static int run(struct session *s, int *code, struct err *err) {
    return s->o.command->run(s, code, err);
}

static const struct tool_command commands[] = {
    {"plan", SPLIT_PLAN, "INPUT...", "what partitionings would make of the rows; which to take, and its DDL", split_plan, false,
     true},
    {"simulate", SPLIT_SIMULATE, "INPUT...",
     "the same writes into HBase's regions and OceanBase's partitions, in the order they arrive", split_simulate, false, true},
    {"apply", SPLIT_APPLY, "DATASET...", "the same cells in the partitioning of --ddl or --partition", apply, false, false},
    {NULL, 0, NULL, NULL, NULL, false, false}};

static const struct tool_about about = {
    TOOL_SPLIT, "obkv-split", "COMMAND [options] INPUT...",
    "Plans partitions, and routes every cell into the one where OceanBase itself would put it."
    "\n\n"
    "examples:\n"
    "  obkv-split plan --columns HBASE_ROW_KEY,info:name --expect 2T -o PLAN users.csv\n"
    "  obkv-split apply --partition key:97 -o OUT DATASET",
    commands};

int main(int argc, char **argv) {
    return frame_main(&about, argc, argv, run);
}
