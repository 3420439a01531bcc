/* Result documents of --json. */
#ifndef CMD_COMMON_RESULT_H
#define CMD_COMMON_RESULT_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/common/report.h"

struct path_names;

/* Prints a result document, an object, on stdout where --json is given, and adds it to the page of --html. It begins with the
 * name of its schema (docs/schemas) and the version of the program, and has "warnings" since the last one, if there are any. of:
 * what the document is, where the command has several; NULL: its result. Takes result over; NULL is out of memory. */
int report_json_put(struct reporter *r, const char *of, json_t *result, struct err *err);
/* Gives the result its first two members and the warnings; the caller prints it. Takes result over; NULL: out of memory. */
json_t *report_json_mark(struct reporter *r, const char *of, json_t *result);
/* Prints, where print is set, a document of several lines, this one, and adds it to the page of --html. Names stand for the paths
 * in it; *gone as in stdout_write. Takes j over; NULL is out of memory. */
int report_json_line(struct reporter *r, bool print, const struct path_names *names, json_t *j, bool *gone, struct err *err);
/* Prints, with --json, and where no document is out, one with "error" instead of results. */
void report_json_error(struct reporter *r, const struct err *error);

#endif
