/* JSON that is not one record a line: documents over several lines, one after the other, whose records are
 *   - the elements of the array at a path ("rows": "$.data"), or, without a path,
 *   - the elements of a document that is an array, and each other document as it is.
 *
 * One thread goes through a document from its beginning to its end. It blanks out everything that is no record, so that any
 * thread can take the records of a chunk apart, at the bytes and in the lines where they stood. */
#ifndef FORMATS_JSONL_JSON_DOCUMENT_H
#define FORMATS_JSONL_JSON_DOCUMENT_H

#include "base/buf.h"
#include "formats/mapping/mapping.h"
#include "formats/text/jline_paths.h"

/* A path has at most so many bytes (formats/mapping/mapping.h); an escape of JSON takes at most so many of the text. */
enum { JSON_PATH_MAX_BYTES = MAPPING_ROWS_AT_MAX_BYTES, JSON_ESCAPE_BYTES = 6 };

enum json_expect {
    JSON_EXPECT_DOCUMENT, /* or the end */
    JSON_EXPECT_KEY,
    JSON_EXPECT_KEY_OR_END,
    JSON_EXPECT_COLON,
    JSON_EXPECT_VALUE, /* of a key */
    JSON_EXPECT_COMMA_OR_END,
    JSON_EXPECT_RECORD,
    JSON_EXPECT_RECORD_OR_END,
    JSON_EXPECT_RECORD_COMMA_OR_END
};

struct json_document {
    struct jline_paths path; /* the one path to the rows; no nodes: none is given */
    enum json_expect expect;
    uint32_t node;  /* of path: the object that is open; JLINE_NONE: none */
    uint32_t value; /* of path: what the value of the last key stands for; JLINE_NONE: nobody asked for it */
    bool begun;     /* a document was there: no comment can be */
    bool met;       /* one had a value at the path */
};

/* "# …" or "// …", which may stand before the first record. */
bool json_text_is_comment(struct bytes line);

/* path: p == NULL: none. 0, -1: memory. */
int json_document_init(struct json_document *d, struct bytes path, struct err *err);
void json_document_free(struct json_document *d);

/* A text_cut: how much of data, which begins where the document stands, holds whole records and what is between them. 0: more is
 * needed. d is not changed. */
size_t json_document_cut(const void *d, struct bytes data);

struct json_fault {
    size_t at; /* in the data */
    const char *text;
};

/* Moves d over data, which was cut, or is the last: all but the records becomes blank, and line ends become CR. false: *why. */
bool json_document_blank(struct json_document *d, struct buf *data, bool last, struct json_fault *why);

/* Takes the next record off blanked data, and adds the line ends of the blanks before it. false: none is left. */
bool json_document_take(struct bytes *rest, struct bytes *record, uint64_t *line_ends);

#endif
