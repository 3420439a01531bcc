/* Writes the load files of an export, packed or not. */
#ifndef CMD_TEXT_EXPORT_FILES_H
#define CMD_TEXT_EXPORT_FILES_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/outfile.h"
#include "cmd/oceanbase/delete_sql.h"
#include "cmd/text/export_form.h"
#include "cmd/text/export_slice.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/statements.h"
#include "table/table.h"

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
/* Begins a row of this partition, to which all further pieces belong. */
int export_files_turn(struct export_files *f, uint32_t family, uint32_t partition, struct err *err);
/* packed: p->text as it is to be stored. */
int export_files_put(struct export_files *f, bool big, const struct export_piece *p, struct bytes packed, struct err *err);
/* Statements of this partition, and how many markers they hold. */
int export_files_put_deletes(struct export_files *f, struct bytes statements, const struct delete_batch *b, struct err *err);
/* Finishes what is open and moves the list of files into the manifest. */
int export_files_finish(struct export_files *f, struct export_manifest *m, struct err *err);

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
