/* The parts of obkv-load. */
#ifndef CMD_LOAD_LOAD_RUN_H
#define CMD_LOAD_LOAD_RUN_H

#include "base/err.h"
#include "cmd/common/session.h"
#include "cmd/load/load_files.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/preflight.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The program's own options. */
struct load_options {
    const char *on_duplicate, *via, *server_dir, *journal, *from_target, *output; /* on_duplicate NULL: as exported */
    struct opt_list partitions;
    bool create, restart;
};
static inline const struct load_options *load_options(const struct options *o) {
    return o->own;
}

/* How long nothing has ended; see load_stall.c. */
struct load_stall {
    uint64_t mark; /* of what has ended or was sent */
    double since;
    unsigned said;
    char rows[32]; /* that the server had read when it was last asked */
};

/* One run: what is loaded, into what. */
struct load_run {
    struct session *s;
    struct target_login login;
    struct export_manifest m;
    char *dir, *server_dir, *journal_path;
    char export_sum[17], subject[600]; /* checksum of its MANIFEST.json; HOST:PORT/DATABASE */
    enum load_via via;
    int on_duplicate; /* enum on_duplicate; -1: as exported */
    struct load_target target;
    struct preflight checks;
    size_t warned_checks; /* of them, counted as warnings */
    struct load_files_result result;
    struct load_stall stall;
    uint64_t total_bytes, done_bytes;
    size_t done_files;
};

/* load_run.c: a run of the program. */
int load_run(struct session *s, int *code, struct err *err);
/* load_choice.c: --partitions. Files of other partitions leave r->m. */
int load_choose(struct load_run *r, struct err *err);
/* The default name of the journal. Each choice has its own, so that several runs load an export at the same time. */
int load_journal_name(const struct load_run *r, struct buf *name, struct err *err);
/* load_history.c: the deltas that the database holds. ERR_USAGE: newer ones than this have been loaded. */
int load_history_check(struct load_run *r, struct connection *c, struct err *err);
/* Before the first statement. begins: the table has no history yet. */
int load_history_begin(struct load_run *r, struct connection *c, bool begins, struct err *err);
/* load_report.c: what people and pipelines see. */
int load_report_checks(struct load_run *r, FILE *out, struct err *err);
int load_report_statements(struct load_run *r, const struct load_files_opts *o, struct err *err);
int load_report_dry_run_json(struct load_run *r, const struct load_files_opts *o, struct err *err);
void load_report_event(void *arg, const struct load_files_event *e);
void load_report_tick(void *arg, uint64_t sent);
/* load_stall.c: after half a minute without progress, what the server shows. */
void load_stall_watch(struct load_run *r, uint64_t sent);
int load_report_end(struct load_run *r, bool did_something, struct err *err);
void load_report_metrics(struct load_run *r); /* for --metrics */

#endif
