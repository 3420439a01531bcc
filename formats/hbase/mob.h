/* MOB: values that are in files of their own. */
#ifndef FORMATS_HBASE_MOB_H
#define FORMATS_HBASE_MOB_H

#include "base/buf.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "formats/hbase/mob_cell.h"
#include "formats/hbase/read_tree.h"

struct selection;

/* The values of mob references, read from the mob files of a table.
 *
 * Values are found through the index of a file; asking in row order reads each mob file about once. */

struct mob_opts {
    unsigned max_files;     /* open at once, but one for each thread that asks; 0 = 16 */
    size_t memory_bytes;    /* of what is open and not in use, about; 0 = 32 MiB */
    size_t max_block_bytes; /* as hfile_open takes it */
    /* NULL, or called once for each mob file, before it is opened first; one call at a time. path is valid as long as the
     * resolver. */
    int (*opens)(void *arg, const char *path, struct err *err);
    void *arg;
};

struct mob_resolver;
/* Nothing is opened yet. *s outlives the resolver. */
struct mob_resolver *mob_open(const struct store_files *s, const struct mob_opts *o, struct err *err);
/* Appends the value that c, a reference, stands for. Any number of threads may ask. A file or cell that is not there, or a value
 * of another length than the reference says, is ERR_INPUT naming file and cell: value is then as it was. */
int mob_value(struct mob_resolver *m, const struct row_part *part, const struct cell *c, struct buf *value, struct err *err);
/* Does as mob_value does; an error neither names the cell nor says what to do. */
int mob_value_try(struct mob_resolver *m, const struct row_part *part, const struct cell *c, struct buf *value, struct err *err);
void mob_close(struct mob_resolver *m); /* NULL is fine */

/* Takes a cell whose value is missing or damaged, which then is not handed out; why does not name the cell. 0, -1. */
struct mob_lost_sink {
    int (*put)(void *arg, const struct row_part *part, const struct cell *c, const struct err *why, struct err *err);
    void *arg;
};

/* The parts of inner (owned from now on, also when NULL is returned) with values in place of references and without their tags,
 * cut into parts of about PART_MAX_BYTES. tally, which may be NULL, adds every cell that is handed out: inner is to have none.
 * lost: NULL: a value that is not there is an error. selection (NULL: all): what it does not take stays a reference. */
struct source *mob_source_open(struct source *inner, struct mob_resolver *m, const struct selection *selection,
                               struct tally *tally, const struct mob_lost_sink *lost, struct err *err);

#endif
