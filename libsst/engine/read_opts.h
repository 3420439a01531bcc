/* What the user and the program ask of readers: what concerns every format, and one struct for each kind of input that
 * wants more.
 * Strings and pointers are borrowed and outlive the reader. Exports: read_opts */
#ifndef ENGINE_READ_OPTS_H
#define ENGINE_READ_OPTS_H

#include "engine/block_choice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive_limits;
struct buf;
struct disk_quota;
struct format_table;
struct hfile_disorder_sink;
struct hfile_view;
struct mapping;
struct selection;
struct shape_set;
struct stop;
struct table;
struct wal_run;

/* What is done about damage in an input. Kinds we do not read, bad records of text and lack of memory are no damage. */
enum on_damage {
    DAMAGE_FAILS,
    DAMAGE_SKIPS_BLOCK, /* what cannot be read is left out and reported, the rest is read */
    DAMAGE_SKIPS_FILE   /* files that are not whole are left out; see format.verify */
};

enum time_unit { TIME_MS, TIME_S, TIME_US, TIME_NS };

/* CSV and TSV: how lines become columns. */
struct text_read_opts {
    const char *columns;           /* ImportTsv notation, or name=cf:q pairs with header */
    const struct mapping *mapping; /* instead of columns; what it says of a file beats the fields below */
    bool header;
    int delimiter;         /* byte, -1 = the format's default */
    int quote;             /* byte, -1 = default '"', -2 = none */
    const char *null_text; /* unquoted field equal to this makes no cell; NULL = none */
    bool skip_empty;       /* empty field makes no cell */
    enum time_unit unit;   /* of its timestamps */
};

/* HFiles. */
struct hfile_read_opts {
    const struct hfile_view *view;              /* of this input; NULL: as its name says */
    const struct hfile_disorder_sink *disorder; /* receives cells that are out of order; NULL: they are damage */
};

/* Archives, and what lies inside of them. */
struct archive_read_opts {
    const struct archive_limits *limits; /* NULL: see formats/archive/archive_members.h */
    const char *member_format;           /* NULL: by content */
    bool preview;                        /* members that must be files to be read are passed by, not copied */
    bool is_member;                      /* the input is a member: not another archive */
};

/* How much memory reading may take, in bytes. */
struct read_memory {
    size_t chunk;     /* about how much a chunk holds (default 1 MiB) */
    size_t max_cell;  /* a record that takes more is ERR_LIMIT */
    size_t max_block; /* binary inputs: the largest block; 0 = no limit of ours */
    size_t unpack;    /* compressed inputs: the largest window; 0 = see base/unpack.h */
};

struct read_opts {
    const struct format_table *formats; /* to open inputs, and what lies inside of them */
    struct table *table;                /* families a column may name; text cells and HFiles are checked by the pipeline */
    bool open_families; /* table is handmade: unknown families are added instead of refused (only while opening) */
    struct shape_set *shapes;
    int64_t default_ts_ms; /* cells without timestamp, and "latest" (INT64_MAX) */
    struct read_memory memory;
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
};

#endif
