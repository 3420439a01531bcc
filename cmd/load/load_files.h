/* Loads the files of an export into a target, in batches, each by one statement, with a journal, so that a file is neither left
 * out nor loaded twice whatever happens in between.
 *
 * A direct load of OceanBase takes half a second and more whatever it holds, and locks its table: all files of a table go into
 * one statement, or into few. Direct loads go one after the other: statements wait for each other inside the server, also those
 * of different tables, and poll while they wait (4 files of 60,000 rows: 3.2 s one by one, 16 s side by side). Files that are
 * loaded by plain LOAD DATA are batches of one and go side by side, but never two into one partition: what an interrupted
 * statement has left there shows in the sums of the partition. */
#ifndef CMD_LOAD_LOAD_FILES_H
#define CMD_LOAD_LOAD_FILES_H

#include "base/stop.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/pool.h"

struct connection;
struct load_journal;

enum load_files_step {
    LOAD_FILE_BEGINS,
    LOAD_FILE_DONE, /* these files are in */
    LOAD_FILE_WAS_THERE /* a statement of unknown outcome had worked */,
    LOAD_FILE_RETRIES /* text says why */
};

/* Called by any thread, one at a time. */
struct load_files_event {
    enum load_files_step step;
    const struct export_file *file; /* the first */
    size_t files;                   /* of one statement */
    uint64_t file_bytes;            /* of all of them */
    uint64_t rows;                  /* DONE: without kept */
    uint64_t kept;                  /* DONE: of the rows, that existed and stay as they were */
    double seconds;                 /* DONE: of the statement */
    const char *text;
};

struct load_files_opts {
    const struct login *login;
    const struct export_manifest *m;
    const char *dir, *server_dir; /* of the export, as we and as the server see it */
    bool local;                   /* we send the files */
    bool external;                /* the server lets us make external tables over them */
    struct load_target target;
    bool verified_after; /* the caller compares all sums of each partition, so that placement need not be checked before */
    bool by_values;      /* of files that this run makes: rows are checked by their values, too, not only by their keys */
    bool is_oceanbase;   /* rows are in the partition we say; else sums of single partitions mean nothing */
    unsigned jobs, retries;
    struct load_journal *journal; /* NULL: none; nothing is loaded */
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
    size_t proven;                           /* partitions that hold these rows, values included, and no others */
    bool is_proven;                          /* so does the whole table; the caller finds out */
    size_t delete_files;                     /* of statements that were run now, */
    uint64_t deleted;                        /* and the rows that they deleted */
};

/* load_deletes.c: the statements that delete, all before the first file. Adds to r. */
int load_deletes_run(const struct load_files_opts *o, struct load_files_result *r, struct err *err);

/* Loads the files: 0 when all are in. Adds to r in any case. */
int load_files_run(const struct load_files_opts *o, struct load_files_result *r, struct err *err);

/* Hands out the statements that a load of all files would send, in their order. */
int load_files_statements(const struct load_files_opts *o, int (*put)(void *arg, struct bytes sql, struct err *err), void *arg,
                          struct err *err);

enum load_state { LOAD_WAITS, LOAD_RUNS, LOAD_IN };

struct load_file {
    const struct export_file *file;
    enum load_state state;
    bool interrupted; /* a statement was sent whose end nobody saw */
    bool replace;     /* such a one has left some of its rows */
    bool small;       /* goes in by statements of rows */
    bool external;    /* by INSERT … SELECT from an external table */
    uint32_t lane;    /* files of one lane go one after the other */
};

/* A partition of a batch. */
struct load_part {
    uint32_t family, partition;
    bool base_empty;         /* it was empty before the first file */
    struct cell_sums before; /* what it should hold before the batch: what was there at first, and the files that are in */
    struct cell_sums batch;  /* of the files of the batch */
    size_t n, left;          /* files of the batch, of all that are not in */
};

struct load_batch {
    struct load_file **files;
    size_t n;
    struct load_part *parts;
    size_t n_parts;
    uint64_t rows, file_bytes, kept;
};

/* ---- load_placed.c: whether rows went into the partitions that they were exported for ---- */

struct load_placed_opts {
    const struct load_files_opts *loader;
    const struct load_batch *batch;
    struct connection *c;
    struct pool_worker *member;
    uint64_t since; /* connection_snapshot before the statement */
    size_t proven;  /* out: partitions that hold what the export has for them, values included, and nothing else */
};

/* Checks that rows are in their partitions. ERR_OUTPUT: one is elsewhere. */
int load_placed_check(struct load_placed_opts *o, struct err *err);

#endif
