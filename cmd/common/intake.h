/* The inputs of a run, and how they are read. */
#ifndef CMD_COMMON_INTAKE_H
#define CMD_COMMON_INTAKE_H

#include "base/buf.h"
#include "cmd/common/inputs.h"
#include "cmd/common/path_patterns.h"
#include "cmd/common/remote_inputs.h"
#include "cmd/common/wal_intake.h"
#include "engine/rejects.h"
#include "formats/mapping/mapping.h"
#include "select/selection_state.h"

struct intake {
    struct path_patterns patterns;
    struct remote_inputs remote;
    struct dialect dialect;      /* what options say of text */
    struct text_set texts;       /* the inputs, once intake_note_texts was called */
    struct mapping *mapping;     /* --map; NULL: not given */
    struct selection *selection; /* NULL: all is taken */
    json_t *families;            /* of a join: what all shards say of families, see unmet.c; NULL: see selection */
    struct wal_intake wal;       /* which edits of write-ahead logs are read; not open: whole logs of one table */
    enum on_damage on_damage;
    enum time_unit timestamp_unit;
    struct reject_limit reject_limit;
    struct reject_log *rejects; /* NULL: not begun */
    struct buf input_warnings;  /* filled while inputs are read */
    struct buf input_notes;     /* so are these: what was found rather than said, a line each */
    struct first_header first_header;
    const struct format_table *formats; /* NULL: those of files */
    struct table_source *database;      /* as in read_opts */
    bool one_of_tables;                 /* of several that one run imports */
    bool from_records;                  /* cells are made of records, not read of a dataset, where they may be delivered again */
};

struct environment;
struct target;

/* Replaces patterns and addresses on servers among the inputs by files. */
int intake_expand(struct environment *env, struct intake *intake, struct err *err);
/* How options say that inputs are read. */
int intake_open(struct environment *env, struct intake *intake, struct err *err);
void intake_close(struct environment *env, struct intake *intake);
/* A run within this one reads as it does: mapping and selection are borrowed from the whole. */
void intake_begin_part(struct intake *part, const struct intake *whole);
void intake_end_part(struct intake *part);
/* Before the output is closed, where they are written. */
void intake_end_rejects(struct intake *intake);
/* staged: the names that inputs of the list have in manifests. */
int intake_name_copies(struct environment *env, struct input_list *in, struct err *err);
/* Adds one input of any kind to the list. */
int intake_add(struct environment *env, struct input_list *in, const char *path, struct err *err);
struct read_opts intake_read_opts(struct environment *env, struct intake *intake, struct target *target);
/* The inputs are listed, and will live as long as they are read: readers may ask which is the first. */
int intake_note_texts(struct intake *intake, struct input_list *in, struct err *err);
/* Prints the warnings of the readers, after everything is read. */
void intake_warn(struct environment *env, struct intake *intake);
/* Warns of datasets and files that are among the inputs twice. */
int intake_warn_twice(struct environment *env, struct err *err);
/* --verify-key: the datasets among these paths must be signed. */
int intake_demand_signatures(struct environment *env, char *const *paths, int n, struct err *err);

#endif
