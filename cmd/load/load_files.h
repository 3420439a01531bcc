/* Loads the files of an export into a target: several at a time, each by one statement, with a journal, so that a file is neither
 * left out nor loaded twice whatever happens in between.
 *
 * OceanBase's direct loads go one after the other: statements wait for each other inside the server, also those of different
 * tables, and poll while they wait (4 files of 60,000 rows: 3.2 s one by one, 16 s side by side). Files that are loaded by plain
 * LOAD DATA go side by side, but never two into one partition: what an interrupted statement has left there shows in the
 * sums of the partition. */
#ifndef CMD_LOAD_LOAD_FILES_H
#define CMD_LOAD_LOAD_FILES_H

#include "base/stop.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/journal.h"
#include "cmd/oceanbase/pool.h"

enum load_files_step {
    LOAD_FILE_BEGINS,
    LOAD_FILE_DONE, /* this file is in */
    LOAD_FILE_WAS_THERE /* a statement of unknown outcome had worked */,
    LOAD_FILE_RETRIES /* text says why */
};

/* Called by any thread, one at a time. */
struct load_files_event {
    enum load_files_step step;
    const struct export_file *file;
    uint64_t rows;  /* of the file; DONE: without kept */
    uint64_t kept;  /* DONE: of its rows, that existed and stay as they were */
    double seconds; /* DONE: of the statement */
    const char *text;
};

struct load_files_opts {
    const struct login *login;
    const struct export_manifest *m;
    const char *dir, *server_dir; /* of the export, as we and as the server see it */
    bool local;                   /* we send the files */
    struct load_target target;
    bool is_oceanbase; /* rows are in the partition we say; else sums of single partitions mean nothing */
    unsigned jobs, retries;
    struct journal *journal;
    const struct stop *stop;
    void (*event)(void *arg, const struct load_files_event *e);
    /* Called about twice a second while files are loaded; sent: bytes that went through LOCAL. */
    void (*tick)(void *arg, uint64_t sent);
    void *arg;
};

struct load_files_result {
    size_t files, files_before, files_found; /* loaded now; in by the journal, which the caller counts; found to be in */
    uint64_t rows, bytes, retries;           /* of the files loaded now or found; rows: without those */
    uint64_t kept;                           /* that existed and stay as they were (ON_DUPLICATE_IGNORE) */
    size_t delete_files;                     /* of statements that were run now, */
    uint64_t deleted;                        /* and the rows that they deleted */
};

/* load_deletes.c: the statements that delete, all before the first file. Adds to r. */
int load_deletes_run(const struct load_files_opts *o, struct load_files_result *r, struct err *err);

/* 0 when all files are in. Adds to r in any case. */
int load_files_run(const struct load_files_opts *o, struct load_files_result *r, struct err *err);

/* The statement for one file. */
int load_files_put_statement(struct buf *out, const struct load_files_opts *o, const struct export_file *f, bool replace,
                             struct err *err);

/* ---- load_small.c: files that go in by statements of rows ---- */

struct load_small_opts {
    const struct load_files_opts *loader;
    const struct export_file *file;
    struct connection *c;
    struct pool_worker *member; /* whose statement a stop request ends */
};

bool load_small_is(const struct load_files_opts *o, const struct export_file *f);
int load_small_send(const struct load_small_opts *o, struct err *err);

/* ---- load_interrupted.c: the outcome of an interrupted statement ---- */

enum load_interrupted_answer {
    INTERRUPTED_OUT,   /* nothing of the file is in the table: load it (again) */
    INTERRUPTED_IN,    /* all of it is */
    INTERRUPTED_PARTLY /* some rows are, and nothing else can be in their place: replacing them loads no row twice */
};

struct load_interrupted_opts {
    const struct load_files_opts *loader;
    const struct export_file *file;
    struct cell_sums before; /* what the partition held before the file */
    bool base_empty;         /* it was empty before the first file */
};

/* Ends what still runs, waits until it has ended, then looks. ERR_OUTPUT: the partition holds something else than it can. */
int load_interrupted_find(struct connection *c, const struct load_interrupted_opts *s, enum load_interrupted_answer *answer,
                          struct err *err);

/* Ends the server's sessions whose statement begins with verb and has text in it, and waits until they are gone (ERR_BUSY: they
 * are not). */
int load_interrupted_end(struct connection *c, const struct stop *stop, const char *verb, const char *text, struct err *err);

#endif
