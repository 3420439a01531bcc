/* Prints the pieces of results: JSON strings of any bytes, moments for people, and standard output whose reader may leave
 * early. */
#ifndef CMD_COMMON_OUTPUT_TEXT_H
#define CMD_COMMON_OUTPUT_TEXT_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A fresh JSON string; NULL only when out of memory. */
json_t *json_text(const char *s);
/* Bytes as people read them: text, and \xNN for what is none or what a terminal would obey. The hex beside it is exact. */
json_t *json_plain(struct bytes b);
/* As json_plain, of family:qualifier. */
json_t *json_plain_column(struct bytes family, struct bytes qualifier);
/* Bytes as lower-case hex. */
json_t *json_hex(struct bytes b);
int json_text_put(json_t *j, struct err *err);

/* "2026-11-21T18:30:05.123Z" */
void moment_rfc3339(int64_t ms, char out[32]);
/* "2026-11-21 18:30:05 UTC", or the date alone; a number of ms where it is no date of the years 0 to 9999. */
void moment_text(int64_t ms, bool with_time, char out[48]);

/* printf for text that holds names: line ends stay, and what a terminal would obey is shown as \xNN (base/plain.h). */
void text_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* All of it, or an error; a reader that went away (EPIPE) is none: *gone is set, and the command ends quietly. */
int stdout_write(const void *p, size_t n, bool *gone, struct err *err);
/* As stdout_write, of text that holds names, as text_print has it. */
int stdout_write_text(struct bytes text, bool *gone, struct err *err);
/* Text that others have written, such as values: as stdout_write_text on a terminal, which would obey it; pipes and files get
 * every byte. */
int stdout_write_data(struct bytes text, bool *gone, struct err *err);
/* One of the first two, with names for the paths in it (base/plain.h). */
struct path_names;
int stdout_write_named(const struct path_names *names, struct bytes text, bool is_json, bool *gone, struct err *err);

#endif
