/* The tables of an OBKV-HBase table in a database as an input, at one moment: which rows there are, and the readers of them. */
#ifndef CMD_OCEANBASE_TABLE_SOURCE_H
#define CMD_OCEANBASE_TABLE_SOURCE_H

#include "base/err.h"
#include "base/list_room.h"
#include "base/stop.h"
#include "cmd/oceanbase/cell_sums.h"
#include "cmd/oceanbase/connection.h"
#include "engine/input.h"
#include "select/selection.h"
#include "table/table.h"

#include <pthread.h>

struct table_rows;

/* Strings and pointers are borrowed. */
struct table_source_opts {
    const struct login *login;
    const char *name; /* of the HBase table: its families are the SQL tables NAME$FAMILY */
    unsigned jobs, retries;
    const struct stop *stop;
    struct list_room definitions, partitions; /* for texts of definitions, for the partitions of all families */
    const struct selection *selection;        /* only its families are read; NULL: all */
    void (*tick)(void *arg, uint64_t done, uint64_t of);
    void *arg;
};

/* A partition of a family: what one reader reads. */
struct table_piece {
    char *name; /* for messages */
    uint32_t family, partition;
    struct cell_sums sums; /* as the server computed them */
};

struct table_source {
    struct table_source_opts o;
    char place[500]; /* HOST:PORT/DATABASE/NAME */
    struct table table;
    uint64_t snapshot; /* at which moment; 0: the server cannot read as of one */
    struct table_piece *pieces;
    size_t n;
    struct input_files files; /* as the engine wants them */
    uint64_t rows, bytes;
    /* those that wait for the server, to be interrupted */
    pthread_mutex_t lock;
    struct table_rows **waiting;
    size_t n_waiting;
    bool stopped; /* they were: those that come later are, too */
    pthread_t watcher;
    int wake;  /* eventfd: the watcher is to end */
    bool ends; /* the same, atomic */
};

/* Reads the definitions, chooses the moment, and has the server sum up all partitions. ERR_USAGE: no such table. */
int table_source_open(struct table_source *s, const struct table_source_opts *o, struct err *err);
/* Fills in *in: the input that all partitions are. */
void table_source_input(const struct table_source *s, struct input *in);
void table_source_close(struct table_source *s);

/* ---- table_reader.c ---- */

/* Opens the pieces of read_opts.database. */
extern const struct format_table table_reader_formats;
/* For readers: rows that an interrupt must reach. */
int table_source_enlist(struct table_source *s, struct table_rows *rows, struct err *err);
void table_source_leave(struct table_source *s, struct table_rows *rows);

#endif
