/* The stages of an export, for export.c: files are cut into stretches, stretches become text, and text is packed into files. */
#ifndef CMD_OCEANBASE_EXPORT_EXPORT_PARTS_H
#define CMD_OCEANBASE_EXPORT_EXPORT_PARTS_H

#include "base/buf.h"
#include "base/outfile.h"
#include "cell/cell.h"
#include "select/selection.h"
#include "cmd/oceanbase/kqvt.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/statements.h"
#include "dataset/manifest.h"
#include "engine/rejects.h"
#include "hfile/hfile_reader.h"
#include "rules/ledger.h"
#include "table/table.h"

/* ---- export_plan.c: files are cut into stretches ---- */

struct export_stretch {
    uint32_t file;            /* of the manifest */
    bool first, last;         /* of its file */
    struct bytes start, stop; /* rows; p == NULL: open */
    uint64_t begin, end;      /* offsets of the blocks that begin with these rows; 0: open, or none does */
};

struct export_plan {
    struct export_stretch *list;
    size_t n;
    struct buf *rows; /* by file: what start and stop point into */
    size_t n_files;
};

struct export_plan_opts {
    const char *dir;
    const struct manifest *m;
    size_t first, n;        /* of the manifest's files */
    uint64_t stretch_bytes; /* of cells, unpacked */
    size_t block_limit;
    unsigned threads;
};

int export_plan_make(const struct export_plan_opts *o, struct export_plan *out, struct err *err);
void export_plan_free(struct export_plan *p);

/* ---- export_select.c: what is taken of a stretch ---- */

/* Owns inner from now on, also when it fails. What is taken, and what is left, is added to the tallies. */
struct source *export_select_open(struct source *inner, const struct selection *selection, struct tally *taken,
                                  struct tally *left, struct err *err);
/* false: no row from start to the one before stop (p == NULL: open) is taken. */
bool export_select_rows(const struct selection *selection, struct bytes start, struct bytes stop);

/* ---- export_text.c: the forms in which cells leave a dataset as text ---- */

typedef int export_put_fn(struct buf *out, const struct row_part *part, bool hex, struct err *err);

struct export_form {
    const char *name; /* as --format says it, and the end of file names */
    const char *head; /* first line of every file, with its end; NULL = none */
    /* Appends the cells of a part. NULL: rows for LOAD DATA, see export_slice.c. hex: bytes in hex, where the form has a
     * choice. */
    export_put_fn *put;
    bool keeps_tags; /* all of them; else at most the TTL */
};

extern const struct export_form export_kqvt, export_csv, export_jsonl, export_cells;
/* NULL: no such form. */
const struct export_form *export_form_by_name(const char *name);

/* CSV by one kind of vector instructions, all with the same result; NULL: not on this machine. The form takes the last one that
 * there is. */
enum export_vector { EXPORT_PLAIN, EXPORT_SSE2, EXPORT_AVX2, EXPORT_VECTORS };
export_put_fn *export_csv_by(enum export_vector v);

/* ---- export_lines.c: cells become lines of text ---- */

/* Of one stretch, for forms that have put. */
struct export_lines {
    const struct export_form *form;
    bool hex;
    bool any;                  /* the last cell is this one, and lines of its key begin at run_at of the text: */
    struct buf row, qualifier; /* copies */
    int64_t ts_ms;
    uint8_t type;
    size_t run_at;
    struct buf cells, older; /* scratch */
};

/* The first cell has the key of the last one: its line belongs into the same text. */
bool export_lines_continue(const struct export_lines *l, const struct row_part *part);
/* Appends the cells of a part; those that continue go in before the cells of their key. */
int export_lines_put(struct export_lines *l, struct buf *out, const struct row_part *part, struct err *err);
void export_lines_free(struct export_lines *l);

/* ---- export_slice.c: a stretch becomes text ---- */

/* Lines of one kind, with what they hold. */
struct export_piece {
    struct buf text;
    struct cell_sums sums;
    struct cell_sums_ahead ahead;
    struct buf first, last; /* keys of the first and last line */
};

struct export_slice_opts {
    const struct export_form *form;
    const struct family *family; /* of the target: lengths, TTL column, rules */
    int64_t now_ms;
    const struct stop *stop;
    bool strong, hex;
    bool replace; /* in statements for rows that are put in by hand */
    bool delta;   /* markers become statements */
    struct delete_place place;
    const struct selection *selection; /* what is taken; NULL: all */
};

struct export_slice {
    const struct export_slice_opts *o;
    const char *path;
    struct source *source;
    struct row_part next; /* borrowed from source, if it is held back for the next piece */
    bool held, ended;
    struct tally read;             /* all cells of the stretch, hashed */
    struct tally taken;            /* with a selection: of them, as they are written */
    struct export_piece data, big; /* big: lines over KQVT_MAX_LINE_BYTES */
    struct buf deletes;            /* statements, and what they hold */
    struct delete_batch batch;
    uint64_t ahead; /* markers later than now */
    struct reject_batch rejects;
    struct ledger ledger; /* rejected, and what the rules dropped; not what is written */
    uint64_t ttl_lost, tags_lost;
    int64_t t; /* the last one, and its digits */
    uint8_t t_text[DECIMAL_I64_BYTES];
    size_t t_bytes;
    struct buf key, scratch;
    struct export_lines lines;
};

/* What the markers of a row may take, of a delta. */
enum { EXPORT_MARKERS_BYTES = 4 << 20 };
enum { EXPORT_PIECE_BYTES = 2 << 20 /* a piece ends after the part, or run of equal cells, that reaches this */ };

/* h: of the stretch's file, and outlives the slice. Buffers of an earlier use are kept. */
int export_slice_open(struct export_slice *s, const struct export_slice_opts *o, const struct hfile *h,
                      const struct export_stretch *stretch, struct err *err);
/* The same for a stretch of which nothing is taken: it is not read, and has ended. */
void export_slice_pass(struct export_slice *s, const struct export_slice_opts *o, const char *path);
/* Replaces the pieces by the next; sets ended when there is no more. */
int export_slice_fill(struct export_slice *s, struct err *err);
/* Ends reading; the buffers stay. */
void export_slice_close(struct export_slice *s);
void export_slice_free(struct export_slice *s);

/* ---- export_files.c: text is packed ---- */

struct export_pack {
    enum load_compression kind;
    int level;
    void *ctx; /* made on first use */
    struct buf out;
};

/* "none", "gzip", "zstd", the latter two with ":LEVEL". ERR_USAGE. */
int export_pack_parse(const char *text, enum load_compression *kind, int *level, struct err *err);
struct export_pack export_pack_make(enum load_compression kind, int level);
/* *out is the piece itself, or its compressed form in p->out. */
int export_pack_run(struct export_pack *p, struct bytes in, struct bytes *out, struct err *err);
void export_pack_free(struct export_pack *p);
/* Heap for pieces of so many bytes. */
size_t export_pack_memory(enum load_compression kind, int level, size_t piece_bytes);
const char *export_pack_extension(enum load_compression kind); /* "", ".gz", ".zst" */

/* ---- export_files.c: pieces become files ---- */

struct export_files_opts {
    const char *dir; /* data/ and big/ are made in it */
    struct disk_quota *quota;
    const struct table *table; /* of the target */
    const struct export_form *form;
    enum load_compression compression;
    struct bytes deletes_head; /* at the beginning of files of statements */
    struct bytes head;         /* at the beginning of every file, as it is to be stored */
    uint64_t target_bytes;     /* of text */
};

struct export_files;
struct export_files *export_files_new(const struct export_files_opts *o, struct err *err);
/* Files that are not finished are removed. */
void export_files_free(struct export_files *f);
/* What follows is of this partition, and begins a row. */
int export_files_turn(struct export_files *f, uint32_t family, uint32_t partition, struct err *err);
/* packed: p->text as it is to be stored. */
int export_files_put(struct export_files *f, bool big, const struct export_piece *p, struct bytes packed, struct err *err);
/* Statements of this partition, and how many markers they hold. */
int export_files_put_deletes(struct export_files *f, struct bytes statements, const struct delete_batch *b, struct err *err);
/* Finishes what is open and moves the list of files into the manifest. */
int export_files_finish(struct export_files *f, struct export_manifest *m, struct err *err);

/* ---- export_files.c: names of files ---- */

/* Names of load files: table, partition, index of the partition and number of the file,
 *   data/htable1%24cf.p17.00017-000.kqvt.gz
 * Bytes of names that paths, globs or lists of paths in LOAD DATA could take for something else are written as %XX. */
struct export_name {
    const char *directory, *table, *partition, *form, *packed;
    uint32_t index, number;
};

/* Fresh; at most 255 bytes after the directory: longer names are cut and end in a hash. */
char *export_name_make(const struct export_name *n, struct err *err);
/* A pattern for all files of the same directory and table. */
char *export_name_pattern(const char *path, struct err *err);

#endif
