/* MOB: values that are in files of their own. */
#ifndef FORMATS_HBASE_MOB_H
#define FORMATS_HBASE_MOB_H

#include "base/buf.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "formats/hbase/store_files.h"

/* Cells whose value is in a mob file: tag 5 marks them, tag 6 names the table that wrote the file, the value is the real
 * value's length (i32) and the file's name. Source: MobUtils, HMobStore. */

/* All borrowed from the cell. */
struct mob_reference {
    struct bytes file;
    struct bytes ns, table; /* table.p == NULL: not named */
    uint32_t bytes;
};

bool mob_cell_is_reference(const struct cell *c);
/* ERR_INPUT when what marks the cell and what it holds do not fit, or the name is none of a mob file. */
int mob_cell_parse(const struct cell *c, struct mob_reference *out, struct err *err);
/* Appends the tags the cell had before its value was moved: all but 5 and 6. */
int mob_cell_put_tags(const struct cell *c, struct buf *out, struct err *err);

/* The values of mob references, read from the mob files of a table.
 *
 * A file is searched by its name: first in the directories of the table that the cell names (HMobStore), then in all others of
 * the family. Values are found through the index; asking in row order reads each mob file about once. */

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
void mob_close(struct mob_resolver *m); /* NULL is fine */

/* The parts of inner (owned from now on, also when NULL is returned) with values in place of references and without their tags,
 * cut into parts of about PART_MAX_BYTES. tally, which may be NULL, adds every cell that is handed out: inner is to have none. */
struct source *mob_source_open(struct source *inner, struct mob_resolver *m, struct tally *tally, struct err *err);

#endif
