#include "formats/hbase/store_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct note_text {
    const char *text;
    bool counts_files; /* else regions, with files and bytes in them */
} note_texts[NOTE_KINDS] = {
    [NOTE_OTHER_NAMES] = {"files whose names are not those of store files, left out", true},
    [NOTE_OTHER_FAMILIES] = {"files in folders of families that the table's descriptor does not have, left out", true},
    [NOTE_UNTRACKED] = {"files that .filelist does not name (of a flush or compaction that did not come to its end), left out",
                        true},
    [NOTE_NO_FILE_LIST] = {"families without .filelist though the table's files are tracked, all their files are read", false},
    [NOTE_EDITS] =
        {"files of edits in recovered.edits that are in no store file, NOT READ: open the table in HBase and flush it, or lose "
         "them",
         true},
    [NOTE_EDITS_AS_HFILES] =
        {"files in recovered.hfiles whose cells are in no store file yet, NOT READ: open the table in HBase, or "
         "lose them",
         true},
    [NOTE_WAL] =
        {"write-ahead logs that name the table's regions, NOT READ: edits that were not flushed are only there; flush the table "
         "in HBase, or lose them",
         true},
    [NOTE_NO_REGION_INFO] = {"regions without a readable .regioninfo, their key ranges are not known", false},
    [NOTE_OTHER_REGION_NAME] = {"regions whose .regioninfo is that of another region", false},
    [NOTE_REPLICAS] = {"replicas of regions, left out: they share the files of the first", false},
    [NOTE_PARENTS] = {"regions that were split or merged, left out: their cells are in newer regions", false},
    [NOTE_LONE_PARENTS] = {"regions marked as split that no newer region covers, read", false},
    [NOTE_UNFINISHED] =
        {"regions of a split or merge that did not come to its end, left out: the regions they were made of are read", false},
};

int store_report_note(struct store_report *r, enum store_note kind, const char *name, uint64_t files, uint64_t bytes,
                      struct err *err) {
    struct store_noted *noted = &r->of[kind];
    noted->n++;
    noted->files += files;
    noted->bytes += bytes;
    if (noted->first) return 0;
    noted->first = strdup(name);
    return noted->first ? 0 : err_nomem(err, strlen(name), "a note");
}

static int put_problem(struct store_report *r, const char *text, struct err *err) {
    r->n_problems++;
    return buf_printf(&r->problems, err, "%s\n", text);
}

int store_report_problem(struct store_report *r, struct err *err, const char *fmt, ...) {
    char *text = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n < 0) return err_nomem(err, 0, "a message");
    int rc = put_problem(r, text, err);
    free(text);
    return rc;
}

int store_report_take(struct store_report *r, struct err *damage, struct err *err) {
    if (damage->code == ERR_INPUT) return put_problem(r, damage->text, err);
    err_keep(err, damage);
    return -1;
}

static int say(struct store_report *r, enum store_note kind, struct err *err) {
    const struct store_noted *noted = &r->of[kind];
    const struct note_text *t = &note_texts[kind];
    if (t->counts_files)
        return buf_printf(&r->warnings, err, "%s: %" PRIu64 " (%" PRIu64 " bytes), first %s\n", t->text, noted->n, noted->bytes,
                          noted->first);
    return buf_printf(&r->warnings, err, "%s: %" PRIu64 " (%" PRIu64 " files, %" PRIu64 " bytes), first %s\n", t->text, noted->n,
                      noted->files, noted->bytes, noted->first);
}

int store_report_finish(struct store_report *r, struct err *err) {
    for (unsigned kind = 0; kind < NOTE_KINDS; kind++)
        if (r->of[kind].n && say(r, kind, err)) return -1;
    return 0;
}

void store_report_free(struct store_report *r) {
    for (unsigned kind = 0; kind < NOTE_KINDS; kind++) free(r->of[kind].first);
    buf_free(&r->warnings);
    buf_free(&r->problems);
    *r = (struct store_report){0};
}
