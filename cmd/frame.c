#include "cmd/frame.h"

#include "cmd/summary.h"

int frame_main(const struct tool_about *about, int argc, char **argv, int (*run)(struct session *s, int *code, struct err *err)) {
    struct session s;
    struct err err = {0};
    bool done = false;
    int code = 0;
    if (!session_open(&s, about, argc, argv, &done, &err) && !done) run(&s, &code, &err);
    if (err.code) code = report_exit(&s.reporter, about->name, &err);
    session_close(&s);
    return code;
}

int frame_write(struct session *s, struct input_list *in, const struct frame_write *w, int *code, struct err *err) {
    struct build_result r = {0};
    bool done;
    if (session_output(s, w->command, in, &done, code, err)) return -1;
    if (done) return 0;
    if (s->o.dry_run) return summary_dry_run(s, in, err);
    int rc = w->work(s, in, w->arg, &r, err);
    if (!rc) rc = session_publish(s, in, &r, w->compacted, err);
    if (!rc) {
        *code = session_success_code(&r.ledger);
        rc = summary_print(s, w->did, in, &r, err);
    }
    build_result_free(&r);
    return rc;
}
