/* obkv-split: plans partitions, simulates writes, and brings datasets into another partitioning. The first two are rooms of
 * their own; apply is the engine with datasets as inputs. */
#include "cmd/common/input_list.h"
#include "cmd/common/input_shard.h"
#include "cmd/common/join.h"
#include "cmd/common/program.h"
#include "cmd/common/output.h"
#include "cmd/common/target.h"
#include "cmd/split/split.h"

#include "dataset/dataset_open.h"
#include "dataset/manifest_table.h"
#include "gen/commit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lists the files of all inputs. The rules that a single dataset has been through stay true of its cells; several together are
 * another matter. */
static int list_inputs(struct environment *env, struct intake *intake, struct target *target, struct input_list *l, char **rules,
                       struct past_rules **kept, struct err *err) {
    for (int i = 0; i < env->o.n_inputs; i++) {
        int is = dataset_is(env->o.inputs[i], err);
        if (is < 0) return -1;
        if (!is && access(env->o.inputs[i], F_OK)) return err_sys(err, ERR_INPUT, errno, "%s", env->o.inputs[i]);
        if (!is)
            return err_set(err, ERR_USAGE, "%s is not a dataset; convert it with obkv-import, into any partitioning",
                           env->o.inputs[i]);
        struct manifest m;
        if (environment_dataset_room(env, env->o.inputs[i], err) || dataset_open(env->o.inputs[i], &m, err)) return -1;
        target->holds = i ? dataset_kind_add(target->holds, m.kind) : m.kind;
        int rc = input_list_add_dataset(l, env->o.inputs[i], &m, err);
        if (!rc && i == 0)
            rc = target_make(env, intake, target, &m.table, err); /* --ddl, or the datasets with another partitioning */
        if (!rc && i > 0 && !env->o.table.ddl) rc = target_add_families(env, target, &m.table, err);
        if (!rc && env->o.n_inputs == 1 && m.rules && !(*rules = strdup(m.rules))) rc = err_nomem(err, 0, "rules");
        if (!rc && env->o.n_inputs == 1) rc = past_rules_read(env->o.inputs[i], &m, &target->table, kept, err);
        manifest_free(&m);
        if (rc) return -1;
    }
    return intake_warn_twice(env, err);
}

static int apply(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct target target = {0};
    struct output output = {.out.lock_fd = -1};
    struct input_list in = {0};
    struct program_write w = {.command = "split apply", .did = "re-partitioned", .tie = TIE_BY_SEQUENCE};
    if (!env->o.table.ddl && !env->o.table.partition)
        return err_set(err, ERR_USAGE, "no partitioning given; give --ddl FILE.sql, or --partition none | key:N | range:FILE");
    char *rules = NULL;
    struct past_rules *kept = NULL;
    if (intake_demand_signatures(env, env->o.inputs, env->o.n_inputs, err)) return -1;
    int rc = list_inputs(env, intake, &target, &in, &rules, &kept, err);
    w.rules = rules;
    w.kept = kept;
    if (!rc) rc = program_write(env, intake, &target, &output, &in, &w, code, err);
    free(rules);
    free(kept);
    input_list_free(&in);
    intake_end_rejects(intake);
    output_close(env, &output, err);
    target_close(env, &target);
    return rc;
}

static int join(struct environment *env, struct intake *intake, int *code, struct err *err) {
    const char *share = split_options(&env->o)->share;
    struct join_opts o = {.dirs = env->o.inputs, .n = (size_t)env->o.n_inputs, .staged = env->o.in.staged.n > 0};
    if (share && shard_number_parse("partitions", share, &o.share, &o.shares, err)) return -1;
    return join_run(env, intake, &o, code, err);
}

static int run(struct environment *env, struct intake *intake, int *code, struct err *err) {
    return env->o.command->run(env, intake, code, err);
}

/* ---- options ---- */

#define AT(f) offsetof(struct split_options, f)
static const struct opt_row generate_rows[] = {
    {"generate", 0, OPT_COUNT, AT(generate), 0, "N", "read no input: generate N rows with the keys of --key", SAME_BYTES},
    {"key", 0, OPT_TEXT, AT(key), 0, "EXPR",
     "expression for the row key: over counter, now and random (--generate), or over columns of a text (--columns), as in "
     "obkv-import",
     SAME_BYTES},
    {"seed", 0, OPT_COUNT, AT(seed), 0, "N", "with --generate: seed of the random numbers (default 1)", SAME_BYTES},
    {"interval", 0, OPT_COUNT, AT(interval), 0, "US",
     "with --generate, and simulate by rate: microseconds between rows (default 1000)", SAME_BYTES},
    {"cell-bytes", 0, OPT_SIZE, AT(cell_bytes), 0, "SIZE", "with --generate: value bytes of a row (default 100)", SAME_BYTES},
};
static const struct opt_row plan_rows[] = {
    {"counts", 0, OPT_TEXT, AT(plan.counts), 0, "LIST", "partition counts to try (default 23,59,97,193,389,997)", SAME_BYTES},
    {"try", 0, OPT_LIST, AT(plan.tries), 15, "EXPR",
     "also try this row key, an expression over key, ts and columns; may "
     "be repeated",
     SAME_BYTES},
    {"access", 0, OPT_TEXT, AT(plan.access), 0, "HOW",
     "how clients read: get (whole keys) | prefix:N (scans of N leading bytes) | range (other scans)", SAME_BYTES},
    {"expect", 0, OPT_TEXT, AT(plan.expect), 0, "SIZE,...",
     "storage that the table will occupy (default: one copy of the input); ,replicas=N: SIZE holds N copies; ,growth=30%: it "
     "grows so each year; ,years=N: of growth to plan for (default 3)",
     SAME_BYTES},
    {"sample", 0, OPT_SIZE, AT(plan.sample_bytes), 0, "SIZE", "bytes of input to sample; 0 = all (default: all of up to 1G)",
     SAME_BYTES},
    {"sample-by", 0, OPT_TEXT, AT(plan.sample_by), 0, "WAY",
     "blocks: read some blocks of the files | rows: read all, take rows by hash | auto (default): blocks where possible",
     SAME_BYTES},
    {"take", 0, OPT_TEXT, AT(plan.take), 0, "CHOICE",
     "with -o: the choice to write, by its rank or by name, such as key:97 (default 1)", SAME_BYTES},
    {"name", 0, OPT_TEXT, AT(plan.table_name), 0, "NAME", "with -o: name of the HBase table (default htable1)", SAME_BYTES},
};
static const struct opt_row simulate_rows[] = {
    {"splits", 0, OPT_TEXT, AT(simulate.splits), 0, "SPEC",
     "first regions: hex:N, decimal:N, uniform:N, prefixes:N, longs:N, keys:A,B, file:PATH, sampled:N, none", SAME_BYTES},
    {"try", 0, OPT_LIST, AT(simulate.tries), 15, "EXPR",
     "also simulate this row key, an expression as for --key, and compare the keys; may be repeated", SAME_BYTES},
    {"sample-rows", 0, OPT_COUNT, AT(simulate.sample_rows), 0, "N",
     "keys that sampled:N samples (default 1000000, but at most half)", SAME_BYTES},
    {"order", 0, OPT_TEXT, AT(simulate.order), 0, "ORDER",
     "order of arrival: time (by timestamp, default) | input (in the order of the inputs) | key", SAME_BYTES},
    {"clock", 0, OPT_TEXT, AT(simulate.clock), 0, "CLOCK",
     "timestamps (default where they order the inputs) | rate (by --interval or --rate)", SAME_BYTES},
    {"rate", 0, OPT_COUNT, AT(simulate.rate), 0, "N", "writes per second, instead of --interval", SAME_BYTES},
    {"mode", 0, OPT_TEXT, AT(simulate.mode), 0, "MODE",
     "simple (regions do not change) | emulate (they flush, compact, split, move; default with any of the options below)",
     SAME_BYTES},
    {"site", 0, OPT_TEXT, AT(simulate.site), 0, "FILE", "the cluster's hbase-site.xml", SAME_BYTES},
    {"set", 0, OPT_LIST, AT(simulate.settings), 0, "SETTING",
     "[FAMILY:]NAME=VALUE, an attribute of table or family, or any setting of HBase; may be repeated", SAME_BYTES},
    {"compression-ratio", 0, OPT_TEXT, AT(simulate.file_ratio), 0, "RATIO",
     "file bytes for each byte of KeyValues, such as 0.3 or 30% (default 1)", SAME_BYTES},
    {"servers", 0, OPT_COUNT, AT(simulate.servers), 0, "N", "number of HBase region servers (default: as --nodes)", SAME_BYTES},
};
static const struct opt_row join_rows[] = {
    {"partitions", 0, OPT_TEXT, AT(share), 0, "J/M",
     "of shards: write the J-th of M shares of the partitions; a join of all M is the dataset", SETTING_THROUGH},
};
#undef AT
static const struct opt_row result_rows[] = {
    {"output", 'o', OPT_TEXT, offsetof(struct output_options, dir), 0, "DIR", "directory for the results (new or empty)",
     SAME_BYTES},
    {"overwrite", 0, OPT_FLAG, offsetof(struct output_options, overwrite), 0, NULL,
     "replace earlier results in the "
     "output directory",
     SAME_BYTES},
};
static const struct opt_group generate_group = OPT_GROUP("generated input", generate_rows, OPT_OWN);
static const struct opt_group plan_group = OPT_GROUP("plan", plan_rows, OPT_OWN);
static const struct opt_group simulate_group = OPT_GROUP("simulation", simulate_rows, OPT_OWN);
static const struct opt_group join_group = OPT_GROUP("join", join_rows, OPT_OWN);
static const struct opt_group result_group = OPT_GROUP("output", result_rows, offsetof(struct options, out));

static const struct opt_group *const plan_groups[] = {
    &opt_input,     &opt_backup,     &opt_text,   &opt_names,    &opt_archive_limits,
    &opt_selection, &generate_group, &opt_ddl,    &opt_setting,  &opt_rules,
    &opt_set_rules, &opt_set_size,   &plan_group, &opt_nodes,    &opt_max_partition,
    &result_group,  &opt_dry_run,    &opt_damage, &opt_remote,   &opt_resources,
    &opt_spill,     &opt_json,       &opt_log,    &opt_messages, NULL};
static const struct opt_group *const simulate_groups[] = {&opt_input,          &opt_backup,     &opt_text,      &opt_names,
                                                          &opt_archive_limits, &generate_group, &opt_ddl,       &opt_partition,
                                                          &simulate_group,     &opt_nodes,      &result_group,  &opt_dry_run,
                                                          &opt_damage,         &opt_remote,     &opt_resources, &opt_spill,
                                                          &opt_json,           &opt_log,        &opt_messages,  NULL};
static const struct opt_group *const apply_groups[] = {
    &opt_ddl,        &opt_partition,  &opt_setting,  &opt_rules,  &opt_set_rules, &opt_set_files,
    &opt_set_size,   &opt_cell_files, &opt_keep_seq, &opt_output, &opt_dry_run,   &opt_sign,
    &opt_verify_key, &opt_rejects,    &opt_damage,   &opt_remote, &opt_resources, &opt_spill,
    &opt_json,       &opt_log,        &opt_messages, NULL};

static const struct opt_group *const join_groups[] = {&join_group, &opt_output,    &opt_staged, &opt_sign, &opt_verify_key,
                                                      &opt_remote, &opt_resources, &opt_json,   &opt_log,  &opt_messages,
                                                      NULL};

static const struct split_options defaults = {
    .seed = 1,
    .interval = 1000,
    .cell_bytes = 100,
    .plan = {.counts = "23,59,97,193,389,997", .sample_bytes = UINT64_MAX, .take = "1"},
};

static const char *const plan_first[] = {"access", "expect", "nodes", "ddl", "columns", "header", "take", "output", "html", NULL};
static const char *const simulate_first[] = {"splits", "partition", "ddl",  "columns", "order", "nodes",
                                             "site",   "set",       "html", "output",  NULL};
static const char *const apply_first[] = {"output",    "partition",   "ddl",    "versions", "ttl", "codec",
                                          "overwrite", "max-rejects", "memory", "dry-run",  NULL};
static const char *const join_first[] = {"output", "overwrite", "partitions", "threads",  "memory",
                                         "strict", "sign-key",  "verify-key", "progress", NULL};

static const struct tool_command commands[] = {
    {.name = "plan",
     .inputs = "INPUT...",
     .summary = "compare partitionings for the rows of the inputs, and recommend one, with its DDL",
     .groups = plan_groups,
     .first = plan_first,
     .run = split_plan,
     .may_have_no_input = true},
    {.name = "simulate",
     .inputs = "INPUT...",
     .summary = "replay the same writes into HBase's regions and OceanBase's partitions, in order of arrival",
     .groups = simulate_groups,
     .first = simulate_first,
     .run = split_simulate,
     .may_have_no_input = true},
    {.name = "apply",
     .inputs = "DATASET...",
     .summary = "rewrite datasets in the partitioning of --ddl or --partition",
     .groups = apply_groups,
     .first = apply_first,
     .run = apply},
    {.name = "join",
     .inputs = "SHARD...",
     .summary = "all shards of an import (obkv-import --shard) as the one dataset that a single run would have written",
     .groups = join_groups,
     .first = join_first,
     .run = join},
    {0}};

static const struct tool_about about = {
    .name = "obkv-split",
    .usage = "COMMAND [options] INPUT...",
    .summary = "Plans partitionings and repartitions datasets: every cell goes to the partition where OceanBase would "
               "put it.\n\n"
               "examples:\n"
               "  obkv-split plan --columns id=HBASE_ROW_KEY,name=info:name --expect 2T -o PLAN users.csv\n"
               "  obkv-split apply --partition key:97 -o OUT DATASET",
    .commands = commands,
    .own = &defaults,
    .own_bytes = sizeof defaults,
    .commit = OBKV_COMMIT,
};

int main(int argc, char **argv) {
    return program_main(&about, argc, argv, run);
}
