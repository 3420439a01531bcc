/* obkv-verify: checks, compares and shows datasets and HFiles; writes nothing but its findings. A table of commands, each with
 * its options and a room of its own. */
#include "cmd/common/hfile_operand.h"
#include "cmd/common/program.h"
#include "base/fs.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/verify/verify.h"

#include "dataset/dataset_open.h"
#include "gen/commit.h"

#include <string.h>
#include <sys/stat.h>

#define AT(f) offsetof(struct verify_options, f)
static const struct opt_row limit_rows[] = {
    {"limit", 0, OPT_COUNT, AT(limit), 0, "N",
     "maximum number of lines to print (default 100; in a table 10); dump: of cells (default: all)", SAME_BYTES},
};
static const struct opt_row values_rows[] = {
    {"values", 0, OPT_TEXT, AT(values), 0, "FORM", "how to show values that differ: text (default), hex, masked (length only)",
     SAME_BYTES},
};
static const struct opt_row quick_rows[] = {
    {"quick", 0, OPT_FLAG, AT(quick), 0, NULL, "read manifest, trailers and indexes only", SAME_BYTES},
};
static const struct opt_row compare_rows[] = {
    {"ignore-timestamps", 0, OPT_FLAG, AT(ignore_timestamps), 0, NULL, "ignore timestamps in the comparison", SAME_BYTES},
};
static const struct opt_row diff_rows[] = {
    {"ignore-deleted", 0, OPT_FLAG, AT(diff.ignore_deleted), 0, NULL, "skip delete markers and the cells they hide", SAME_BYTES},
    {"compacted", 0, OPT_FLAG, AT(diff.compacted), 0, NULL,
     "compare with what a major compaction keeps of A (--versions, --ttl …; default: the rules of A, or of B)", SAME_BYTES},
    {"trust-manifest", 0, OPT_FLAG, AT(diff.trust_manifest), 0, NULL,
     "treat datasets with equal digests in their manifests as equal, without reading them", SAME_BYTES},
    {"a", 0, OPT_LIST, AT(diff.side[0]), 16, "OPTION",
     "NAME=VALUE or NAME for side A alone: format, snapshot, columns, map, header, dialect, delimiter, quote, null, "
     "skip-empty, timestamp",
     SAME_BYTES},
    {"b", 0, OPT_LIST, AT(diff.side[1]), 16, "OPTION", "the same for side B", SAME_BYTES},
};
static const struct opt_row dump_rows[] = {
    {"raw", 0, OPT_FLAG, AT(dump.raw), 0, NULL, "print file and block of the cells that follow", SAME_BYTES},
    {"plain", 0, OPT_FLAG, AT(dump.plain), 0, NULL, "print row, column, timestamp, type and value as text, not in hex",
     SAME_BYTES},
};
static const struct opt_row info_rows[] = {
    {"blocks", 0, OPT_FLAG, AT(info.blocks), 0, NULL, "size of the blocks of each type; codecs and encodings found", SAME_BYTES},
    {"stats", 0, OPT_FLAG, AT(info.stats), 0, NULL, "--blocks, and lengths of keys and values, sizes of rows (reads all cells)",
     SAME_BYTES},
    {"index", 0, OPT_FLAG, AT(info.index), 0, NULL, "the entries of the data block index", SAME_BYTES},
    {"headers", 0, OPT_FLAG, AT(info.headers), 0, NULL, "the headers of all blocks", SAME_BYTES},
    {"codecs", 0, OPT_FLAG, AT(info.codecs), 0, NULL,
     "write a sample of an HFile with each codec, encoding and block size: sizes, speeds, and which to choose", SAME_BYTES},
};
static const struct opt_row top_rows[] = {
    {"top", 0, OPT_COUNT, AT(top), 0, "N", "heaviest rows and key prefixes listed (default 10, at most 1000)", SAME_BYTES},
};
static const struct opt_row fail_above_rows[] = {
    {"fail-above", 0, OPT_TEXT, AT(fail_above), 0, "LIMITS",
     "exit with 1 when a figure is above its limit: [MEASURE:]FIGURE=LIMIT,... such as rows:max/mean=1.5,gini=0.2", SAME_BYTES},
};
static const struct opt_row check_rows[] = {
    {"skip-reused", 0, OPT_FLAG, AT(skip_reused), 0, NULL,
     "of files that the dataset reused from its base, read trailers and indexes only: they were checked when they were written",
     SAME_BYTES},
    {"skip-mob", 0, OPT_FLAG, AT(skip_mob), 0, NULL,
     "of an HBase directory: do not read the values that are in mob files, so that missing ones go unnoticed", SAME_BYTES},
    {"fail-on", 0, OPT_TEXT, AT(fail_on), 0, "SEVERITY",
     "exit with 1 for findings of this kind or worse: warnings | cosmetic (default: any finding) | figures | misplaced | lost",
     SAME_BYTES},
};
static const struct opt_row delta_rows[] = {
    {"delta", 0, OPT_FLAG, AT(delta), 0, NULL,
     "check that the rows of a delta exist and those hidden by its markers do not; ignore other rows (default if its "
     "manifest says delta)",
     SAME_BYTES},
};
static const struct opt_row strong_rows[] = {
    {"strong", 0, OPT_FLAG, AT(strong), 0, NULL, "also compare MD5 sums with the target's", SAME_BYTES},
};
static const struct opt_row partitions_rows[] = {
    {"partitions", 0, OPT_LIST, AT(partitions), 0, "LIST",
     "only these partitions of a dataset or export, by name, number or share (3/7)", SAME_BYTES},
};
#undef AT
static const struct opt_group limit_group = OPT_GROUP("report", limit_rows, OPT_OWN);
static const struct opt_group values_group = OPT_GROUP("report", values_rows, OPT_OWN);
static const struct opt_group quick_group = OPT_GROUP("check", quick_rows, OPT_OWN);
static const struct opt_group compare_group = OPT_GROUP("comparison", compare_rows, OPT_OWN);
static const struct opt_group diff_group = OPT_GROUP("comparison", diff_rows, OPT_OWN);
static const struct opt_group dump_group = OPT_GROUP("dump", dump_rows, OPT_OWN);
static const struct opt_group info_group = OPT_GROUP("report", info_rows, OPT_OWN);
static const struct opt_group top_group = OPT_GROUP("report", top_rows, OPT_OWN);
static const struct opt_group fail_above_group = OPT_GROUP("report", fail_above_rows, OPT_OWN);
static const struct opt_group check_group = OPT_GROUP("check", check_rows, OPT_OWN);
static const struct opt_group delta_group = OPT_GROUP("comparison", delta_rows, OPT_OWN);
static const struct opt_group strong_group = OPT_GROUP("comparison", strong_rows, OPT_OWN);

static const struct opt_group partitions_group = OPT_GROUP("check", partitions_rows, OPT_OWN);

static const struct opt_group *const account_groups[] = {&opt_resources, &opt_json, &opt_log, &opt_messages, NULL};
static const struct opt_group *const check_groups[] = {
    &opt_snapshot,   &opt_backup,   &quick_group, &check_group,   &partitions_group,
    &opt_verify_key, &limit_group,  &opt_remote,  &opt_resources, &opt_json,
    &opt_log,        &opt_messages, NULL};
static const struct opt_group *const diff_groups[] = {
    &opt_input,    &opt_backup, &opt_text,      &opt_names,       &opt_archive_limits, &opt_key,    &opt_selection,  &opt_ddl,
    &opt_setting,  &opt_rules,  &opt_set_rules, &opt_set_deletes, &compare_group,      &diff_group, &opt_verify_key, &limit_group,
    &values_group, &opt_remote, &opt_resources, &opt_spill,       &opt_json,           &opt_log,    &opt_messages,   NULL};
static const struct opt_group *const dump_groups[] = {
    &opt_input,  &opt_backup,  &opt_text,   &opt_names,     &opt_archive_limits, &opt_key, &opt_selection, &opt_ddl,
    &dump_group, &limit_group, &opt_remote, &opt_resources, &opt_spill,          &opt_log, &opt_messages,  NULL};
static const struct opt_group *const hashtable_groups[] = {
    &opt_input,     &opt_backup, &opt_text,      &opt_names,       &opt_archive_limits, &opt_key,     &opt_ddl,
    &opt_setting,   &opt_rules,  &opt_set_rules, &opt_set_deletes, &compare_group,      &limit_group, &opt_remote,
    &opt_resources, &opt_spill,  &opt_json,      &opt_log,         &opt_messages,       NULL};
static const struct opt_group *const info_groups[] = {&info_group,   &opt_remote, &opt_resources, &opt_json, &opt_log,
                                                      &opt_messages, NULL};
static const struct opt_group *const page_groups[] = {&opt_resources, &opt_html, &opt_log, &opt_messages, NULL};
static const struct opt_group *const skew_groups[] = {&opt_input,
                                                      &opt_backup,
                                                      &opt_text,
                                                      &opt_names,
                                                      &opt_archive_limits,
                                                      &opt_key,
                                                      &opt_selection,
                                                      &opt_ddl,
                                                      &opt_partition,
                                                      &quick_group,
                                                      &opt_nodes,
                                                      &opt_max_partition,
                                                      &fail_above_group,
                                                      &top_group,
                                                      &opt_remote,
                                                      &opt_resources,
                                                      &opt_spill,
                                                      &opt_json,
                                                      &opt_log,
                                                      &opt_messages,
                                                      NULL};
static const struct opt_group *const target_groups[] = {
    &opt_ddl,    &opt_target,    &strong_group, &delta_group, &partitions_group, &opt_verify_key, &limit_group, &values_group,
    &opt_remote, &opt_resources, &opt_spill,    &opt_json,    &opt_log,          &opt_messages,   NULL};

static const struct verify_options defaults = {.top = 10};

static const char *const info_first[] = {"blocks", "stats", "codecs", "index", "headers", "json", "memory", "threads", NULL};
static const char *const check_first[] = {"quick", "skip-reused", "fail-on", "snapshot", "limit",  "verify-key",
                                          "json",  "memory",      "threads", "metrics",  "strict", NULL};
static const char *const diff_first[] = {
    "ddl", "columns", "header", "snapshot", "rows", "compacted", "ignore-timestamps", "ignore-deleted", "limit", "json", NULL};
static const char *const dump_first[] = {"rows", "families", "snapshot", "plain", "limit", "columns", "format", "ddl", NULL};
static const char *const hashtable_first[] = {"snapshot", "ddl",  "versions", "ttl", "ignore-timestamps", "limit", "memory",
                                              "temp-dir", "json", "verbose",  NULL};
static const char *const skew_first[] = {"ddl",           "partition",  "columns", "header", "quick", "nodes",
                                         "max-partition", "fail-above", "html",    "json",   NULL};
static const char *const target_first[] = {"target", "user", "password-file", "delta", "strong", "ddl",
                                           "limit",  "jobs", "tls",           "json",  NULL};

static const struct tool_command commands[] = {
    {.name = "account",
     .inputs = "MANIFEST...",
     .summary = "check that the manifests or datasets of several runs add up, from the sources to the last dataset",
     .groups = account_groups,
     .run = verify_account},
    {.name = "check",
     .inputs = "DATASET|HFILE...",
     .summary = "check every block, order, placement, bloom, digest and ledger, also of HBase directories; --quick: "
                "metadata only",
     .groups = check_groups,
     .first = check_first,
     .run = verify_check},
    {.name = "diff",
     .inputs = "A... B",
     .summary = "compare two sides of any format, cell by cell; exit with 1 when they differ",
     .groups = diff_groups,
     .first = diff_first,
     .run = verify_diff},
    {.name = "dump",
     .inputs = "INPUT...",
     .summary = "print the cells as text, one per line",
     .groups = dump_groups,
     .first = dump_first,
     .run = verify_dump},
    {.name = "hashtable",
     .inputs = "DIR INPUT...",
     .summary = "compare inputs with the hashes of HBase's HashTable job in DIR; exit with 1 when ranges differ",
     .groups = hashtable_groups,
     .first = hashtable_first,
     .run = verify_hashtable},
    {.name = "info",
     .inputs = "DATASET|HFILE...",
     .summary = "show the manifest, or trailer, file info and blooms; blocks, index and lengths on request",
     .groups = info_groups,
     .first = info_first,
     .run = verify_info,
     .datasets = true},
    {.name = "page",
     .inputs = "RESULT...",
     .summary = "make one page of the results that other commands printed with --json",
     .groups = page_groups,
     .run = verify_page},
    {.name = "skew",
     .inputs = "DATASET|INPUT...",
     .summary = "show how rows, cells and bytes are spread over the partitions, and the heaviest rows and key prefixes",
     .groups = skew_groups,
     .first = skew_first,
     .run = verify_skew},
    {.name = "target",
     .inputs = "EXPORT|DATASET",
     .summary = "compare a database (--target) with an export or dataset by partitions, down to the rows that differ",
     .groups = target_groups,
     .first = target_first,
     .run = verify_target},
    {0}};

static const struct tool_about about = {
    .name = "obkv-verify",
    .usage = "COMMAND [options] INPUT...",
    .summary = "Checks, compares and shows datasets and HFiles.\n\n"
               "examples:\n"
               "  obkv-verify check OUT\n"
               "  obkv-verify diff --snapshot snap_a backup SNAP",
    .commands = commands,
    .own = &defaults,
    .own_bytes = sizeof defaults,
    .commit = OBKV_COMMIT,
    .client = connection_client,
};

/* Said here, because readers of HFiles would only say that it is no file. */
static int refuse_directories(const struct environment *env, struct err *err) {
    for (int i = 0; i < env->o.n_inputs; i++) {
        struct stat st;
        const int there = fs_look(env->o.inputs[i], &st, err);
        int is = there < 0 ? -1 : !there || !S_ISDIR(st.st_mode) ? 1 : dataset_is(env->o.inputs[i], err);
        if (is < 0) return -1;
        if (!is) return hfile_operand_refuse_directory(env, env->o.inputs[i], err);
    }
    return 0;
}

static int run(struct environment *env, struct intake *intake, int *code, struct err *err) {
    const struct tool_command *c = env->o.command;
    return c->datasets && refuse_directories(env, err) ? -1 : c->run(env, intake, code, err);
}

int main(int argc, char **argv) {
    return program_main(&about, argc, argv, run);
}
