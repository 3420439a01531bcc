/* What is said about the files of a table: things left out or odd, counted by kind, and what is missing or damaged. */
#ifndef FORMATS_HBASE_STORE_REPORT_H
#define FORMATS_HBASE_STORE_REPORT_H

#include "base/buf.h"

enum store_note {
    NOTE_OTHER_NAMES,
    NOTE_OTHER_FAMILIES,
    NOTE_UNTRACKED,
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
    NOTE_KINDS
};

struct store_report {
    struct store_noted {
        uint64_t n; /* of what the note is about: regions or files */
        uint64_t files, bytes;
        char *first; /* name of one of them */
    } of[NOTE_KINDS];
    struct buf warnings; /* one a line */
    struct buf problems; /* one a line */
    size_t n_problems;
    bool missing; /* some of the problems: files that lie nowhere */
};

/* files and bytes are added to what was noted before; name is copied from the first. */
int store_report_note(struct store_report *r, enum store_note kind, const char *name, uint64_t files, uint64_t bytes,
                      struct err *err);
int store_report_problem(struct store_report *r, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A problem that came as an error; running out of memory and the like stay errors: -1. */
int store_report_take(struct store_report *r, struct err *damage, struct err *err);
/* Puts a line for every kind noted behind the warnings. */
int store_report_finish(struct store_report *r, struct err *err);
void store_report_free(struct store_report *r);

#endif
