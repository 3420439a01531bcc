/* obkv-compact: merges datasets, HFiles and other inputs per partition and applies the version rules. Here are its options; the
 * run is in compact_run.c. */
#include "cmd/common/program.h"
#include "cmd/compact/base_policy.h"

#include "gen/commit.h"

#define AT(f) offsetof(struct compact_options, f)
static const struct opt_row base_rows[] = {
    {"base", 0, OPT_TEXT, AT(base), 0, "DATASET",
     "oldest input, already compacted: reuse its files that have no new cells and nothing to drop (link, reflink or copy)",
     SETTING_THROUGH},
    {"policy", 0, OPT_TEXT, AT(policy), 0, "NAME",
     "with --base: merge all partitions (all, default), or only those that HBase's exploring selection would merge, and "
     "the others later (ratio)",
     SETTING_THROUGH},
    {"verify-base", 0, OPT_FLAG, AT(verify_base), 0, NULL, "read the reused files: checksum, cells, digest", SAME_BYTES},
    {"partitions", 0, OPT_TEXT, AT(share), 0, "J/M",
     "write the J-th of M shares of the partitions; obkv-split join makes one dataset of all M", SETTING_THROUGH},
    {"explain", 0, OPT_FLAG, AT(explain), 0, NULL, "print for each partition why files of the base are rewritten or reused",
     SAME_BYTES},
};
#undef AT
static const struct opt_group base_group = OPT_GROUP("reuse", base_rows, OPT_OWN);

static const struct opt_group *const groups[] = {&opt_input,
                                                 &opt_backup,
                                                 &opt_names,
                                                 &opt_archive_limits,
                                                 &opt_staged,
                                                 &opt_ddl,
                                                 &opt_partition,
                                                 &opt_setting,
                                                 &opt_rules,
                                                 &opt_set_rules,
                                                 &opt_set_deletes,
                                                 &opt_set_compaction,
                                                 &opt_set_files,
                                                 &opt_set_size,
                                                 &opt_compaction,
                                                 &opt_rank,
                                                 &opt_delta,
                                                 &base_group,
                                                 &opt_cell_files,
                                                 &opt_keep_seq,
                                                 &opt_output,
                                                 &opt_dry_run,
                                                 &opt_sign,
                                                 &opt_verify_key,
                                                 &opt_rejects,
                                                 &opt_damage,
                                                 &opt_remote,
                                                 &opt_resources,
                                                 &opt_spill,
                                                 &opt_json,
                                                 &opt_log,
                                                 &opt_messages,
                                                 NULL};

static const struct compact_options defaults = {0};

static const char *const first[] = {"output",  "base",      "ddl",    "versions", "ttl", "delta",
                                    "explain", "overwrite", "memory", "dry-run",  NULL};

static const struct tool_about about = {
    .name = "obkv-compact",
    .usage = "[options] -o DIR INPUT...",
    .summary = "Merges inputs, given oldest first, and keeps what HBase's major compaction would keep.\n\n"
               "examples:\n"
               "  obkv-compact -o MERGED MONDAY TUESDAY\n"
               "  obkv-compact --base MERGED -o TODAY WEDNESDAY",
    .groups = groups,
    .own = &defaults,
    .own_bytes = sizeof defaults,
    .first = first,
    .commit = OBKV_COMMIT,
    .when_stopped = "nothing of this run is kept: the same command begins again",
};

int main(int argc, char **argv) {
    return program_main(&about, argc, argv, compact_run);
}
