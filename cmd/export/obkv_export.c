/* obkv-export: a dataset as load files for OceanBase, with the statements that load and check them, or as text for people and
 * pipelines. */
#include "cmd/common/opt_value.h"
#include "cmd/common/output.h"
#include "cmd/common/summary.h"
#include "cmd/common/warnings.h"
#include "cmd/export/export_choice.h"
#include "cmd/export/export_out.h"
#include "cmd/export/export_summary.h"
#include "cmd/export/export_text.h"
#include "cmd/export/export_tool.h"
#include "cmd/text/export_task.h"
#include "cmd/common/program.h"
#include "cmd/common/output_text.h"

#include "gen/commit.h"

#include <signal.h>

#define AT(f) offsetof(struct export_options, f)
static const struct opt_row form_rows[] = {
    {"format", 'f', OPT_TEXT, AT(format), 0, "NAME",
     "kqvt (default): files for LOAD DATA with their statements | csv | jsonl | cells", SETTING_THROUGH},
    {"compress", 0, OPT_TEXT, AT(compress), 0, "KIND", "none (default) | gzip | zstd, optionally :LEVEL", SETTING},
    {"hex", 0, OPT_FLAG, AT(hex), 0, NULL, "csv, jsonl: write row, family, qualifier and value in hex", SETTING},
};
static const struct opt_row target_rows[] = {
    {"name", 0, OPT_TEXT, AT(table_name), 0, "NAME",
     "name of the HBase table, if the dataset was made without --ddl; families go to NAME$family", SETTING_THROUGH},
    {"partitions", 0, OPT_LIST, AT(partitions), 0, "LIST", "export these partitions only, by name, number or share (3/7)",
     SETTING_THROUGH},
    {"create", 0, OPT_FLAG, AT(create), 0, NULL, "also write create.sql: table group and tables", SETTING},
    {"on-duplicate", 0, OPT_TEXT, AT(on_duplicate), 0, "ACTION",
     "in load.sql, for rows that already exist: error (default) | ignore | replace (default for a delta)", SETTING_THROUGH},
    {"delta", 0, OPT_FLAG, AT(delta), 0, NULL,
     "the dataset is a delta: write statements for its delete markers (default if its manifest says delta)", SETTING_THROUGH},
    {"target-version", 0, OPT_TEXT, AT(target_version), 0, "V", "OceanBase version that load.sql is for (default 4.3.5.3)",
     SETTING},
    {"server-dir", 0, OPT_TEXT, AT(server_dir), 0, "DIR",
     "path of the output on the database server (default: the path on this machine)", SETTING},
    {"strong", 0, OPT_FLAG, AT(strong), 0, NULL, "add MD5 sums to the manifest and check.sql", SETTING},
};
#undef AT
static const struct opt_row output_rows[] = {
    {"output", 'o', OPT_TEXT, offsetof(struct output_options, dir), 0, "DIR",
     "directory to write (new or empty), or - for standard output", SAME_BYTES},
    {"overwrite", 0, OPT_FLAG, offsetof(struct output_options, overwrite), 0, NULL, "replace a finished export", SAME_BYTES},
};
static const struct opt_row size_rows[] = {
    {"target-file-size", 0, OPT_SIZE, offsetof(struct write_options, target_file_size), 0, "SIZE",
     "start a new file after this many bytes of text (default 4G)", SETTING},
};
static const struct opt_group form_group = OPT_GROUP("format", form_rows, OPT_OWN);
static const struct opt_group target_group = OPT_GROUP("table", target_rows, OPT_OWN);
static const struct opt_group output_group = OPT_GROUP("output", output_rows, offsetof(struct options, out));
static const struct opt_group size_group = OPT_GROUP("output", size_rows, offsetof(struct options, write));

static const struct opt_group *const groups[] = {
    &form_group,  &opt_selection, &opt_ddl,        &target_group, &output_group, &size_group,
    &opt_dry_run, &opt_sign,      &opt_verify_key, &opt_rejects,  &opt_remote,   &opt_resources,
    &opt_spill,   &opt_json,      &opt_log,        &opt_messages, NULL};

static const struct export_options defaults = EXPORT_DEFAULTS;

static const char *const first[] = {"output",       "format", "create",    "ddl",     "compress", "partitions",
                                    "on-duplicate", "delta",  "overwrite", "dry-run", NULL};

static const struct tool_about about = {
    .name = "obkv-export",
    .usage = "[options] -o DIR DATASET",
    .summary = "Writes a dataset as sorted files for LOAD DATA, one or more per partition, with the statements that load "
               "and check them; or as CSV, JSON lines or cells.\n\n"
               "examples:\n"
               "  obkv-export -o OUT --create DATASET\n"
               "  mysql --comments … < OUT/load.sql\n"
               "  obkv-export -o - --format csv DATASET | head",
    .groups = groups,
    .own = &defaults,
    .own_bytes = sizeof defaults,
    .first = first,
    .commit = OBKV_COMMIT,
    .when_stopped = "nothing of this run is kept: the same command begins again",
};

static int put_stdout(void *arg, struct bytes text, bool *enough, struct err *err) {
    (void)arg;
    return stdout_write_data(text, enough, err);
}

/* Returns an option that was given whose result would have no place beside the lines; NULL: there is none. */
static const char *no_place(const struct export_task *e) {
    const struct options *o = &e->env->o;
    if (e->o.compression) return "--compress";
    if (e->asked->create) return "--create";
    if (e->asked->strong) return "--strong";
    if (o->trust.sign_key) return "sign-key";
    if (o->messages.html) return "--html";
    return o->messages.json && !o->out.dry_run ? "--json" : NULL;
}

static int export_dataset(struct export_task *e, struct err *err) {
    return export_task_run(e, &e->o, &e->made, &e->result, err);
}

/* A reader that goes away early may be satisfied, as head is, or dead: silence, but not 0, which means that all was written. */
enum { EXIT_READER_GONE = 128 + SIGPIPE };

static int export_to_stdout(struct export_task *e, struct intake *intake, int *code, struct err *err) {
    const char *head = e->o.form->head, *alone = no_place(e);
    bool gone = false;
    if (alone) return err_set(err, ERR_USAGE, "%s needs -o DIR", alone);
    if (e->o.delta) return err_set(err, ERR_USAGE, "a delta needs -o DIR: its delete markers become statements");
    if (e->env->o.out.dry_run) return export_dry_run(e, err);
    e->o.put = put_stdout;
    if (head && stdout_write(head, strlen(head), &gone, err)) return -1;
    if (!gone && export_dataset(e, err)) return -1;
    if (gone || e->result.enough) {
        *code = EXIT_READER_GONE;
        return 0;
    }
    *code = e->result.ledger.rejected.cells ? 3 : 0;
    export_warn(e, intake);
    return 0;
}

static int run_export(struct export_task *e, struct intake *intake, int *code, struct err *err) {
    struct environment *env = e->env;
    bool done;
    e->o.form = export_text_form(e->asked->format, err);
    if (!e->o.form || export_target(e, err) || export_open(e, &done, code, err)) return -1;
    if (done) return environment_documents(env) ? summary_nothing(env, err) : 0;
    if (!strcmp(env->o.out.dir, "-")) return export_to_stdout(e, intake, code, err);
    if (env->o.out.dry_run) return export_dry_run(e, err);
    e->o.dir = e->output->out.tmp;
    if (report_strict(&env->reporter, err) || export_dataset(e, err)) return -1;
    export_warn(e, intake);
    if (report_strict(&env->reporter, err) || export_publish(e, err)) return -1;
    *code = e->result.ledger.rejected.cells ? 3 : 0;
    return export_summary(e, err);
}

static int run(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct output output = {.out.lock_fd = -1};
    if (env->o.n_inputs != 1) return err_set(err, ERR_USAGE, "expected one dataset (see obkv-export --help)");
    struct export_task e = {.env = env, .output = &output, .asked = export_options(&env->o), .dataset = env->o.inputs[0]};
    int rc = export_task_open(&e, err);
    e.o.selection = intake->selection;
    e.o.reject_limit = &intake->reject_limit;
    if (!rc) rc = export_choose(&e, err) ? -1 : run_export(&e, intake, code, err);
    output_close(env, &output, err);
    export_task_free(&e);
    return rc;
}

int main(int argc, char **argv) {
    return program_main(&about, argc, argv, run);
}
