/* The parts of obkv-load. */
#ifndef CMD_LOAD_LOAD_RUN_H
#define CMD_LOAD_LOAD_RUN_H

#include "cmd/common/session.h"
#include "cmd/oceanbase/login.h"
#include "cmd/load/deliver.h"
#include "cmd/oceanbase/preflight.h"

/* The program's own options. */
struct load_options {
    const char *on_duplicate, *via, *server_dir, *journal, *metrics, *from_target, *output; /* on_duplicate NULL: as exported */
    bool create, restart;
};
static inline const struct load_options *load_options(const struct options *o) {
    return o->own;
}

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
    struct deliver_result result;
    uint64_t total_bytes, done_bytes;
    size_t done_files;
};

/* load_report.c: what people and pipelines see. */
int load_report_checks(struct load_run *r, FILE *out, struct err *err);
int load_report_statements(struct load_run *r, const struct deliver_opts *o, struct err *err);
int load_report_dry_run_json(struct load_run *r, const struct deliver_opts *o, struct err *err);
void load_report_event(void *arg, const struct deliver_event *e);
void load_report_tick(void *arg, uint64_t sent);
int load_report_end(struct load_run *r, bool did_something, struct err *err);

/* load_create.c: makes table group and tables that are not there. */
int load_create(struct load_run *r, struct connection *c, struct err *err);
/* --from-target: definitions into a file or to stdout. */
int load_from_target(struct session *s, const struct target_login *l, struct err *err);

#endif
