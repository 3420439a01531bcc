/* Collects findings about the files of a table: files left out or odd, counted by kind, and those missing or damaged. */
#ifndef FORMATS_HBASE_FINDINGS_H
#define FORMATS_HBASE_FINDINGS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/list_room.h"
#include "formats/hbase/region_info.h"

enum note_kind {
    NOTE_OTHER_NAMES,
    NOTE_OTHER_FAMILIES,
    NOTE_UNTRACKED,
    NOTE_STRAYS,
    NOTE_MISNAMED_REGIONS,
    NOTE_NO_FILE_LIST,
    NOTE_EDITS,
    NOTE_EDITS_AS_HFILES,
    NOTE_WAL,
    NOTE_NO_REGION_INFO,
    NOTE_OTHER_REGION_NAME,
    NOTE_REPLICAS,
    NOTE_PARENTS,
    NOTE_LONE_PARENTS,
    NOTE_UNFINISHED,
    NOTE_MOB_FILES,
    NOTE_ROOT_STRAYS,
    NOTE_KINDS
};

struct findings {
    struct noted {
        uint64_t n; /* of what the note is about: regions, directories or files */
        uint64_t files, bytes;
        char *first; /* by name */
    } of[NOTE_KINDS];
    struct buf warnings;           /* one a line */
    struct buf problems;           /* one a line */
    struct list_room listed, kept; /* for what directories and manifests list; for the regions and files that come of it */
    size_t n_problems;
    bool missing; /* some of the problems: files that are nowhere */
};

/* files and bytes are added to what was noted before; name is copied if it is the first by name. */
int findings_note(struct findings *r, enum note_kind kind, const char *name, uint64_t files, uint64_t bytes, struct err *err);
int findings_problem(struct findings *r, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A problem that came as an error; running out of memory and the like stay errors: -1. */
int findings_take_damage(struct findings *r, struct err *damage, struct err *err);
void findings_forget_notes(struct findings *r);
/* Appends a line for every kind noted to the warnings. */
int findings_list_notes(struct findings *r, struct err *err);
void findings_free(struct findings *r);

/* regions by start key. Warns about every hole and overlap: keys in hex, the first ten of each. */
int findings_check_ranges(const struct region_info *regions, size_t n, struct findings *report, struct err *err);

#endif
