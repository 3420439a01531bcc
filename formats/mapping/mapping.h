/* A mapping file: which cells the records of which text files become, as expressions over their columns. The format is in
 * docs/mapping.md and docs/mapping.schema.json. Everything is checked and compiled when it is loaded, but for the names of
 * columns of files with a header: these are looked up when a file is opened. */
#ifndef FORMATS_MAPPING_MAPPING_H
#define FORMATS_MAPPING_MAPPING_H

#include "base/json.h"
#include "formats/mapping/expr_program.h"
#include "formats/mapping/lookup_table.h"
#include "formats/text/dialect.h"

#include <jansson.h>

enum {
    MAPPING_CELLS_MAX = 4096,
    MAPPING_ROWS_MAX = 64,
    MAPPING_SOURCES_MAX = 1024,
    MAPPING_COLUMNS_MAX = 16384,
    MAPPING_TABLES_MAX = 64,
    MAPPING_ROWS_AT_MAX_BYTES = 256
};

/* A cell, when all of family, qualifier and value are there. */
struct mapping_cell {
    struct expr *family, *qualifier, *value;
    struct expr *timestamp, *when;         /* NULL: the row's; always */
    struct expr *each;                     /* a list of which each part makes a cell; NULL: one cell */
    uint8_t separator;                     /* of that list */
    uint32_t item;                         /* the field that is the part */
    struct expr *type;                     /* NULL: a Put */
    bool skip_empty;                       /* an empty value makes no cell */
    bool fixed_family, fixed;              /* constants: the family; the qualifier too */
    struct bytes family_name, column_name; /* where they are; else p == NULL */
    char *label;                           /* as it is written, for messages */
};

struct mapping_row {
    struct expr *key;
    struct expr *timestamp, *ttl, *when; /* NULL: the default; none; always */
    struct mapping_cell *cells;
    uint32_t n_cells;
};

/* A column that expressions use: the field of their programs. */
struct mapping_field {
    struct bytes name;         /* p == NULL: by position */
    uint32_t column;           /* from 0; UINT32_MAX: to be found in the header */
    bool is_item;              /* the part of a list, or (item.sku) a member of the part */
    struct json_place *places; /* down to its first use; keys are those of the JSON */
    size_t n_places;
};

static inline const struct json_place *mapping_place(const struct mapping_field *f) {
    return &f->places[f->n_places - 1];
}

struct mapping_source {
    char **files; /* patterns; none: any file */
    size_t n_files;
    const char *format;     /* "csv", "tsv" or "jsonl"; NULL: not said */
    struct dialect dialect; /* what is said of it; the header always is */
    struct bytes *columns;  /* their names; none: by header or position */
    uint32_t n_columns;
    struct mapping_field *fields;
    uint32_t n_fields;
    uint8_t *met; /* by field: a record had it, if only as null: readers of JSON and lists say so (mapping_meet) */
    struct mapping_row *rows;
    uint32_t n_rows;
    struct bytes rows_at; /* a path of JSON: each element of the array there is a record; p == NULL: each value is one */
};

/* A table for lookup(). */
struct mapping_table {
    struct bytes name; /* in the JSON */
    struct lookup_table table;
};

struct mapping {
    char *path;
    struct bytes text; /* its own copy: for lines in messages */
    json_t *json;      /* the whole file: part of a run's settings */
    struct mapping_source *sources;
    uint32_t n_sources;
    struct buf warnings; /* base/warning.h */
    struct mapping_table tables[MAPPING_TABLES_MAX];
    uint32_t n_tables;
};

/* A reader has met a field. Threads that have nothing new to say do not write. */
static inline void mapping_meet(uint8_t *met, uint32_t field) {
    if (met && !__atomic_load_n(&met[field], __ATOMIC_RELAXED)) __atomic_store_n(&met[field], 1, __ATOMIC_RELAXED);
}

/* Settings that hold where a source does not give them. */
struct mapping_defaults {
    const struct dialect *dialect; /* of the options: its header; NULL: nothing is said */
    bool skip_empty;
    bool reads_files;      /* tables may be read: mapping_load sets it */
    uint64_t memory_bytes; /* of the run: tables take at most a quarter of it; 0: any */
};
void mapping_free(struct mapping *m);
/* Sets ERR_USAGE: file, line, JSON path, text. Returns -1. */
int mapping_error(const struct mapping *m, const struct json_place *at, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* names: those that are known, separated by blanks. -1: the object has another one. */
int mapping_check_keys(const struct mapping *m, const json_t *object, const struct json_place *at, const char *names,
                       struct err *err);

/* The first source whose patterns match the file's name, with or without its compression suffix; NULL: none. */
const struct mapping_source *mapping_source_of(const struct mapping *m, const char *path);

/* ---- "dialect", "delimiter", "quote", "null" and "header" of a source (mapping_dialect.c) ---- */

int mapping_take_dialect(const struct mapping *m, const json_t *v, const struct json_place *at, struct dialect *d,
                         struct err *err);

/* ---- "rows": "$.data" (mapping_rows_at.c) ---- */

/* v: the text of the path, which consists of keys. */
int mapping_take_rows_at(const struct mapping *m, struct mapping_source *s, const json_t *v, const struct json_place *at,
                         struct err *err);

#endif
