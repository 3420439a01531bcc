/* obkv-import --from HOST:PORT/DATABASE --table NAME: all families of an OBKV-HBase table become a dataset, as of one moment. The
 * partitions are inputs that the engine reads side by side (cmd/oceanbase/table_source.c); from there on the run is like any
 * other. A server that cannot read as of a moment gives no other guarantee: a table that changes meanwhile ends the run. */
#include "cmd/import/import_database.h"

#include "cmd/common/opt_given.h"
#include "cmd/import/import.h"
#include "cmd/oceanbase/login.h"
#include "cmd/oceanbase/table_source.h"
#include "engine/memory_plan.h"

#include <stdlib.h>
#include <string.h>

struct import_database {
    struct target_login login;
    struct table_source source;
    bool open;
};

/* Options of other inputs. */
static const char *const foreign[] = {"format",  "snapshot",  "backup",  "columns", "key",        "map",       "header",
                                      "after",   "list",      "preview", "shards",  "staged",     "files",     "on-damage",
                                      "dialect", "delimiter", "quote",   "null",    "skip-empty", "timestamp", "timestamp-unit"};

int import_database_check(const struct environment *env, struct err *err) {
    const struct options *o = &env->o;
    if (o->n_inputs) return err_set(err, ERR_USAGE, "--from reads a database: give no input beside it (%s)", o->inputs[0]);
    if (!o->wal.table) return err_set(err, ERR_USAGE, "--from: which table? give --table NAME, the name without $FAMILY");
    if (strpbrk(o->wal.table, "*?[$/"))
        return err_set(err, ERR_USAGE, "--from: --table '%s': expected the name of one HBase table, without $FAMILY",
                       o->wal.table);
    for (size_t i = 0; i < countof(foreign); i++)
        if (opt_given(o, foreign[i]))
            return err_set(err, ERR_USAGE, "--%s has no meaning with --from, which reads a database", foreign[i]);
    return 0;
}

static void show_progress(void *arg, uint64_t done, uint64_t of) {
    const struct environment *env = arg;
    const struct progress *p = &env->job.progress;
    if (p->report) p->report(p->arg, "partitions", done, of);
}

/* The longest row that is taken: a connection may hold as much. */
static unsigned long row_bytes(uint64_t memory) {
    enum { SHARE = 32 };
    const uint64_t least = 2 << 20, most = 64 << 20, share = memory / SHARE;
    return (unsigned long)(share < least ? least : share > most ? most : share);
}

static int open_source(struct environment *env, struct intake *intake, struct import_database *d, struct err *err) {
    const unsigned threads = (unsigned)(env->o.resources.threads < 64 ? env->o.resources.threads : 64);
    d->login.login.row_bytes = row_bytes(env->o.resources.memory);
    const struct table_source_opts o = {.login = &d->login.login,
                                        .name = env->o.wal.table,
                                        .jobs = threads ? threads : 1,
                                        .retries = (unsigned)env->o.target.retries,
                                        .stop = &env->stop,
                                        .definitions = memory_room(&env->job, MEMORY_PARTITIONS),
                                        .partitions = memory_room(&env->job, MEMORY_INPUT_LISTS),
                                        .selection = intake->selection,
                                        .tick = show_progress,
                                        .arg = env};
    d->open = true;
    return table_source_open(&d->source, &o, err);
}

int import_database_open(struct environment *env, struct intake *intake, struct input_list *in, struct import_database **out,
                         struct err *err) {
    struct import_database *d = *out = calloc(1, sizeof *d);
    struct input input;
    if (!d) return err_nomem(err, sizeof *d, "a database");
    if (memory_plan_floor(&env->job, err) || target_login_make(&env->o, &d->login, err) || open_source(env, intake, d, err))
        return -1;
    if (!d->source.snapshot)
        report_note(&env->reporter, "this server cannot read as of one moment: if the table changes meanwhile, the run ends");
    table_source_input(&d->source, &input);
    in->room = memory_room(&env->job, MEMORY_INPUT_LISTS);
    intake->formats = &table_reader_formats;
    intake->database = &d->source;
    intake->from_records = false;
    return input_list_add_known(in, &input, err);
}

const struct table *import_database_table(const struct import_database *d) {
    return &d->source.table;
}

void import_database_close(struct import_database *d, struct intake *intake) {
    if (!d) return;
    intake->formats = NULL;
    intake->database = NULL;
    if (d->open) table_source_close(&d->source);
    target_login_free(&d->login);
    free(d);
}
