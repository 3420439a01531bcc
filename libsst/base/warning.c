/* The table of warnings, and texts of them: "name n message", one a line, so that a list can be copied and searched as a text.
 * Relies on messages without line breaks, which warning_add sees to. */
#include "base/warning.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[WARNING_COUNT] = {
    [WARN_NO_RECORDS] = "no-records",
    [WARN_EMPTY_FILE] = "empty-file",
    [WARN_NOTHING_SELECTED] = "nothing-selected",
    [WARN_INPUT_TWICE] = "input-twice",
    [WARN_INPUT_ORDER] = "input-order",
    [WARN_MERGED_BEFORE] = "merged-before",
    [WARN_REJECTED] = "rejected",
    [WARN_DAMAGE_SKIPPED] = "damage-skipped",
    [WARN_MEMBERS_PASSED_OVER] = "members-passed-over",
    [WARN_INPUT_UNREAD] = "input-unread",
    [WARN_TIMESTAMP_UNIT] = "timestamp-unit",
    [WARN_TIMESTAMP_NEGATIVE] = "timestamp-negative",
    [WARN_TIMESTAMP_LATEST] = "timestamp-latest",
    [WARN_NOW_UNIT] = "now-unit",
    [WARN_NOW_RANGE] = "now-range",
    [WARN_TTL_UNIT] = "ttl-unit",
    [WARN_ALL_EXPIRED] = "all-expired",
    [WARN_NOT_UTF8] = "not-utf8",
    [WARN_DUPLICATES] = "duplicates",
    [WARN_HEADER] = "header",
    [WARN_NUMBERS_JOINED] = "numbers-joined",
    [WARN_NULL_TEXT] = "null-text",
    [WARN_QUOTES_KEPT] = "quotes-kept",
    [WARN_ESCAPES_KEPT] = "escapes-kept",
    [WARN_CR_KEPT] = "cr-kept",
    [WARN_MARK_INSIDE] = "mark-inside",
    [WARN_LINES_JOINED] = "lines-joined",
    [WARN_DELIMITER] = "delimiter",
    [WARN_RECORD_IN_QUOTES] = "record-in-quotes",
    [WARN_CLOCK_CHANGE] = "clock-change",
    [WARN_UTF_16] = "utf-16",
    [WARN_ENVIRONMENT] = "environment",
    [WARN_PATH_MISSING] = "path-missing",
    [WARN_UNMATCHED] = "unmatched",
    [WARN_SNAPSHOT_EXPIRED] = "snapshot-expired",
    [WARN_NOT_FLUSHED] = "not-flushed",
    [WARN_LOGS_IN_PART] = "logs-in-part",
    [WARN_LOG_NOT_CLOSED] = "log-not-closed",
    [WARN_LOG_MISSING] = "log-missing",
    [WARN_BULK_LOADED] = "bulk-loaded",
    [WARN_ARCHIVED_FILES] = "archived-files",
    [WARN_REGION_HOLE] = "region-hole",
    [WARN_REGION_OVERLAP] = "region-overlap",
    [WARN_REGION_INFO] = "region-info",
    [WARN_REGIONS_LEFT_OUT] = "regions-left-out",
    [WARN_SPLIT_PARENT_READ] = "split-parent-read",
    [WARN_FILES_LEFT_OUT] = "files-left-out",
    [WARN_FILE_LIST_MISSING] = "file-list-missing",
    [WARN_DESCRIPTOR_UNREAD] = "descriptor-unread",
    [WARN_MOB_MISSING] = "mob-missing",
    [WARN_DDL_PADDED] = "ddl-padded",
    [WARN_DDL_COLUMN] = "ddl-column",
    [WARN_DDL_KEY_LENGTH] = "ddl-key-length",
    [WARN_DDL_GENERATED] = "ddl-generated",
    [WARN_DDL_DISABLED] = "ddl-disabled",
    [WARN_DDL_TTL] = "ddl-ttl",
    [WARN_DDL_NAME] = "ddl-name",
    [WARN_DDL_INDEX] = "ddl-index",
    [WARN_DDL_ROWS] = "ddl-rows",
    [WARN_BOUNDS_NOT_UTF8] = "bounds-not-utf8",
    [WARN_BOUNDS_PRINTED] = "bounds-printed",
    [WARN_CLIENT_ORDER] = "client-order",
    [WARN_ROWS_DIVIDED] = "rows-divided",
    [WARN_RULES_DIFFER] = "rules-differ",
    [WARN_RULES_IGNORED] = "rules-ignored",
    [WARN_MARKERS_PURGED] = "markers-purged",
    [WARN_BASE_NOT_REUSED] = "base-not-reused",
    [WARN_FAMILY_NEW] = "family-new",
    [WARN_OUTPUT_DAMAGED] = "output-damaged",
    [WARN_CELL_TTL_LOST] = "cell-ttl-lost",
    [WARN_TAGS_LOST] = "tags-lost",
    [WARN_LONG_ROWS] = "long-rows",
    [WARN_MARKERS_AHEAD] = "markers-ahead",
    [WARN_ACCESS] = "access",
    [WARN_NOT_EMULATED] = "not-emulated",
    [WARN_SAMPLE] = "sample",
    [WARN_ONE_TIMESTAMP] = "one-timestamp",
    [WARN_TARGET_CHECK] = "target-check",
    [WARN_OLDER_DELTA] = "older-delta",
    [WARN_LOAD_HISTORY] = "load-history",
    [WARN_WHOLE_TABLES_ONLY] = "whole-tables-only",
    [WARN_CELLS_DO_NOT_FIT] = "cells-do-not-fit",
    [WARN_CELLS_DIFFER] = "cells-differ",
    [WARN_TABLE_NAMES_DIFFER] = "table-names-differ",
    [WARN_CLOCK_UNKNOWN] = "clock-unknown",
    [WARN_HASHED_IN_PART] = "hashed-in-part",
    [WARN_NO_HASH_MATCHES] = "no-hash-matches",
};

const char *warning_name(enum warning w) {
    return names[w];
}

enum warning warning_named(const char *name) {
    unsigned w = 0;
    while (w < WARNING_COUNT && strcmp(names[w], name)) w++;
    return (enum warning)w;
}

bool warning_is_of_a_file(enum warning w) {
    const bool of_text = w >= WARN_NULL_TEXT && w <= WARN_UTF_16;
    return of_text || w == WARN_EMPTY_FILE || w == WARN_HEADER || w == WARN_NUMBERS_JOINED || w == WARN_MEMBERS_PASSED_OVER;
}

uint64_t warning_hash(struct bytes text) {
    return murmur64a(text.p, text.n, 0) >> 1;
}

/* ---- a full text ---- */

#define MORE " more of this kind, for which the list has no room"

/* Returns how many warnings a message stands for: 1, or those that another text had no room for. */
static uint64_t count_of(struct bytes message) {
    const size_t n = sizeof MORE - 1;
    const bool is = message.n > n && !memcmp(message.p + message.n - n, MORE, n);
    return is ? strtoull((const char *)message.p, NULL, 10) : 1;
}

/* Writes the line that stands for all warnings of code w after the limit, with those that it counted before. */
static int put_more(struct buf *text, enum warning w, uint64_t n, uint64_t count, struct err *err) {
    const uint8_t *last = memchr(text->p + WARNING_TEXT_BYTES - 1, '\n', text->n - WARNING_TEXT_BYTES + 1);
    struct warning_line line;
    for (size_t at = (size_t)(last + 1 - text->p), begin = at; warning_next(text, &at, &line); begin = at) {
        if (line.code != w) continue;
        n += line.n;
        count += count_of(line.text);
        memmove(text->p + begin, text->p + at, text->n - at);
        text->n -= at - begin;
        break;
    }
    return buf_printf(text, err, "%s %" PRIu64 " %" PRIu64 "%s\n", names[w], n, count, MORE);
}

int warning_add(struct buf *text, enum warning w, uint64_t n, struct err *err, const char *fmt, ...) {
    char *message = NULL;
    va_list ap;
    va_start(ap, fmt);
    int len = vasprintf(&message, fmt, ap);
    va_end(ap);
    if (len < 0) return err_nomem(err, 0, "a warning");
    for (char *p = message; *p; p++)
        if (*p == '\n') *p = ' ';
    int rc = text->n < WARNING_TEXT_BYTES ? buf_printf(text, err, "%s %" PRIu64 " %s\n", names[w], n, message)
                                          : put_more(text, w, n, count_of(bytes_str(message)), err);
    free(message);
    return rc;
}

bool warning_next(const struct buf *text, size_t *at, struct warning_line *out) {
    if (*at >= text->n) return false;
    const char *line = (const char *)text->p + *at;
    size_t left = text->n - *at, n = (size_t)((const char *)memchr(line, '\n', left) - line), k = 0;
    char name[64] = "";
    while (line[k] != ' ') k++;
    memcpy(name, line, k);
    *out = (struct warning_line){.code = warning_named(name)};
    for (k++; line[k] != ' '; k++) out->n = 10 * out->n + (uint64_t)(line[k] - '0');
    k++;
    out->text = bytes_of(line + k, n - k);
    *at += n + 1;
    return true;
}
