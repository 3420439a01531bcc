/* Collects the warnings of a run, and prints them. */
#ifndef CMD_COMMON_WARNINGS_H
#define CMD_COMMON_WARNINGS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/warning.h"
#include "cmd/common/report.h"

/* A run of its own within this one: it counts the warnings so far, of options, and its own. reporter_free at its end. */
void reporter_begin_part(struct reporter *r);
void reporter_free(struct reporter *r);

/* A warning: counted, also where --quiet does not print it. n: of how many things it speaks. */
void report_warn(struct reporter *r, enum warning w, uint64_t n, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The warnings of this code stop the run, strict or not. */
void report_stop(struct reporter *r, enum warning w);
void report_warnings(struct reporter *r, const struct buf *text); /* each one of a text, see base/warning.h */
/* Returns whether there was a warning that --allow does not name. */
bool reporter_warned(const struct reporter *r);
/* A warning that --allow does not name is an error (ERR_REJECTS): with --strict each, else those that stop every run: an empty
 * file, timestamps in another unit, text that is not UTF-8, a TTL that removes every cell. */
int report_strict(const struct reporter *r, struct err *err);
/* As report_strict, for a dataset that was made earlier, and its warnings as the manifest has them. */
int report_strict_earlier(const struct reporter *r, const char *dir, const json_t *warnings, struct err *err);
/* {"no-records": 1}; *out NULL: there were none. */
int report_warnings_counts(const struct reporter *r, json_t **out, struct err *err);

#endif
