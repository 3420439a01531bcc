/* obkv-import: inputs of any format -> a dataset of sorted cell files, one set per partition. */
#include "cmd/session.h"
#include "cmd/summary.h"

#include <string.h>

static const struct tool_about about = {
    TOOL_IMPORT, "obkv-import", "[options] -o DIR INPUT...",
    "Turns CSV, TSV, text cells and HFiles into per-partition sorted HFiles. '-' is stdin.\n\n"
    "example:\n"
    "  obkv-import --ddl users.sql --columns HBASE_ROW_KEY,info:name,HBASE_TS_KEY -o OUT users.csv", NULL};

static int list_inputs(struct session *s, struct input_list *l, struct err *err) {
    for (int i = 0; i < s->o.n_inputs; i++)
        if (input_list_add_any(l, s->o.inputs[i], s->o.format, err)) return -1;
    return 0;
}

static int build(struct session *s, struct input_list *in, struct build_result *r, struct err *err) {
    struct build_opts b = {.job = &s->job, .inputs = in->inputs, .n_inputs = in->n, .n_groups = in->groups, .read = session_read_opts(s), .placement = s->placement,
                           .rejects = s->rejects, .reject_limit = &s->reject_limit, .tie = TIE_BY_SEQUENCE, .compact = s->o.compact};
    if (session_store_opts(s, &b.store, err)) return -1;
    return build_run(&b, r, err);
}

static int run(struct session *s, int *code, struct err *err) {
    struct input_list in = {0};
    struct build_result r = {0};
    bool done;
    int rc = -1;
    if (!s->o.n_inputs) return err_set(err, ERR_USAGE, "no input given (see obkv-import --help)");
    if (session_table(s, NULL, err) || (s->o.compact && session_need_rules(s, err))) goto out;
    if (list_inputs(s, &in, err) || session_output(s, "import", &in, &done, code, err)) goto out;
    if (done || s->o.dry_run) {
        rc = done ? 0 : summary_dry_run(s, &in, err);
        goto out;
    }
    if (build(s, &in, &r, err) || session_publish(s, &in, &r, s->o.compact, err)) goto out;
    *code = session_success_code(&r.ledger);
    rc = summary_print(s, "imported", &in, &r, err);
out:
    build_result_free(&r);
    input_list_free(&in);
    return rc;
}

int main(int argc, char **argv) {
    struct session s;
    struct err err = {0};
    bool done = false;
    int code = 0;
    if (!session_open(&s, &about, argc, argv, &done, &err) && !done) run(&s, &code, &err);
    if (err.code) code = report_exit(&s.reporter, about.name, &err);
    session_close(&s);
    return code;
}
