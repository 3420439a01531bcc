/* Text that may come from anywhere, made fit for a terminal, a line of a table or a page: what would act on the reader's screen
 * is shown as bytes; and paths as the reader knows them. Exports: path_names */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include "base/buf.h"

enum { PLAIN_BYTES = 16 }; /* the most that one character becomes */

/* Writes what stands for the character at p: the character itself, or \xNN for each byte of a control, of a character that
 * changes the direction of text or shows nothing, and of what is not UTF-8. Returns its length; *used: bytes of p. left > 0. */
size_t plain_char(const uint8_t *p, size_t left, char out[PLAIN_BYTES], size_t *used);
/* The first control character, TAB and line ends apart; NULL: none. For text that must be written as it is, or not at all. */
const uint8_t *plain_find_control(struct bytes text);
/* Neither control characters, TAB apart, nor line ends: a name that scripts and terminals take for one. */
bool plain_is_name(struct bytes text);
/* The whole text, with a NUL, into room for `room` bytes; what does not fit is cut off after a character. Returns out. */
char *plain_text(struct bytes text, char *out, size_t room);
int plain_put(struct buf *out, struct bytes text, struct err *err);
/* As plain_put, of several lines: their ends stay. */
int plain_put_lines(struct buf *out, struct bytes text, struct err *err);

/* ---- paths ----
 * What temporary paths are called in messages and reports: an archive's members are unpacked into a directory that the reader of
 * a message never named, and that has another name in every run. */

/* Zero-initialise. */
struct path_names {
    struct path_name {
        char *dir, *name;
    } * names;
    size_t n;
};

/* DIR/x is called NAME!x from now on, and DIR itself NAME; if NAME ends with a slash, NAME/x. */
int path_names_add(struct path_names *names, const char *dir, const char *name, struct err *err);
/* Appends the text, with these names for all paths in it. */
int path_names_put(const struct path_names *names, struct bytes text, struct buf *out, struct err *err);
/* As path_names_put, in the text of an error; what does not fit is cut off. */
void path_names_in_error(const struct path_names *names, struct err *err);
void path_names_free(struct path_names *names);

#endif
