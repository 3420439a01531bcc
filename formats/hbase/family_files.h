/* The files in one family's directory that are its store's, by name and .filelist; and edits that wait to be replayed. */
#ifndef FORMATS_HBASE_FAMILY_FILES_H
#define FORMATS_HBASE_FAMILY_FILES_H

#include "base/err.h"
#include "formats/hbase/findings.h"
#include "formats/hbase/snapshot.h"

enum file_tracking {
    FILES_UNTRACKED,    /* every file in the directory is live */
    FILES_TRACKED,      /* only those that .filelist names */
    FILES_MAYBE_TRACKED /* no descriptor says it: as TRACKED when there is a .filelist */
};

/* The files of dir, sorted by name. shown: "region/family", for messages. */
int family_files_read(const char *dir, const char *shown, enum file_tracking tracking, struct snapshot_family *out,
                      struct findings *report, struct err *err);
/* Notes what is in the recovered.edits of a region. */
int family_files_note_edits(const char *region_dir, const char *shown, struct findings *report, struct err *err);
/* Counts the store files of a directory that is not read. */
int family_files_note_skipped(const char *dir, const char *shown, enum note_kind note, struct findings *report, struct err *err);

#endif
