/* Guesses what people may have meant by a field that is wrong, for the message. */
#ifndef FORMATS_TEXT_TEXT_HINT_H
#define FORMATS_TEXT_TEXT_HINT_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/warning.h"
#include "engine/read_opts.h"
#include "formats/text/text_input.h"

/* Adds a warning to all, once, though several inputs say it, or one is opened twice. n: of how many things. */
int text_warn_into(struct buf *all, enum warning code, uint64_t n, const char *text, struct err *err);
int text_warn_once(const struct read_opts *o, enum warning code, const char *text, struct err *err);
/* Warns of a file that holds no record, unless it is a part of one, or standard input. */
int text_warn_empty(const struct text_input *t, const struct read_opts *o, struct err *err);
/* Returns what to do where text that was to have columns begins as JSON does; "" if it does not. */
const char *text_hint_json(struct bytes text);
/* Returns a usual delimiter that cuts the field into at least so many; 0: none does. */
char text_usual_delimiter(struct bytes field, size_t least);
/* Guesses which byte the author of a record with a single field may have meant as the delimiter: "; is ';' the delimiter? Give
 * -d ';'", or "": none makes at least so many fields of it. mapped: by a mapping, where the delimiter is given. */
const char *text_guess_delimiter(struct bytes field, size_t least, bool mapped, char out[TEXT_GUESS_BYTES]);
/* Returns a hint for a header without the column `name`: another delimiter, if its only field consists of names; or how to read
 * names in quotes; or how to leave the file out, if it is a member of an archive, which may hold other things than tables; or "".
 * path may be NULL. */
const char *text_header_hint(const char *path, const struct bytes *header, uint32_t n, struct bytes name, bool mapped,
                             char out[TEXT_HINT_BYTES]);

#endif
