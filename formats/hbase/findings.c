/* Collects findings about the files of a table besides its data: files left out or odd, counted by kind, those missing or
 * damaged, one a line, and key ranges that no region or two regions hold. All are reported, whatever is done about them. */
#include "base/warning.h"
#include "formats/hbase/findings.h"
#include "hfile/hfile_keys.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- notes and problems ---- */

static const struct note_text {
    enum warning code;
    const char *text;
    bool counts_files; /* else regions, with files and bytes in them */
} note_texts[NOTE_KINDS] = {
    [NOTE_OTHER_NAMES] = {WARN_FILES_LEFT_OUT, "files whose names are not those of store files, left out", true},
    [NOTE_OTHER_FAMILIES] = {WARN_FILES_LEFT_OUT,
                             "files in directories of families that the table's descriptor does not have, left out", true},
    [NOTE_UNTRACKED] = {WARN_FILES_LEFT_OUT,
                        "files that .filelist does not name (of an unfinished flush or compaction), left out", true},
    [NOTE_ROOT_STRAYS] = {WARN_FILES_LEFT_OUT,
                          "store files of the root that are in no table, left out, though their cells may be nowhere else; "
                          "directories",
                          false},
    [NOTE_STRAYS] =
        {WARN_FILES_LEFT_OUT,
         "store files where HBase reads none (it reads REGION/FAMILY/FILE), left out, though their cells may be nowhere "
         "else; directories",
         false},
    [NOTE_MISNAMED_REGIONS] =
        {WARN_FILES_LEFT_OUT,
         "store files of regions whose directory has another name, so that HBase does not open it, left out; "
         "give it back its name in hex if it belongs to the table; directories",
         false},
    [NOTE_NO_FILE_LIST] = {WARN_FILE_LIST_MISSING,
                           "families without .filelist though the table's files are tracked, all their files are read", false},
    [NOTE_EDITS] =
        {WARN_NOT_FLUSHED,
         "files of edits in recovered.edits that are in no store file, NOT READ: open the table in HBase and flush it, "
         "or these edits are lost",
         true},
    [NOTE_EDITS_AS_HFILES] =
        {WARN_NOT_FLUSHED,
         "files in recovered.hfiles whose cells are in no store file yet, NOT READ: open the table in HBase, or these "
         "cells are lost",
         true},
    [NOTE_WAL] = {WARN_NOT_FLUSHED,
                  "write-ahead logs that name the table's regions, NOT READ: they alone hold edits that were not flushed; flush "
                  "the table in HBase, or these edits are lost",
                  true},
    [NOTE_NO_REGION_INFO] = {WARN_REGION_INFO, "regions without a readable .regioninfo, so their key ranges are not known",
                             false},
    [NOTE_OTHER_REGION_NAME] = {WARN_REGION_INFO, "regions whose .regioninfo is that of another region", false},
    [NOTE_REPLICAS] = {WARN_REGIONS_LEFT_OUT, "replicas of regions, left out: they share the files of the first", false},
    [NOTE_PARENTS] = {WARN_REGIONS_LEFT_OUT, "regions that were split or merged, left out: their cells are in newer regions",
                      false},
    [NOTE_LONE_PARENTS] = {WARN_SPLIT_PARENT_READ, "regions marked as split that no newer region covers, read", false},
    [NOTE_UNFINISHED] = {WARN_REGIONS_LEFT_OUT,
                         "regions of an unfinished split or merge, left out: their parent regions are read", false},
    [NOTE_MOB_FILES] = {WARN_MOB_MISSING, "mob files that are listed, and are missing or not of the size listed", true},
};

int findings_note(struct findings *r, enum note_kind kind, const char *name, uint64_t files, uint64_t bytes, struct err *err) {
    struct noted *noted = &r->of[kind];
    noted->n++;
    noted->files += files;
    noted->bytes += bytes;
    if (noted->first && strcmp(noted->first, name) <= 0) return 0;
    free(noted->first);
    noted->first = strdup(name);
    return noted->first ? 0 : err_nomem(err, strlen(name), "a note");
}

static int put_problem(struct findings *r, const char *text, struct err *err) {
    if (list_room_take(&r->listed, strlen(text) + 1, "the list of files that are missing or damaged takes", err)) return -1;
    r->n_problems++;
    return buf_printf(&r->problems, err, "%s\n", text);
}

int findings_problem(struct findings *r, struct err *err, const char *fmt, ...) {
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

int findings_take_damage(struct findings *r, struct err *damage, struct err *err) {
    if (damage->code == ERR_INPUT) return put_problem(r, damage->text, err);
    err_keep(err, damage);
    return -1;
}

static int warn_of_kind(struct findings *r, enum note_kind kind, struct err *err) {
    const struct noted *noted = &r->of[kind];
    const struct note_text *t = &note_texts[kind];
    if (t->counts_files)
        return warning_add(&r->warnings, t->code, noted->n, err, "%s: %" PRIu64 " (%" PRIu64 " bytes), first %s", t->text,
                           noted->n, noted->bytes, noted->first);
    return warning_add(&r->warnings, t->code, noted->n, err, "%s: %" PRIu64 " (%" PRIu64 " files, %" PRIu64 " bytes), first %s",
                       t->text, noted->n, noted->files, noted->bytes, noted->first);
}

int findings_list_notes(struct findings *r, struct err *err) {
    for (unsigned kind = 0; kind < NOTE_KINDS; kind++)
        if (r->of[kind].n && warn_of_kind(r, kind, err)) return -1;
    return 0;
}

void findings_forget_notes(struct findings *r) {
    for (unsigned kind = 0; kind < NOTE_KINDS; kind++) {
        free(r->of[kind].first);
        r->of[kind] = (struct noted){0};
    }
}

void findings_free(struct findings *r) {
    findings_forget_notes(r);
    buf_free(&r->warnings);
    buf_free(&r->problems);
    *r = (struct findings){0};
}

/* ---- holes and overlaps between regions ---- */

enum { RANGES_SAID_MAX = 10 };

struct ranges {
    struct findings *report;
    size_t holes, overlaps;
};

static const char *shown(struct bytes key, const char *open, char text[KEY_TEXT_BYTES]) {
    return key.n ? key_text_hex(key, text) : open;
}

static int say_hole(struct ranges *r, struct bytes from, struct bytes to, struct err *err) {
    char a[KEY_TEXT_BYTES], b[KEY_TEXT_BYTES];
    if (r->holes++ >= RANGES_SAID_MAX) return 0;
    return warning_add(&r->report->warnings, WARN_REGION_HOLE, 1, err, "no region holds the rows from %s to %s: they are missing",
                       shown(from, "the first", a), shown(to, "the last", b));
}

static int say_overlap(struct ranges *r, const struct region_info *x, const struct region_info *y, struct err *err) {
    char a[KEY_TEXT_BYTES], b[KEY_TEXT_BYTES];
    bool x_ends = x->end.n && (!y->end.n || bytes_cmp(buf_bytes(&x->end), buf_bytes(&y->end)) < 0);
    struct bytes to = buf_bytes(x_ends ? &x->end : &y->end);
    if (r->overlaps++ >= RANGES_SAID_MAX) return 0;
    return warning_add(&r->report->warnings, WARN_REGION_OVERLAP, 1, err,
                       "regions %s and %s both hold the rows from %s to %s: both are read", x->encoded, y->encoded,
                       shown(buf_bytes(&y->start), "the first", a), shown(to, "the last", b));
}

static int say_rest(const struct ranges *r, struct err *err) {
    size_t holes = r->holes > RANGES_SAID_MAX ? r->holes - RANGES_SAID_MAX : 0,
           overlaps = r->overlaps > RANGES_SAID_MAX ? r->overlaps - RANGES_SAID_MAX : 0;
    if (!holes && !overlaps) return 0;
    return warning_add(&r->report->warnings, holes ? WARN_REGION_HOLE : WARN_REGION_OVERLAP, holes + overlaps, err,
                       "and more: %zu range%s without a region, %zu held by two", holes, holes == 1 ? "" : "s", overlaps);
}

int findings_check_ranges(const struct region_info *regions, size_t n, struct findings *report, struct err *err) {
    struct ranges r = {.report = report};
    const struct region_info *last = NULL; /* of those before, the one that reaches furthest */
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) {
        struct bytes start = buf_bytes(&regions[i].start), end = buf_bytes(&regions[i].end);
        int c = !last ? start.n > 0 : !last->end.n ? -1 : bytes_cmp(start, buf_bytes(&last->end));
        if (c > 0) rc = say_hole(&r, last ? buf_bytes(&last->end) : (struct bytes){0}, start, err);
        if (c < 0) rc = say_overlap(&r, last, &regions[i], err);
        bool further = !last || (last->end.n && (!end.n || bytes_cmp(end, buf_bytes(&last->end)) > 0));
        if (further) last = &regions[i];
    }
    if (!rc && n == 0) rc = warning_add(&report->warnings, WARN_REGION_HOLE, 1, err, "there is no region");
    if (!rc && last && last->end.n) rc = say_hole(&r, buf_bytes(&last->end), (struct bytes){0}, err);
    return rc ? rc : say_rest(&r, err);
}
