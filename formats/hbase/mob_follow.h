/* Follows the references to mob files of a whole table before, or instead of, reading its cells. */
#ifndef FORMATS_HBASE_MOB_FOLLOW_H
#define FORMATS_HBASE_MOB_FOLLOW_H

#include "engine/input.h"
#include "engine/job.h"
#include "formats/hbase/mob.h"

struct mob_follow_opts {
    const struct job *job;
    const struct store_files *stores;
    const struct input_files *files;   /* those of stores, as they are read */
    const struct selection *selection; /* only what it takes; NULL: all */
    struct mob_resolver *values;       /* each value is read; NULL: it is only looked for the files */
    size_t memory_bytes;               /* of what is kept of files and rows, about */
    size_t block_limit;                /* as hfile_open takes it */
};

/* A mob file that is missing, or that lacks values. */
struct mob_lack {
    struct buf file, ns, table; /* table: empty: not named */
    uint32_t family;
    bool missing;          /* the whole file */
    uint64_t values, rows; /* that refer to it and are not there */
    bool more_rows;        /* rows were counted once for each store file that has them */
    char *reason;          /* why one value is not there, if the file is */
};

struct mob_follow_result {
    struct mob_lack *lacks; /* by table and name */
    size_t n;
    uint64_t values;      /* that were read */
    uint64_t lost_values; /* of all lacks */
};

/* -1: memory, a stop; a store file that cannot be read is passed over: reading it reports why. */
int mob_follow(const struct mob_follow_opts *o, struct mob_follow_result *out, struct err *err);
void mob_follow_free(struct mob_follow_result *r);
/* Warns of each mob file that is missing (warnings may be NULL). ERR_INPUT, with the first of them: some are; not if `lost`. */
int mob_follow_report(const struct mob_follow_result *r, const struct store_files *s, bool lost, struct buf *warnings,
                      struct err *err);
/* Returns whether the table keeps values of this family in mob files. */
bool mob_follow_wanted(const struct store_files *s, uint32_t family);
/* Appends "mob file F is missing: 5 values in 4 rows of family m, written by table n:t: copy it …". */
int mob_follow_put(const struct mob_lack *lack, const struct store_files *stores, struct buf *out, struct err *err);

#endif
