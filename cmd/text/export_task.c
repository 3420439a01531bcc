/* One export from the dataset's side, for the programs that write or load it: the dataset is opened once, with its signature
 * where one is demanded, and each time that it is read its files are watched. */
#include "cmd/text/export_task.h"

#include "base/fs.h"
#include "base/remote.h"
#include "cmd/common/input_list.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/opt_value.h"
#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "dataset/dataset_open.h"

int export_task_open(struct export_task *e, struct err *err) {
    struct environment *env = e->env;
    int is = dataset_is(e->dataset, err);
    if (is < 0) return -1;
    if (!is) return err_set(err, ERR_INPUT, "%s is not a dataset; import it first with obkv-import", e->dataset);
    if (intake_demand_signatures(env, env->o.inputs, 1, err) || environment_dataset_room(env, e->dataset, err) ||
        dataset_open(e->dataset, &e->m, err))
        return -1;
    e->made.tool = fs_printf(err, "%s %s", env->about->name, obkv_version);
    e->made.dataset.path = remote_original(e->dataset, err);
    e->made.now_ms = env->job.now_ms;
    e->made.now_given = env->o.resources.now_given;
    e->made.strong = e->asked->strong;
    e->made.dataset.cells = *ledger_written(&e->m.ledger);
    e->made.dataset.made_ms = e->m.now_ms;
    e->o = (struct export_opts){.job = &env->job,
                                .dataset = e->dataset,
                                .m = &e->m,
                                .target = &e->made.table,
                                .form = &export_kqvt,
                                .strong = e->asked->strong,
                                .hex = e->asked->hex,
                                .target_bytes = env->o.write.target_file_size};
    return e->made.tool && e->made.dataset.path ? 0 : -1;
}

void export_task_free(struct export_task *e) {
    reject_log_free(e->o.rejects);
    export_manifest_free(&e->made);
    manifest_free(&e->m);
}

int export_task_run(const struct export_task *e, const struct export_opts *o, struct export_manifest *out,
                    struct export_result *result, struct err *err) {
    struct input_list held = {0};
    int rc = input_list_add_dataset(&held, e->dataset, o->m, err);
    if (!rc) rc = input_watch_end(&held.watch, export_run(o, out, result, err), err);
    input_list_free(&held);
    return rc;
}
