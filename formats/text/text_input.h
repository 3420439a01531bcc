/* Shared by text formats: cutting an input into chunks of whole records, numbers in decimal, and row keys as people give them on
 * the command line.
 * Exports: hex */
#ifndef FORMATS_TEXT_TEXT_INPUT_H
#define FORMATS_TEXT_TEXT_INPUT_H

#include "base/buf.h"
#include "engine/format.h"

/* Length of the whole records at the head of data; 0 = not even the first one is known to be complete. */
typedef size_t (*text_cut)(const void *arg, struct bytes data);

struct text_input {
    struct instream *in;
    const struct stop *stop;
    struct buf carry;      /* the start of a record whose end has not been read yet */
    uint64_t offset, line; /* of carry */
    size_t head_bytes;     /* before the first record: a byte order mark, lines that are skipped */
    uint64_t head_lines;   /* so many of them */
    size_t chunk_bytes, max_record_bytes;
    bool cr_ends; /* a lone CR ends a line too */
    bool at_end;
    struct text_part part;      /* end == 0: all is read */
    bool begun;                 /* the stream is where the part begins */
    struct block_choice blocks; /* of == 0, or only these are read: */
    int fd;                     /* -1: the content is not a plain file */
    uint64_t size, next_block;  /* next_block: offset */
};

/* Takes ownership of `in`, also on failure; skips a UTF-8 byte order mark. */
int text_open(struct text_input *t, struct instream *in, const struct read_opts *o, bool cr_ends, struct err *err);
/* Passes, after text_open, over so many lines at the beginning, as far as there are any. */
int text_skip_lines(struct text_input *t, uint32_t lines, struct err *err);
/* Opens text of a format that writes cells in hex, which doubles what they take. */
int text_open_hex(struct text_input *t, struct instream *in, const struct read_opts *o, struct err *err);
/* Fills c->data, offset and line with whole records. 1 chunk, 0 end, -1 error. */
int text_next(struct text_input *t, text_cut cut, const void *arg, struct chunk *c, struct err *err);
void text_close(struct text_input *t);

/* As text_close, of the next chosen block. A line end is the end of a record: if quotes may contain line ends, it must not be
 * used. */
int text_next_block(struct text_input *t, struct chunk *c, struct err *err);

/* The members with which every reader of text begins. */
struct text_reader {
    struct reader reader;
    struct text_input text;
};

/* A zeroed reader of so many bytes that begins with a text_reader. NULL: no memory, and `in` is closed. */
void *text_reader_new(size_t bytes, const struct reader_ops *ops, struct instream *in, struct err *err);
/* Reads by lines, after text_open, where a line end is the end of a record, wherever it is. */
void text_reader_by_lines(struct text_reader *r);
/* reader_ops of all of them; text_reader_next where a record is a line. */
int text_reader_next(struct reader *base, struct chunk *c, struct err *err);
uint64_t text_reader_input_bytes(const struct reader *base);
int text_reader_checksum(const struct reader *base, char hex[17], struct err *err);

/* A text_cut of formats whose records are lines, which end at LF. */
size_t text_cut_lines(const void *arg, struct bytes data);
/* Takes a line, without its LF or CRLF, off *rest. */
struct bytes text_take_line(struct bytes *rest);

/* Lines that end within data: LF and CRLF, with cr_ends lone CR too. */
uint64_t text_count_lines(struct bytes data, bool cr_ends);
uint64_t text_count_byte(struct bytes data, uint8_t what);

/* Fills *why and returns false, for `return text_why(...)`. column counts from 1, 0 = the record as a whole. */
bool text_why(struct reason *why, uint32_t column, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Warnings of dates in hours that a change of the clock skips, and repeats: number of records, and "s" if it is not one. */
#define TEXT_HOUR_SKIPPED                                                                                                    \
    "%llu record%s with a date in an hour that a change of the clock skips: taken with the offset before the change, so an " \
    "hour later by the new clock"
#define TEXT_HOUR_REPEATED                                                                                                     \
    "%llu record%s with a date in an hour that a change of the clock repeats: the first of the two is taken; give dates with " \
    "their offset if both occur"

/* Sizes of the room for a guess (text_guess_delimiter) and a hint (text_header_hint). */
enum { TEXT_GUESS_BYTES = 96, TEXT_HINT_BYTES = 512 };

/* Row keys as people give them on the command line: plain text, or `hex:` and hex digits. */

int hex_text_parse(const char *text, struct buf *out, struct err *err);

#endif
