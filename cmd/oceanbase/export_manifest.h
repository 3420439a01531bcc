/* MANIFEST.json of an export: load files with their rows and sums, the table they are for, and where the cells came from.
 * docs/loading-design.md has the schema. Readers ignore unknown fields and refuse a higher major version. */
#ifndef CMD_OCEANBASE_EXPORT_MANIFEST_H
#define CMD_OCEANBASE_EXPORT_MANIFEST_H

#include "cmd/common/signature.h"
#include "cmd/oceanbase/cell_sums.h"
#include "cmd/oceanbase/delete_sql.h"
#include "cmd/oceanbase/statements.h"
#include "rules/ledger.h"
#include "table/table.h"

#include <jansson.h>

enum {
    EXPORT_MAJOR = 1,
    EXPORT_MAJOR_DELETES = 2, /* it has statements that delete */
    EXPORT_MINOR = 0,
    EXPORT_PARALLEL = 4 /* of a statement */
};
#define EXPORT_DELETES_DIR "delete"

struct export_file {
    char *path; /* relative to the export: data/…, or big/… with lines over KQVT_MAX_LINE_BYTES */
    uint32_t family, partition, number;
    bool big;
    uint64_t file_bytes, text_bytes; /* as it is there; uncompressed */
    struct cell_sums sums;
    struct buf first_key, last_key; /* K of the first and last line */
    char checksum[17];              /* XXH3-64 of the whole file */
};
enum { EXPORT_SMALL_BYTES = 4 << 20 }; /* of text: most that a small file has */

/* Statements that delete what the markers of one partition hide, a line each, after settings of the session. */
struct export_delete_file {
    char *path; /* relative to the export: delete/… */
    uint32_t family, partition;
    uint64_t file_bytes, statements, markers[DELETE_TYPES];
    char checksum[17];
};

struct export_deletes {
    struct export_delete_file *files;
    size_t n; /* by family and partition */
};

struct export_manifest {
    char *tool;
    json_t *settings;
    int64_t now_ms;
    bool now_given;
    struct table table; /* families have their sql_table */
    enum load_compression compression;
    struct load_target target; /* what load.sql was made for */
    bool strong;               /* sums have their MD5 half */
    char *server_dir;          /* where load.sql expects the files; absolute */
    struct {
        char *path;
        struct tally cells; /* it held */
        int64_t made_ms;    /* its clock; 0: not known */
    } dataset;
    struct ledger ledger; /* in = the dataset's cells; written = rows of all files; the drops of the OceanBase rules */
    uint64_t ttl_lost;    /* written cells whose own TTL the table cannot hold */
    bool delta;           /* what it holds is added to the target: rows of other days are there */
    uint64_t ahead;       /* markers later than now_ms: they would hide puts to come, too */
    struct export_deletes deletes;
    struct export_file *files;
    size_t n_files;   /* by family, partition, big, number */
    json_t *warnings; /* of the run that made it, {code: count}; NULL = none */
    bool sealed;      /* read: the text is what was written, by its own checksum */
};

/* Fresh JSON text (free it); NULL and err when out of memory. */
char *export_manifest_print(const struct export_manifest *m, struct err *err);
int export_manifest_parse(const char *name, const char *text, size_t n, struct export_manifest *out, struct err *err);
/* DIR/MANIFEST.json. ERR_INPUT when that is none of an export. */
int export_manifest_load(const char *dir, struct export_manifest *out, struct err *err);
/* As export_manifest_load, and ERR_INPUT when the manifest was edited. */
int export_manifest_open(const char *dir, struct export_manifest *out, struct err *err);
/* 1 when DIR holds a manifest of an export, 0 when it holds none or one of a dataset, -1 error. */
int export_is(const char *dir, struct err *err);
/* Returns the files of the manifest, for its signature. */
struct signed_list export_signed_list(const struct export_manifest *m);
void export_manifest_free(struct export_manifest *m);
int export_manifest_add(struct export_manifest *m, const struct export_file *f,
                        struct err *err); /* owns its memory from now on */

#endif
