/* The parts of obkv-load. */
#ifndef CMD_LOAD_LOAD_RUN_H
#define CMD_LOAD_LOAD_RUN_H

#include "base/err.h"
#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/load/load_files.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/preflight.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The program's own options. */
struct load_options {
    const char *on_duplicate, *via, *server_dir, *journal, *from_target; /* on_duplicate NULL: as exported */
    struct opt_list partitions;
    bool create, restart;
};
static inline const struct load_options *load_options(const struct options *o) {
    return o->own;
}

/* The time for which nothing has ended; see load_stall.c. */
struct load_stall {
    uint64_t mark; /* of what has ended or was sent */
    double since;
    unsigned said;
    char rows[32]; /* that the server had read when it was last asked */
};

struct load_dataset;

/* One run: what is loaded, into what. */
struct load_run {
    struct environment *env;
    struct target_login login;
    struct export_manifest m;
    struct load_dataset *dataset; /* NULL: an export; else m lists its partitions */
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
    size_t all_files, done_files;
};

/* load_run.c: a run of the program. */
int load_run(struct environment *env, struct intake *intake, int *code, struct err *err);
/* load_stall.c: after half a minute without progress, what the server shows. */
void load_stall_watch(struct load_run *r, uint64_t sent);

#endif
