/* obkv-export: a dataset as load files for OceanBase, with the statements that load and check them, or as text for people and
 * pipelines. */
#include "base/fs.h"
#include "cmd/export/export_tool.h"
#include "cmd/common/frame.h"
#include "cmd/common/stdout_write.h"
#include "cmd/common/summary.h"

static const struct tool_about about = {TOOL_EXPORT, "obkv-export", "[options] -o DIR DATASET",
                                        "Writes a dataset as sorted files for LOAD DATA, one or more per partition, with the\n"
                                        "statements that load and check them; or as CSV, JSON lines or cells.\n\n"
                                        "examples:\n"
                                        "  obkv-export -o OUT --create DATASET      then: mysql --comments … < OUT/load.sql\n"
                                        "  obkv-export -o - --format csv DATASET | head",
                                        NULL};

static int put_stdout(void *arg, struct bytes text, bool *enough, struct err *err) {
    (void)arg;
    return stdout_write(text.p, text.n, enough, err);
}

/* What would have no place to go beside the lines; NULL: nothing is asked for. */
static const char *no_place(const struct export_tool *e) {
    const struct options *o = &e->s->o;
    if (e->o.compression) return "--compress";
    if (o->create) return "--create";
    if (o->strong) return "--strong";
    return o->json && !o->dry_run ? "--json" : NULL;
}

static int export_to_stdout(struct export_tool *e, int *code, struct err *err) {
    const char *head = e->o.form->head, *alone = no_place(e);
    bool gone = false;
    if (alone) return err_set(err, ERR_USAGE, "%s goes with -o DIR only", alone);
    if (e->s->o.dry_run) return export_dry_run(e, err);
    e->o.put = put_stdout;
    if (head && stdout_write(head, strlen(head), &gone, err)) return -1;
    if (gone || export_run(&e->o, &e->made, &e->result, err)) return gone ? 0 : -1;
    *code = e->result.ledger.rejected.cells ? 3 : 0;
    return 0;
}

static int run_export(struct export_tool *e, int *code, struct err *err) {
    struct session *s = e->s;
    bool done;
    if (export_target(e, err) || export_open(e, &done, code, err)) return -1;
    e->o.rejects = s->rejects;
    if (done) return s->o.json ? summary_nothing(s, err) : 0;
    if (!strcmp(s->o.output, "-")) return export_to_stdout(e, code, err);
    if (s->o.dry_run) return export_dry_run(e, err);
    e->o.dir = s->out.tmp;
    if (export_run(&e->o, &e->made, &e->result, err) || export_publish(e, err)) return -1;
    *code = e->result.ledger.rejected.cells ? 3 : 0;
    return export_summary(e, err);
}

static int run(struct session *s, int *code, struct err *err) {
    if (s->o.n_inputs != 1) return err_set(err, ERR_USAGE, "one dataset is expected (see obkv-export --help)");
    struct export_tool e = {.s = s, .dataset = s->o.inputs[0]};
    int is = dataset_is(e.dataset, err);
    if (is < 0) return -1;
    if (!is) return err_set(err, ERR_INPUT, "%s is no dataset: import it first, with obkv-import", e.dataset);
    if (dataset_open(e.dataset, &e.m, err)) return -1;
    e.made.tool = fs_printf(err, "%s %s", s->about->name, obkv_version);
    e.made.dataset = fs_printf(err, "%s", e.dataset);
    e.made.now_ms = s->job.now_ms;
    e.made.now_given = s->o.now_given;
    e.made.strong = s->o.strong;
    e.made.dataset_cells = *ledger_written(&e.m.ledger);
    e.o = (struct export_opts){.job = &s->job,
                               .dataset = e.dataset,
                               .m = &e.m,
                               .target = &e.made.table,
                               .strong = s->o.strong,
                               .hex = s->o.hex,
                               .target_bytes = s->o.target_file_size,
                               .reject_limit = &s->reject_limit};
    int rc = e.made.tool && e.made.dataset ? run_export(&e, code, err) : -1;
    export_manifest_free(&e.made);
    manifest_free(&e.m);
    return rc;
}

int main(int argc, char **argv) {
    return frame_main(&about, argc, argv, run);
}
