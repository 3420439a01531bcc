/* One interface for all input formats: a reader hands out chunks one after the other, and any thread parses a chunk.
 *
 *   open -> { next (serialised) -> parse (any thread, chunks independent) } … -> finish -> close
 *
 * A format is one file fmt_NAME.c below formats/ with one `const struct format fmt_NAME`; formats/formats.c lists them
 * and votes over sniff(). Parsing pushes records into an `emit`, which is the engine's entry: it checks lengths and placement. */
#ifndef ENGINE_FORMAT_H
#define ENGINE_FORMAT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/instream.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "engine/read_opts.h"
#include "rules/ledger.h"
#include "sort/record.h"

/* The part of an input, such as a member of an archive, that a chunk is of. */
struct chunk_origin {
    const char *path; /* for messages: ARCHIVE!member */
    const struct format *format;
};

struct chunk {
    uint64_t seq;    /* 0, 1, 2 … over the whole run: set by the pipeline */
    uint64_t offset; /* of data in the (decompressed) input */
    uint64_t line;   /* line number (from 1) of the first byte; 0: not known */
    struct buf data; /* text formats: whole records */
    union {          /* the format's own: what its next() passes to its parse() */
        struct {
            uint64_t number, end; /* data is not filled: blocks from offset to end are meant, the range of this number */
        } range;                  /* HFiles */
        struct {
            uint64_t first; /* number of the first record */
            bool lost;      /* data is no records but the reason why those from offset on were skipped */
        } records;          /* SequenceFiles */
    };
    /* Set by the reader of an archive; the pipeline clears them before next(). */
    uint64_t rank_base;                /* positions of ranks begin here */
    const struct chunk_origin *origin; /* NULL: the input itself; valid until the chunk has been parsed */
};

/* The reason why a record was refused: column is 1-based, 0 = the record as a whole. */
struct reason {
    uint32_t column;
    char text[240];
};
/* One a record: zeroing all of it would take as long as placing a row. */
static inline void reason_clear(struct reason *why) {
    why->column = 0;
    why->text[0] = '\0';
}

#define LOST_UNKNOWN UINT64_MAX

/* A stretch of the input that was skipped because it is damaged. */
struct lost {
    uint64_t offset;
    struct bytes first_row, last_row; /* what may be missing is between them, both included; p == NULL: not known */
    const char *reason;               /* without the file's name */
    uint64_t cells;                   /* that it held, or LOST_UNKNOWN */
};

struct emit;
struct emit_ops {
    /* A text record: all parts (one per row and family, n may be 0: a record without cells) go in or none.
     * 1 = accepted, 0 = refused (*why filled; the format then calls reject), -1 = error.
     * Cells of a part with a shape are in the shape's order and may be fewer than its columns (nulls); each qualifier.p
     * is the very pointer of shape_get(…)->qualifiers[i].p, so that the column is known without comparing bytes (equal and
     * empty qualifiers have different pointers too). All of a row is one part per family, even above PART_MAX_*.
     * Everything is borrowed until record() returns. */
    int (*record)(struct emit *, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err);
    /* Cells of a binary input: bad ones are rejected singly by the pipeline. `tally` = cells of the part as hashed by
     * the reader (or NULL: the pipeline hashes). 0, -1. */
    int (*cells)(struct emit *, const struct row_part *part, const struct tally *tally, struct err *err);
    /* A bad record in the input's own bytes (without line end). 0, -1 (e.g. too many rejects is found later, not here). */
    int (*reject)(struct emit *, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why, struct err *err);
    /* Takes a header, with its line end: it precedes all records of the source and must precede some of them, too, if they are
     * read alone. At the beginning of parse; borrowed until the reader is closed. May be NULL. */
    void (*header)(struct emit *, struct bytes header);
    /* Records passed over on purpose: header, blank line, comment. */
    void (*skip)(struct emit *, uint64_t records);
    /* With DAMAGE_SKIPS_BLOCK, in any order of offsets: 0, -1. What is reported here is listed, not counted … */
    int (*lost)(struct emit *, const struct lost *lost, struct err *err);
    /* … but by this, once for each file, or each chunk, that lacks cells: how many, or LOST_UNKNOWN. */
    void (*lost_cells)(struct emit *, uint64_t cells);
};
struct emit {
    const struct emit_ops *ops;
};

struct reader;
struct reader_ops {
    int (*next)(struct reader *, struct chunk *c, struct err *err); /* 1 chunk, 0 end, -1 error */
    /* 1: later chunks hold no row before *row (valid until the next call), 0: none, -1. NULL: rows do not ascend. */
    int (*floor)(struct reader *, struct bytes *row, struct err *err);
    int (*parse)(struct reader *, const struct chunk *c, uint32_t input, struct emit *e, struct err *err);
    int (*finish)(struct reader *, struct err *err); /* after the last parse: totals that must hold; may be NULL */
    uint64_t (*input_bytes)(const struct reader *);  /* bytes of input taken so far: progress */
    /* Returns the checksum of the input file, at its end; NULL: it is not read in one pass. */
    int (*checksum)(const struct reader *, char hex[17], struct err *err);
    uint64_t (*positions)(const struct reader *); /* how many its ranks count; NULL: as many as content has bytes */
    void (*unread)(const struct reader *, struct unread_count *); /* adds what the selection let it pass by; NULL: nothing */
    /* Chooses blocks to read, instead of next: can they be read independently? 1; 0: no, for the reason *why; -1. NULL: never.
     * Reads the chosen. */
    int (*by_blocks)(struct reader *, struct reason *why, struct err *err);
    void (*close)(struct reader *);
};

/* How much of their table the cells of an input are. */
enum {
    HOLDS_EDITS = 1,  /* changes of it: a log, a delta */
    HOLDS_WHOLE = 2,  /* all that there is of it */
    HOLDS_UNSAID = 4, /* nobody has said */
};

struct reader {
    const struct reader_ops *ops;
    unsigned holds; /* HOLDS_…: of an archive, those of all members that were opened so far; 0: of none */
    /* A line end is the end of a record, wherever it is, in a file on disk: parts of it can be read (struct text_part), and
     * its checksum is the sum over stretches. */
    bool by_lines;
    /* next() unpacks, which takes long, and touches nothing that other readers or threads use. */
    bool unpacks;
};

/* Says whether cells of a format have sequence ids. */
enum format_seqs {
    FORMAT_SEQS_NONE,
    FORMAT_SEQS_SOME, /* what has none says 0 */
    FORMAT_SEQS_ALL
};

struct format {
    const char *name;
    const char *about; /* one line for --help */
    /* Returns how many bits of head (up to 4 KiB, decompressed) speak for this format; 0 = not this one. */
    int (*sniff)(struct bytes head, const char *path);
    /* Takes ownership of `in`, also on failure. */
    struct reader *(*open)(struct instream *in, const struct read_opts *o, struct err *err);
    /* Opens a file on disk without a stream around it: for the files that a store lists. NULL: cannot. */
    struct reader *(*open_path)(const char *path, const struct read_opts *o, struct err *err);
    bool is_log; /* its cells are HOLDS_EDITS */
    enum format_seqs seqs;
    bool is_text;    /* rejects are raw lines; otherwise text cells */
    bool needs_file; /* open wants content that is a file on disk (instream_is_file) */
    /* Reads all of a file to see whether it is whole: 0, or -1 as reading it would. *cells: that it holds, LOST_UNKNOWN when
     * that is not known. NULL: damage shows only while it is read. */
    int (*verify)(const char *path, const struct read_opts *o, uint64_t *cells, struct err *err);
};

enum { FORMAT_SNIFF_BYTES = 4096 };

/* The formats of a run, passed in by the program (formats/formats.h has those there are): the engine knows none of them. */
struct format_table {
    const struct format *(*by_name)(const char *name); /* NULL: none */
    /* Opens path, decides the format (name may be NULL = by content; a tie is ERR_USAGE asking for --format). */
    struct reader *(*open)(const char *path, const char *name, const struct read_opts *o, const struct format **which,
                           struct err *err);
    /* Does as open does, over an open input. Takes ownership of it, also on failure. An archive is detected by content whatever
     * the name: that is then the format of its members. */
    struct reader *(*open_stream)(struct instream *in, const char *name, const struct read_opts *o, const struct format **which,
                                  struct err *err);
    /* The format of content (name may be NULL: by what it holds); an archive is found whatever the name. */
    const struct format *(*choose)(struct instream *in, const char *name, const struct read_opts *o, struct err *err);
    /* Verifies where the format can. What open would refuse is left to it. */
    int (*verify)(const char *path, const char *name, const struct read_opts *o, uint64_t *cells, struct err *err);
};

#endif
