/* Store files where HBase does not look for them, noted by directory. */
#ifndef FORMATS_HBASE_STRAY_FILES_H
#define FORMATS_HBASE_STRAY_FILES_H

#include "base/err.h"
#include "formats/hbase/findings.h"

#include <sys/stat.h>

/* Finds out whether the file called name at path is a store file, by its trailer or by a name that nothing else has. 1 (perhaps
 * empty), 0, -1. */
int store_file_is(const char *path, const char *name, struct stat *st, struct err *err);

/* Stray store files of one directory. Zero-initialise. */
struct stray_files {
    uint64_t n, bytes;
    char *first; /* by name, as shown */
};

/* dir/name, a file that is not read: counts it if it is a store file. shown: dir, for messages; may be empty. */
int stray_files_look(struct stray_files *s, const char *dir, const char *shown, const char *name, struct err *err);
/* Notes and forgets what was found. Takes rc of what was done before. */
int stray_files_end(struct stray_files *s, enum note_kind note, struct findings *report, int rc, struct err *err);
/* All below a directory that is not read. */
int stray_files_below(const char *dir, const char *shown, enum note_kind note, struct findings *report, struct err *err);
/* table_dir/name, a directory whose name is no region's: all below it. */
int stray_files_beside_regions(const char *table_dir, const char *name, struct findings *report, struct err *err);

#endif
