/* A look into the store files of a table before they are read: trailer and file info only, many files side by side. Gives what
 * HBase decides from whole files, marks those that a compaction has replaced, and puts the files of each store into the order of
 * their age. Exports: file_seq */
#ifndef FORMATS_HBASE_SURVEY_H
#define FORMATS_HBASE_SURVEY_H

#include "engine/input.h"
#include "engine/job.h"
#include "formats/hbase/read_tree.h"

struct hfile;

/* Facts about a whole file, also where only a half is seen, as HBase takes them. Kept small: there may be 100,000. */
struct surveyed_file {
    int64_t max_seq, bulk_ms, ts_max_ms, earliest_put_ms, created_ms; /* as in file_facts */
    uint64_t cells, max_mvcc, kv_bytes;                               /* kv_bytes: as survey_kv_bytes says */
    uint32_t age;                                                     /* from 1, as in by_age; 0: not looked into */
    uint8_t codec, encoding;                                          /* enum hfile_codec, hfile_encoding */
    bool unread;                /* not opened yet, or could not be opened: reading it will report why */
    bool starts_outside_region; /* its rows do not begin in its region */
    bool of_other_family;       /* than its directory is called after */
    bool left_out;              /* a compaction has replaced it: not read, and has no cells */
};

struct survey {
    const struct store_files *store;
    struct surveyed_file *files; /* as in store_files.files */
    uint32_t *by_age;            /* their indexes: by region, family and age, oldest first */
    size_t n;
    size_t counted_before; /* so many of the first files are seen by another run, too, which warns of those that are left out */
};

/* Makes a survey of the files of s, none of which has been read. s is borrowed. */
int survey_begin(const struct store_files *s, struct survey *out, struct err *err);
/* The look. What cannot be opened is marked; only a lack of memory, a stop request, and a side file `.crc` or a list of compacted
 * files that cannot be right (ERR_INPUT) are errors. Text of warnings (one a line) is added to warnings. */
int survey_run(const struct job *job, const struct store_files *s, struct survey *out, struct buf *warnings, struct err *err);
/* The family of all cells, if it is not the one that the directory, the only one, is called after. NULL: it is, or error. */
char *survey_misnamed(const struct survey *s, size_t block_limit, struct err *err);
/* Borrow from the file. */
struct file_facts survey_facts(const struct store_file *f, const struct surveyed_file *seen);
struct hfile_view survey_view(const struct store_file *f, const struct surveyed_file *seen);
/* Returns the files as input `group` of the engine. Borrows s, which must have been surveyed (survey_run) before files are asked
 * for. */
struct store_input survey_input(const struct survey *s, uint32_t group);
void survey_free(struct survey *s);
/* Returns the bytes of all KeyValues of a file, by the mean lengths that HBase writes, rounded down; 0: they are not there. */
uint64_t survey_kv_bytes(const struct hfile *h);

/* ---- sequence ids of whole files ---- */

/* The largest sequence id of the file; -1: it does not say. */
int64_t file_seq_max(const struct hfile *h, const struct file_seq *s);
/* Returns whether the file was bulk-loaded, so that every cell has the file's sequence id and not its own. Files of ours that
 * HBase has not loaded keep what is stored. Then *seq is set; a file that was never given an id counts as 0. */
bool file_seq_resets(const struct hfile *h, const struct file_seq *s, uint64_t *seq);

#endif
