/* Options that the user and the program give to readers: those of every format, and one struct for each kind of input that wants
 * more.
 * Strings and pointers are borrowed and outlive the reader. Exports: read_opts, block_choice */
#ifndef ENGINE_READ_OPTS_H
#define ENGINE_READ_OPTS_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive_limits;
struct buf;
struct dialect;
struct disk_quota;
struct format_table;
struct hfile_disorder_sink;
struct hfile_rows;
struct hfile_view;
struct mapping;
struct selection;
struct shape_set;
struct stop;
struct table;
struct table_source;
struct wal_run;

/* ---- a sample of blocks ----
 * Which blocks are read where a part of the inputs is to do. Bytes of text are numbered in blocks of one length, of HFiles the
 * data blocks are; of every `of` blocks that follow each other one is taken, by a hash of their positions: the same ones in each
 * run. What begins in a block belongs to it, so each record has the same chance of 1 / of. */

struct block_choice {
    uint32_t of; /* 0: everything is read */
    uint32_t block_bytes;
    uint64_t first;        /* text: the number of this input's first block */
    uint64_t *data_blocks; /* HFiles: how many there were in those before; counted on. NULL: from 0 */
};

/* The first chosen block from this one on. */
static inline uint64_t block_choice_number(const struct block_choice *c, uint64_t from) {
    uint64_t group = from / c->of, chosen = group * c->of + splitmix_at(0, group) % c->of;
    return chosen >= from ? chosen : (group + 1) * c->of + splitmix_at(0, group + 1) % c->of;
}

/* The offset in this input of the first chosen block that does not begin below `from`, a multiple of block_bytes. */
static inline uint64_t block_choice_next(const struct block_choice *c, uint64_t from) {
    return (block_choice_number(c, c->first + from / c->block_bytes) - c->first) * c->block_bytes;
}

/* Returns how many blocks an input of so many bytes has. */
static inline uint64_t block_choice_count(const struct block_choice *c, uint64_t bytes) {
    return c->of ? bytes / c->block_bytes + (bytes % c->block_bytes > 0) : 0;
}

/* Ways to treat damage in an input. Kinds we do not read, bad records of text and lack of memory are no damage. */
enum on_damage {
    DAMAGE_FAILS,
    DAMAGE_SKIPS_BLOCK, /* what cannot be read is left out and reported, the rest is read */
    DAMAGE_SKIPS_FILE   /* files that are not whole are left out; see format.verify */
};

enum time_unit { TIME_MS, TIME_S, TIME_US, TIME_NS };

/* The lines of a file on disk that begin after the first line end at or after `begin` (0: all) and end with the first one at or
 * after `end`. So parts that follow on each other have all lines once. Both are multiples of STRETCH_BYTES, or the file's end. */
struct text_part {
    uint64_t begin, end; /* end 0: the whole input */
};

/* The members of an archive from `first` up to, but not including, `end`, by their place in it. */
struct member_part {
    uint64_t first, end; /* end 0: all */
};

/* Names in the first CSV or TSV with a header, where columns are taken by position: the others should agree. */
struct first_header {
    struct buf path, names; /* of the file; one name a line */
    struct buf columns;     /* as names, where columns are called as the header says, so that further files may have others */
    uint64_t doubt;         /* hash of the warning that named them, or those of another file; 0: there was none */
};

/* The inputs of a run, in order: only the first one of a set may have a header. */
struct text_set {
    const char *const *paths;
    uint32_t n;
};

/* CSV and TSV: how lines become columns. */
struct text_read_opts {
    const char *columns;               /* ImportTsv notation, or name=cf:q pairs with header */
    const char *key;                   /* the row key as an expression, where no column is it; NULL: a column is */
    const struct mapping *mapping;     /* instead of columns; what it says of a file beats the fields below */
    const struct dialect *dialect;     /* what is said of delimiter, quote, nulls, header …; NULL: nothing */
    bool skip_empty;                   /* empty field makes no cell */
    enum time_unit unit;               /* of its timestamps */
    struct text_part part;             /* only this, of text without quotes */
    const struct text_set *set;        /* NULL: not known */
    struct buf *dialects;              /* receives how each file is read, and what speaks for and against it; NULL: not wanted */
    struct first_header *first_header; /* NULL: headers are not compared */
    struct buf *notes;                 /* receives what was found rather than said, a line each; NULL: not wanted */
};

/* HFiles. */
struct hfile_read_opts {
    const struct hfile_view *view;              /* of this input; NULL: as its name says */
    struct bytes start_row, stop_row;           /* without a view: only these rows; p == NULL: open */
    const struct hfile_disorder_sink *disorder; /* receives cells that are out of order, and equal keys where ranges of blocks
                                                 * meet; NULL: the former are damage */
    const struct hfile_rows *rows;              /* others need not be read; NULL: all are wanted */
};

/* Archives, and what is inside of them. */
struct archive_read_opts {
    const struct archive_limits *limits; /* NULL: see formats/archive/archive_members.h */
    const char *member_format;           /* NULL: by content */
    bool preview;                        /* members that must be files to be read are passed by, not copied */
    bool is_member;                      /* the input is a member: not another archive */
    struct member_part part;             /* only these are opened; all of the archive is read */
};

/* The memory that reading may take, in bytes. */
struct read_memory {
    size_t chunk;     /* about how much a chunk holds (default 1 MiB) */
    size_t max_cell;  /* a record that takes more is ERR_LIMIT */
    size_t max_block; /* binary inputs: the largest block; 0 = no limit of ours */
    size_t unpack;    /* compressed inputs: the largest window; 0 = see base/unpack.h */
};

struct read_opts {
    const struct format_table *formats; /* to open inputs, and what is inside of them */
    struct table *table;                /* families a column may name; text cells and HFiles are checked by the pipeline */
    bool open_families; /* table is handmade: unknown families are added instead of refused (only while opening) */
    struct shape_set *shapes;
    int64_t default_ts_ms; /* cells without timestamp, and "latest" (INT64_MAX) in text */
    bool keeps_latest;     /* cells of HBase keep INT64_MAX, which no server has replaced; false: they get default_ts_ms, too */
    struct read_memory memory;
    unsigned unpackers;   /* threads that unpack one compressed input, if it can be unpacked in pieces; 0 = 1 */
    const char *temp_dir; /* where content goes that must be a file to be read; NULL: such is refused */
    struct disk_quota *quota;
    struct buf *warnings; /* base/warning.h; NULL: they are not wanted */
    enum on_damage on_damage;
    struct block_choice blocks; /* only these, of an input that may be read so: see reader_ops.by_blocks */
    const struct stop *stop;
    struct text_read_opts text;
    struct hfile_read_opts hfile;
    struct archive_read_opts archive;
    const struct selection *selection; /* what is taken of what is read; NULL: all */
    struct wal_run *wal;               /* write-ahead logs: what is taken of all of them; NULL: a log of one table, whole */
    struct table_source *database;     /* whose partitions the inputs are; NULL: they are files */
};

#endif
