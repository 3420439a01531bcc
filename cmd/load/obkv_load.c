/* obkv-load: loads an export of obkv-export, or a dataset, into OceanBase, in few statements, and resumes after an interruption.
 * Here are its options; the load is in load_run.c. */
#include "cmd/common/program.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/load/load_run.h"

#include "gen/commit.h"

#define AT(f) offsetof(struct load_options, f)
static const struct opt_row load_rows[] = {
    {"create", 0, OPT_FLAG, AT(create), 0, NULL, "create missing tables and table groups", SAME_BYTES},
    {"on-duplicate", 0, OPT_TEXT, AT(on_duplicate), 0, "ACTION",
     "for a row that exists: error (default: as exported) | ignore: keep the existing row | replace", SAME_BYTES},
    {"partitions", 0, OPT_LIST, AT(partitions), 0, "LIST",
     "load these partitions only, by name, number or share (3/7); other runs load the rest", SAME_BYTES},
    {"via", 0, OPT_TEXT, AT(via), 0, "WAY",
     "server: the server reads the files | local: obkv-load sends them (default: whichever works)", SAME_BYTES},
    {"server-dir", 0, OPT_TEXT, AT(server_dir), 0, "DIR",
     "path of the export (of a dataset: of --temp-dir) on the server (default: the path on this machine)", SAME_BYTES},
    {"journal", 0, OPT_TEXT, AT(journal), 0, "FILE", "record of the loaded files (default: in DIR/_load)", SAME_BYTES},
    {"restart", 0, OPT_FLAG, AT(restart), 0, NULL, "discard the journal and load all files", SAME_BYTES},
};
static const struct opt_row definition_rows[] = {
    {"from-target", 0, OPT_TEXT, AT(from_target), 0, "TABLE",
     "print the CREATE TABLE statements of an HBase table, with exact bounds, for --ddl; load nothing", SAME_BYTES},
};
#undef AT
static const struct opt_group load_group = OPT_GROUP("load", load_rows, OPT_OWN);
static const struct opt_group definition_group = OPT_GROUP("definition", definition_rows, OPT_OWN);

static const struct opt_group *const groups[] = {&opt_target, &load_group,  &definition_group, &opt_verify_key,
                                                 &opt_remote, &opt_dry_run, &opt_resources,    &opt_spill,
                                                 &opt_json,   &opt_log,     &opt_messages,     NULL};

static const struct load_options defaults = {.via = "auto"};

static const char *const first[] = {"target",      "user", "password-file", "create", "on-duplicate", "jobs", "restart",
                                    "from-target", "tls",  "dry-run",       NULL};

static const struct tool_about about = {
    .name = "obkv-load",
    .usage = "[options] --target HOST:PORT/DATABASE EXPORT|DATASET",
    .summary = "Loads an export of obkv-export into OceanBase, or a dataset, of which it exports a batch at a time. After an "
               "interruption, run it again to resume.\n\n"
               "examples:\n"
               "  obkv-load --target 127.0.0.1:2881/test --user root@shop --password-file pw EXPORT\n"
               "  obkv-load --target 127.0.0.1:2881/test --from-target htable1 > table.sql",
    .groups = groups,
    .own = &defaults,
    .own_bytes = sizeof defaults,
    .first = first,
    .commit = OBKV_COMMIT,
    .client = connection_client,
    .when_stopped = "what is loaded stays, and the same command resumes",
};

int main(int argc, char **argv) {
    return program_main(&about, argc, argv, load_run);
}
