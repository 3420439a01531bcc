/* Keeps a journal of what a load has done so far, so that the same command resumes after an interruption: a text file, a JSON
 * object a line. The lines of the files of one statement are written and synced together, before the next step.
 *
 *   {"journal": 1, "target": …, "export": …}                    which target, which MANIFEST.json (its checksum)
 *                                                               "now": … of a dataset, that a later run exports the same rows
 *   {"base": TABLE, "partition": …, "rows": … crc_xor}          what a partition held before the first load (zeros are left out)
 *   {"start": FILE, "checksum": …}                              a statement is about to be sent
 *   {"done": FILE, "checksum": …, "rows": …}                    the server has said that it is in; "kept": true where rows that
 *                                                               existed were to be kept (--on-duplicate ignore)
 *
 * A last line without its end is what a crash leaves and is dropped. A journal of another target or export is begun anew. */
#include "cmd/oceanbase/cell_sums.h"
#ifndef CMD_OCEANBASE_JOURNAL_H
#define CMD_OCEANBASE_JOURNAL_H

struct load_journal;

enum journal_state { JOURNAL_NEW, JOURNAL_STARTED, JOURNAL_DONE };

/* Target and source that a journal must be of to be continued. */
struct journal_subject {
    const char *target, *export_sum;
    int64_t now_ms; /* of a dataset: the moment at which its cells are judged, for a new journal; 0: an export */
};

/* Opens or makes path and takes its lock (ERR_BUSY). *found: there was one of this subject. */
int journal_open(const char *path, const struct journal_subject *about, bool anew, struct load_journal **out, bool *found,
                 struct err *err);
/* Reads without lock; *out is NULL if there is none of this subject. */
int journal_read(const char *path, const struct journal_subject *about, struct load_journal **out, struct err *err);
void journal_close(struct load_journal *j);

/* A file of one statement. */
struct journal_file {
    const char *path, *checksum;
    uint64_t rows;
};

/* The moment with which it was begun; 0: j is NULL, or the journal of an export. */
int64_t journal_now(const struct load_journal *j);
/* j NULL: new. Any thread, at any time. */
enum journal_state journal_state_of(const struct load_journal *j, const char *file, const char *checksum);
/* Returns whether a statement was sent, by this run or an earlier one. j NULL: none. */
bool journal_has_begun(const struct load_journal *j);
/* Rows of a file that is in; 0: it is not. */
uint64_t journal_rows(const struct load_journal *j, const char *file);
/* Returns what the partition (NULL: the whole table) held; zeros when nothing was noted. -1 without memory only. */
int journal_base(const struct load_journal *j, const char *table, const char *partition, struct cell_sums *out, struct err *err);

/* Any thread. Written and synced when they return. */
int journal_put_base(struct load_journal *j, const char *table, const char *partition, const struct cell_sums *sums,
                     struct err *err);
int journal_put_start(struct load_journal *j, const struct journal_file *files, size_t n, struct err *err);
int journal_put_done(struct load_journal *j, const struct journal_file *files, size_t n, bool kept, struct err *err);
/* Files that are in, but for rows that existed. j NULL: none. */
size_t journal_count_kept(const struct load_journal *j);

#endif
