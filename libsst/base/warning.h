/* Warnings: what the user should know of a run that continues. Each has a code, which never changes, and a count of what it is
 * about. Rooms below the programs add them to a text, one a line; programs print them, count them and, with --strict, fail.
 * docs/warnings.md explains each code. */
#ifndef BASE_WARNING_H
#define BASE_WARNING_H

#include "base/buf.h"

enum warning {
    /* the input as a whole */
    WARN_NO_RECORDS,
    WARN_EMPTY_FILE,
    WARN_NOTHING_SELECTED,
    WARN_INPUT_TWICE,
    WARN_INPUT_ORDER,
    WARN_MERGED_BEFORE,
    WARN_REJECTED,
    WARN_DAMAGE_SKIPPED,
    WARN_MEMBERS_PASSED_OVER,
    WARN_INPUT_UNREAD,
    WARN_TIMESTAMP_UNIT,
    WARN_TIMESTAMP_NEGATIVE,
    WARN_TIMESTAMP_LATEST,
    WARN_NOW_UNIT,
    WARN_NOW_RANGE,
    WARN_TTL_UNIT,
    WARN_ALL_EXPIRED,
    WARN_NOT_UTF8,
    WARN_DUPLICATES,
    WARN_HEADER,
    WARN_NUMBERS_JOINED,
    WARN_NULL_TEXT,
    WARN_QUOTES_KEPT,
    WARN_ESCAPES_KEPT,
    WARN_CR_KEPT,
    WARN_MARK_INSIDE,
    WARN_LINES_JOINED,
    WARN_DELIMITER,
    WARN_RECORD_IN_QUOTES,
    WARN_CLOCK_CHANGE,
    WARN_UTF_16,
    WARN_ENVIRONMENT,
    WARN_PATH_MISSING,
    WARN_UNMATCHED,
    /* directories of HBase */
    WARN_SNAPSHOT_EXPIRED,
    WARN_NOT_FLUSHED,
    WARN_LOGS_IN_PART,
    WARN_LOG_NOT_CLOSED,
    WARN_LOG_MISSING,
    WARN_BULK_LOADED,
    WARN_ARCHIVED_FILES,
    WARN_REGION_HOLE,
    WARN_REGION_OVERLAP,
    WARN_REGION_INFO,
    WARN_REGIONS_LEFT_OUT,
    WARN_SPLIT_PARENT_READ,
    WARN_FILES_LEFT_OUT,
    WARN_FILE_LIST_MISSING,
    WARN_DESCRIPTOR_UNREAD,
    WARN_MOB_MISSING,
    /* the table, its partitions and rules */
    WARN_DDL_PADDED,
    WARN_DDL_COLUMN,
    WARN_DDL_KEY_LENGTH,
    WARN_DDL_GENERATED,
    WARN_DDL_DISABLED,
    WARN_DDL_TTL,
    WARN_DDL_NAME,
    WARN_DDL_INDEX,
    WARN_DDL_ROWS,
    WARN_BOUNDS_NOT_UTF8,
    WARN_BOUNDS_PRINTED,
    WARN_CLIENT_ORDER,
    WARN_ROWS_DIVIDED,
    WARN_RULES_DIFFER,
    WARN_RULES_IGNORED,
    WARN_MARKERS_PURGED,
    /* the output */
    WARN_BASE_NOT_REUSED,
    WARN_FAMILY_NEW,
    WARN_OUTPUT_DAMAGED,
    WARN_CELL_TTL_LOST,
    WARN_TAGS_LOST,
    WARN_LONG_ROWS,
    WARN_MARKERS_AHEAD,
    /* plans and simulations */
    WARN_ACCESS,
    WARN_NOT_EMULATED,
    WARN_SAMPLE,
    WARN_ONE_TIMESTAMP,
    /* databases and references to compare with */
    WARN_TARGET_CHECK,
    WARN_OLDER_DELTA,
    WARN_LOAD_HISTORY,
    WARN_WHOLE_TABLES_ONLY,
    WARN_CELLS_DO_NOT_FIT,
    WARN_CELLS_DIFFER,
    WARN_TABLE_NAMES_DIFFER,
    WARN_CLOCK_UNKNOWN,
    WARN_HASHED_IN_PART,
    WARN_NO_HASH_MATCHES,
    WARNING_COUNT
};

/* "no-records" */
const char *warning_name(enum warning w);
/* WARNING_COUNT: no warning has this name. */
enum warning warning_named(const char *name);

/* Returns whether the warning is about a file that is read, and given once however often the file is given. */
bool warning_is_of_a_file(enum warning w);
/* Returns a hash by which equal texts are recognised; less than 2^63. */
uint64_t warning_hash(struct bytes text);

enum { WARNING_TEXT_BYTES = 1 << 20 };
/* Appends one to a text. n: of how many things it speaks. Line breaks become spaces. Once the text has WARNING_TEXT_BYTES,
 * further ones are only counted, in one more warning for each code. */
int warning_add(struct buf *text, enum warning w, uint64_t n, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

struct warning_line {
    enum warning code;
    uint64_t n;
    struct bytes text; /* without its line break */
};
/* Takes the warning at *at of such a text and advances *at. false: the end. */
bool warning_next(const struct buf *text, size_t *at, struct warning_line *out);

#endif
