/* What a compaction decides from whole files of one (partition, family), before it looks at a cell: their age, which of
 * them the TTL removes, the oldest Put that is left, and which sequence ids have had their time. Pure functions.
 * Source: HBase StoreFileComparators.SEQ_ID, HStore.removeUnneededFiles, Compactor.getFileDetails; docs/compaction.md. */
#ifndef RULES_FILE_FACTS_H
#define RULES_FILE_FACTS_H

#include "base/bytes.h"
#include "table/table.h"

struct file_facts {
    struct bytes name; /* borrowed */
    uint64_t bytes;    /* size of the file */
    int64_t max_seq;   /* largest sequence id, of a bulk-loaded file the one it was given; -1 = unknown */
    int64_t bulk_ms;   /* BULKLOAD_TIMESTAMP; INT64_MAX = not bulk loaded */
    bool has_cells;
    int64_t ts_max_ms;       /* over all cells, markers too; INT64_MAX = unknown. Counts only when has_cells */
    int64_t earliest_put_ms; /* over all Puts; INT64_MAX = there is none, INT64_MIN = unknown. Counts only when has_cells */
    int64_t made_ms;         /* when the file was changed last */
    int64_t created_ms;      /* hfile.CREATE_TIME_TS; 0 = unknown */
    uint64_t max_mvcc;       /* MAX_MEMSTORE_TS_KEY: the largest sequence id stored in it; 0 = none, or unknown */
};

/* Age order: < 0 when a is older. By sequence id, then the larger file is older, then bulk time, then name. */
int file_facts_age_cmp(const struct file_facts *a, const struct file_facts *b);

/* files: in age order, oldest first, by file_facts_age_cmp or as the caller ranks them. Sets dropped[i] for the files
 * that go whole: with a TTL and MIN_VERSIONS 0, all that hold nothing but expired cells, except the newest file, even
 * if that has no cells. Returns their number. */
size_t file_facts_expire(const struct file_facts *files, size_t n, const struct family_rules *family, int64_t now_ms,
                         bool *dropped);

/* Under NEW_VERSION_BEHAVIOR, where the rules do not look at a cell's time first, this shows: the newest file is not read either
 * when it holds nothing but expired cells (StoreScanner does not open it). Its oldest Put counts all the same. */
void file_facts_leave_out(const struct file_facts *files, size_t n, const struct family_rules *family, int64_t now_ms,
                          bool *dropped);

/* The oldest Put of the files that are not dropped (dropped may be NULL): what rules_env wants. INT64_MAX when there is
 * no Put; INT64_MIN when a file does not say, so that no marker is taken for older than every Put. */
int64_t file_facts_earliest_put(const struct file_facts *files, size_t n, const bool *dropped);

/* A major compaction writes 0 for the sequence ids of all cells, of whichever file, up to the largest one that is stored in a
 * file older than keep_ms: this file's say in it. 0 = none. keep_ms 0: ids are kept for ever. */
uint64_t file_facts_old_seq(const struct file_facts *f, int64_t now_ms, int64_t keep_ms);

#endif
