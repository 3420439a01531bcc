/* obkv-import: converts inputs of any format into a dataset of sorted cell files, one set per partition. Here are its options
 * and the run for one dataset; lists, previews and several tables have files of their own. */
#include "cmd/common/input_list.h"
#include "cmd/common/opt_given.h"
#include "cmd/common/target_kind.h"
#include "cmd/common/target.h"
#include "cmd/common/wal_intake.h"
#include "cmd/common/table_options.h"
#include "cmd/common/program.h"
#include "cmd/common/summary.h"
#include "cmd/common/warnings.h"
#include "cmd/import/import.h"
#include "cmd/oceanbase/connection.h"

#include "base/fs.h"
#include "cmd/import/import_database.h"
#include "cmd/import/import_shard_list.h"
#include "cmd/import/import_shards.h"
#include "cmd/import/import_tables.h"
#include "engine/build_run.h"
#include "gen/commit.h"

#include <string.h>

#define AT(f) offsetof(struct import_options, f)
static const struct opt_row what_rows[] = {
    {"list", 0, OPT_FLAG, AT(list), 0, NULL, "list the tables, families, regions and files of the inputs; write nothing",
     SAME_BYTES},
    {"shards", 0, OPT_TEXT, AT(shards), 0, "N|I/N",
     "read the inputs in N parts, one after the other; started again after a stop, finished parts are kept | I/N: read the I-th "
     "part alone; obkv-split join makes one dataset of all N (both need --now)",
     SETTING_THROUGH},
    {"preview", 0, OPT_COUNT, AT(preview), 0, "N", "print the keys and cells made from the first N records; write nothing",
     SAME_BYTES},
};
#undef AT
static const struct opt_group what_group = OPT_GROUP("input", what_rows, OPT_OWN);

static const struct opt_group *const groups[] = {&opt_input,
                                                 &opt_backup,
                                                 &opt_text,
                                                 &opt_names,
                                                 &opt_archive_limits,
                                                 &opt_key,
                                                 &what_group,
                                                 &opt_staged,
                                                 &opt_wal,
                                                 &opt_from,
                                                 &opt_login,
                                                 &opt_login_tls,
                                                 &opt_login_retries,
                                                 &opt_selection,
                                                 &opt_ddl,
                                                 &opt_partition,
                                                 &opt_setting,
                                                 &opt_compact,
                                                 &opt_rules,
                                                 &opt_set_rules,
                                                 &opt_set_deletes,
                                                 &opt_set_compaction,
                                                 &opt_set_files,
                                                 &opt_set_size,
                                                 &opt_compaction,
                                                 &opt_delta_alone,
                                                 &opt_purge_line,
                                                 &opt_cell_files,
                                                 &opt_keep_seq,
                                                 &opt_output,
                                                 &opt_dry_run,
                                                 &opt_sign,
                                                 &opt_rejects,
                                                 &opt_damage,
                                                 &opt_remote,
                                                 &opt_resources,
                                                 &opt_spill,
                                                 &opt_json,
                                                 &opt_log,
                                                 &opt_messages,
                                                 NULL};

static const struct import_options defaults = {0};

static const char *const first[] = {"output", "ddl",   "partition", "columns", "map",     "snapshot",
                                    "from",   "table", "list",      "preview", "dry-run", NULL};

static const struct tool_about about = {
    .name = "obkv-import",
    .usage = "[options] -o DIR INPUT...",
    .summary = "Converts CSV, TSV, JSON lines, text cells, HFiles, and HBase snapshots, table directories and logs "
               "into sorted HFiles, one set per partition. '-' is standard input. Also reads a table back from OceanBase.\n\n"
               "examples:\n"
               "  obkv-import --ddl users.sql --columns id=HBASE_ROW_KEY,name=info:name -o OUT users.csv\n"
               "  obkv-import --map users.json --preview 20 users.csv\n"
               "  obkv-import --list backup\n"
               "  obkv-import --ddl simple.sql --snapshot snap_a -o SNAP backup\n"
               "  obkv-import --from 127.0.0.1:2881/test --user root@shop --password-file pw --table users -o BACK",
    .groups = groups,
    .own = &defaults,
    .own_bytes = sizeof defaults,
    .first = first,
    .commit = OBKV_COMMIT,
    .client = connection_client,
};

/* `-o IN/OUT IN/'*'` names what an earlier run has made of the others. A dataset alone may be replaced by what is made of it. */
static int check_output(const struct environment *env, const char *input, struct err *err) {
    const int same = env->o.n_inputs < 2 || !env->o.out.dir ? 0 : fs_same(env->o.out.dir, input, err);
    if (same <= 0) return same;
    return err_set(err, ERR_USAGE, "%s is the output and cannot also be one of several inputs; write the dataset elsewhere",
                   input);
}

static int list_inputs(struct environment *env, struct intake *intake, struct input_list *in, struct err *err) {
    if (!env->o.n_inputs) return err_set(err, ERR_USAGE, "no input given (see obkv-import --help)");
    for (int i = 0; i < env->o.n_inputs; i++)
        if (check_output(env, env->o.inputs[i], err) || intake_add(env, in, env->o.inputs[i], err)) return -1;
    struct buf warnings = {0};
    int rc = input_list_warn_twice(in, &warnings, err);
    report_warnings(&env->reporter, &warnings);
    buf_free(&warnings);
    return rc || intake_note_texts(intake, in, err) ? -1 : column_options_wanted(&env->o, in, err);
}

static int check_rules(struct environment *env, struct target *target, struct err *err) {
    if (rule_options_kind(&env->o, &target->kind, err)) return -1;
    if (rule_options_minor(&env->o))
        return err_set(err, ERR_USAGE, "--rules %s: obkv-import reads whole stores; give it to obkv-compact", env->o.rules.rules);
    if (env->o.rules.rules && !env->o.rules.compact)
        return err_set(err, ERR_USAGE, "--rules needs --compact: otherwise every cell is kept");
    if (env->o.rules.keep_seq_period && !env->o.rules.compact)
        return err_set(err, ERR_USAGE,
                       "--set hbase.hstore.compaction.keep.seqId.period needs --compact: otherwise every sequence id is kept");
    return 0;
}

/* Prints the summary, and what was read of logs below it, or in its document. */
static int end(struct environment *env, struct intake *intake, struct target *target, struct output *output,
               const struct program_write *w, struct input_list *in, const struct build_result *r, struct err *err) {
    json_t *own = json_object();
    int rc = own ? 0 : err_nomem(err, 0, "the summary");
    if (!rc && environment_documents(env)) rc = wal_intake_json(&intake->wal, own, err);
    if (!rc)
        rc = r ? summary_print(env, target, output, w->did, in, r, own, err)
               : summary_dry_run(env, intake, target, output, in, own, err);
    if (!rc && !env->o.messages.json && (!r || !env->o.messages.quiet)) wal_intake_print(&intake->wal);
    json_decref(own);
    return rc;
}

static int write_dataset(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                         struct input_list *in, int *code, struct err *err) {
    const struct program_write w = {
        .command = "import", .did = "imported", .compacted = env->o.rules.compact, .tie = TIE_BY_SEQUENCE, .learns_kind = true};
    struct build_result r = {0};
    enum program_step next;
    int rc = program_begin(env, intake, target, output, in, &w, &next, code, err);
    if (!rc && next == PROGRAM_SHOWS) rc = end(env, intake, target, output, &w, in, NULL, err);
    if (!rc && next == PROGRAM_WRITES) {
        rc = wal_intake_base(env, intake, in, err);
        if (!rc) rc = program_build(env, intake, target, output, in, &w, &r, err);
        rc = program_publish(env, intake, target, output, in, &w, &r, rc, code, err);
        if (!rc) rc = end(env, intake, target, output, &w, in, &r, err);
    }
    build_result_free(&r);
    return rc;
}

static int import_one(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct target target = {0};
    struct output output = {.out.lock_fd = -1, .is_for_join = import_options(&env->o)->is_for_join};
    struct input_list in = {0};
    struct manifest_shard shard = {0};
    struct import_database *from = NULL;
    intake->from_records = true;
    int rc = check_rules(env, &target, err);
    if (!rc && env->o.target.address) rc = import_database_open(env, intake, &in, &from, err);
    if (!rc && !from) rc = wal_intake_open(env, &intake->wal, err);
    if (!rc && !from) rc = list_inputs(env, intake, &in, err);
    if (!rc) rc = target_of_inputs(env, intake, &target, from ? import_database_table(from) : NULL, &in, err);
    if (!rc) rc = target_kind_take(env, &target, DATASET_UNSAID, env->o.rules.compact, err);
    if (!rc && env->o.rules.compact) rc = target_need_rules(env, &target, err);
    const struct read_opts read = rc ? (struct read_opts){0} : intake_read_opts(env, intake, &target);
    const bool lists = import_options(&env->o)->list;
    if (!rc && import_shard_asked(&env->o) && !lists) {
        rc = import_shard_begin(env, intake, &read, &in, &shard, err);
        output.shard = &shard;
    }
    if (!rc)
        rc = lists ? import_shard_list(env, intake, &read, &in, err)
                   : write_dataset(env, intake, &target, &output, &in, code, err);
    intake_end_rejects(intake);
    output_close(env, &output, err);
    target_close(env, &target);
    json_decref(shard.notes);
    json_decref(shard.rows);
    input_list_free(&in);
    import_database_close(from, intake);
    return rc;
}

static int preview(struct environment *env, struct intake *intake, struct err *err) {
    struct target target = {0};
    struct input_list in = {0};
    int rc = wal_intake_open(env, &intake->wal, err);
    if (!rc) rc = list_inputs(env, intake, &in, err);
    if (!rc) rc = import_preview(env, intake, &target, &in, err);
    input_list_free(&in);
    target_close(env, &target);
    return rc;
}

/* Says what a run that was stopped has kept, and how to resume. import_shards does so itself. */
static void say_kept(const struct environment *env, const struct intake *intake, bool tables, struct err *err) {
    const struct options *o = &env->o;
    if (err->code != ERR_STOPPED || import_options(o)->list || import_options(o)->preview || o->out.dry_run) return;
    if (tables) {
        err_append(err, "; the tables before it are finished and kept: the same command resumes with this one");
        return;
    }
    err_append(err, "; nothing of this run is kept: the same command begins again");
    bool divides = !import_options(o)->shards && intake->on_damage == DAMAGE_FAILS && !o->wal.table && !o->wal.after;
    for (int i = 0; i < o->n_inputs; i++) divides = divides && strcmp(o->inputs[i], "-") != 0;
    if (divides)
        err_append(err, "; with --shards N and --now%s, finished parts are kept",
                   o->rules.compact ? " instead of --compact (then run obkv-compact)" : "");
}

static int run_import(struct environment *env, struct intake *intake, int *code, bool *tables, struct err *err) {
    const struct import_options *own = import_options(&env->o);
    if (env->o.target.address) return import_database_check(env, err) ? -1 : import_one(env, intake, code, err);
    if (own->list && !own->shards) return import_list(env, err);
    if (import_options(&env->o)->preview) return preview(env, intake, err);
    if (own->shards && !own->list && !import_shard_asked(&env->o)) return import_shards(env, intake, import_one, code, err);
    if (opt_given(&env->o, "preview")) return err_set(err, ERR_USAGE, "--preview 0: expected at least 1 record");
    if (import_tables_named(&env->o, tables, err)) return -1;
    return *tables ? import_tables(env, intake, import_one, code, err) : import_one(env, intake, code, err);
}

static int run(struct environment *env, struct intake *intake, int *code, struct err *err) {
    bool tables = false;
    int rc = run_import(env, intake, code, &tables, err);
    if (!import_options(&env->o)->shards || import_shard_asked(&env->o)) say_kept(env, intake, tables, err);
    return rc;
}

int main(int argc, char **argv) {
    return program_main(&about, argc, argv, run);
}
