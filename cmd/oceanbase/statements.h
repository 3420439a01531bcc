/* The statements that load files of cells, in the form that fits the server's version and the shape of the table.
 *
 * Direct load is all or nothing, and with PARTITION (names) touches no other partitions and refuses rows of them (error 1526).
 * Files are sorted, and those of a partition are named in their order, so the server need not sort: rows that do not ascend are
 * refused (4105), and nothing is loaded. Tables with a generated column are loaded without direct load: servers fall back
 * silently or refuse. So are lines over KQVT_MAX_LINE_BYTES. There the PARTITION clause is ignored by the server, so it is left
 * out. Measured on OceanBase 4.3.5.3; what older versions know is from their documentation. */
#ifndef CMD_OCEANBASE_STATEMENTS_H
#define CMD_OCEANBASE_STATEMENTS_H

#include "base/buf.h"
#include "cmd/oceanbase/kqvt.h"

/* ---- names and literals of MySQL-mode SQL under the default sql_mode ---- */

/* `name`, with backquotes doubled. */
int sql_put_name(struct buf *out, const char *name, struct err *err);
/* 'text' with escapes; bytes above 0x7f stay as they are. */
int sql_put_string(struct buf *out, struct bytes text, struct err *err);
/* x'6162' */
int sql_put_hex(struct buf *out, struct bytes value, struct err *err);

/* ---- LOAD DATA ---- */

enum on_duplicate { ON_DUPLICATE_ERROR, ON_DUPLICATE_IGNORE, ON_DUPLICATE_REPLACE };
enum load_compression { LOAD_UNCOMPRESSED, LOAD_GZIP, LOAD_ZSTD };

#define LOAD_VERSION(a, b, c, d) (((uint32_t)(a) << 24) | ((uint32_t)(b) << 16) | ((uint32_t)(c) << 8) | (uint32_t)(d))

struct load_target {
    uint32_t version; /* LOAD_VERSION */
    enum on_duplicate on_duplicate;
    unsigned parallel; /* of one statement */
};

/* "4.3.5", "4.3.5.3"; also the beginning of what @@version_comment says after "OceanBase". 0, or -1 when it is none. */
int load_sql_version(const char *text, uint32_t *version);
/* Names as options and manifests spell them: "error", "ignore", "replace"; "none", "gzip", "zstd". -1 = no such name. */
int on_duplicate_parse(const char *name);
const char *on_duplicate_name(enum on_duplicate d);
int load_compression_parse(const char *name);
const char *load_compression_name(enum load_compression c);

/* One file, or several. */
struct load_source {
    const char *table;             /* SQL name, unquoted */
    const char *const *partitions; /* its rows are all in there; NULL: not said */
    size_t n_partitions;
    const char *path; /* as the server sees it, absolute; several: with commas between, or a pattern with * */
    enum load_compression compression;
    bool ttl_column, generated; /* of the table: has a column TTL; has a generated column */
    bool big;                   /* has lines over KQVT_MAX_LINE_BYTES */
    bool local;                 /* LOCAL: the client sends the file; only with direct load */
};

/* Loaded by direct load, which is atomic. */
bool load_sql_is_direct(const struct load_source *s);
/* Files can be loaded one by one without rewriting the rows that exist ('inc', since 4.3.3). */
bool load_sql_has_inc(uint32_t version);
/* Returns what this version or shape cannot do, in words; NULL: fine. */
const char *load_sql_obstacle(const struct load_target *t, const struct load_source *s);

/* Writes the statement that loads, without the closing ';'. */
int load_sql_put(struct buf *out, const struct load_target *t, const struct load_source *s, struct err *err);
/* Settings of a session that loads or checks, one statement with ';' and LF. MariaDB, which does not know them, executes comments
 * that begin with M!, and so puts the text of the settings into a variable instead. */
int load_sql_put_session(struct buf *out, struct err *err);

/* ---- rows by hand ---- */

struct insert_target {
    const char *table;
    bool replace, ttl_column;
};

/* A comment with the reason, then the statement, each a line. */
int insert_sql_put(struct buf *out, const struct insert_target *t, const struct kqvt_row *row, const char *reason,
                   struct err *err);

#endif
