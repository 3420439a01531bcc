/* A load that waits for the server without a sign of progress: a statement can wait for a lock, or without end, and its time
 * limit is long. After a while the run says what the server's own views show of its statements. */
#include "cmd/load/load_run.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

enum { PATIENCE_SECONDS = 30 };

struct stall_view {
    char statements[32], seconds[32], state[64], rows[32];
    bool has_rows; /* the server has a view of loads, and it names this one */
};

static void take_text(struct bytes field, char *out, size_t room) {
    snprintf(out, room, "%.*s", field.p ? (int)(field.n < room ? field.n : room - 1) : 0, field.p ? (const char *)field.p : "");
}

static int take_sessions(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct stall_view *v = arg;
    (void)err;
    if (n < 3) return 0;
    take_text(f[0], v->statements, sizeof v->statements);
    take_text(f[1], v->seconds, sizeof v->seconds);
    take_text(f[2], v->state, sizeof v->state);
    return 0;
}

static int take_rows(void *arg, const struct bytes *f, unsigned n, struct err *err) {
    struct stall_view *v = arg;
    (void)err;
    v->has_rows = n && f[0].p;
    if (v->has_rows) take_text(f[0], v->rows, sizeof v->rows);
    return 0;
}

/* Asks the server for its sessions. If that fails, nothing is reported: the load itself finds out why. */
static bool ask_server(struct load_run *r, struct stall_view *v) {
    struct err ignored = {0};
    unsigned number;
    struct connection *c = connection_open(&r->login.login, &number, &ignored);
    *v = (struct stall_view){0};
    bool asked =
        c && !connection_rows(c,
                              "SELECT COUNT(*), MAX(time), MAX(state) FROM information_schema.processlist WHERE info LIKE "
                              "'LOAD DATA%' OR info LIKE 'REPLACE INTO%' OR info LIKE 'DELETE FROM%'",
                              take_sessions, v, &ignored);
    if (asked && connection_server(c)->is_oceanbase)
        (void)connection_rows(c, "SELECT SUM(parsed_rows + store_processed_rows) FROM oceanbase.__all_virtual_load_data_stat",
                              take_rows, v, &ignored); /* not every user may see it */
    connection_close(c);
    return asked;
}

void load_stall_watch(struct load_run *r, uint64_t sent) {
    struct load_stall *s = &r->stall;
    const struct load_files_result *f = &r->result;
    const uint64_t mark = f->files + f->files_found + f->delete_files + f->retries + sent;
    struct stall_view v;
    if (mark != s->mark || s->since == 0) {
        *s = (struct load_stall){.mark = mark, .since = clock_steady()};
        return;
    }
    const double waited = clock_seconds_since(s->since);
    if (waited < (double)(PATIENCE_SECONDS << (s->said < 10 ? s->said : 10))) return;
    if (!ask_server(r, &v)) return;
    if (v.has_rows && strcmp(v.rows, s->rows) != 0) { /* it reads on */
        memcpy(s->rows, v.rows, sizeof s->rows);
        s->since = clock_steady();
        return;
    }
    s->said++;
    report_say(
        &r->env->reporter,
        "no file has ended for %.0f s; the server shows %s statement%s that load%s, the longest for %s s in state '%s'%s%s%s",
        waited, v.statements, strcmp(v.statements, "1") ? "s" : "", strcmp(v.statements, "1") ? "" : "s",
        v.seconds[0] ? v.seconds : "?", v.state, v.has_rows ? ", with " : ", and no progress", v.has_rows ? v.rows : "",
        v.has_rows ? " rows read and no more" : "");
}
