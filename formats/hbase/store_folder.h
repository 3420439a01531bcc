/* The files in one family's folder that are its store's, by name and .filelist; and edits that wait to be replayed. */
#ifndef FORMATS_HBASE_STORE_FOLDER_H
#define FORMATS_HBASE_STORE_FOLDER_H

#include "formats/hbase/snapshot.h"
#include "formats/hbase/store_report.h"

enum store_tracking {
    STORE_UNTRACKED,    /* every file in the folder is live */
    STORE_TRACKED,      /* only those that .filelist names */
    STORE_MAYBE_TRACKED /* no descriptor says it: as TRACKED when there is a .filelist */
};

/* The files of dir, sorted by name. shown: "region/family", for messages. */
int store_folder_read(const char *dir, const char *shown, enum store_tracking tracking, struct snapshot_family *out,
                      struct store_report *report, struct err *err);
/* Notes what lies in the recovered.edits of a region. */
int store_folder_edits(const char *region_dir, const char *shown, struct store_report *report, struct err *err);
/* Counts the store files of a folder that is not read. */
int store_folder_skip(const char *dir, const char *shown, enum store_note note, struct store_report *report, struct err *err);

#endif
