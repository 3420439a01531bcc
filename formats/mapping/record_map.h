/* A source of a mapping, ready for one file: which of its columns the expressions mean, and what its records become.
 *
 *   record_map_new (columns found, shapes made) -> per thread: record_mapper_init -> per record: fields filled, record_mapper_run
 *
 * Cells whose family and qualifier are constants and whose timestamp is the row's have a shape, as those of --columns; what
 * the data names are loose cells, put into order for each record. */
#ifndef FORMATS_MAPPING_RECORD_MAP_H
#define FORMATS_MAPPING_RECORD_MAP_H

#include "formats/mapping/mapping.h"
#include "formats/mapping/record_list.h"
#include "select/selection_state.h"

struct record_map_opts {
    const struct mapping *mapping;
    const struct mapping_source *source; /* one of its */
    const char *path;                    /* for messages */
    const struct bytes *header;          /* field names of the first record; NULL: none */
    uint32_t n_header;
    bool by_path;        /* fields are paths into JSON: the caller finds them, there are no columns */
    bool empty_input;    /* not even a header: names cannot be looked up, and need not be */
    struct table *table; /* as for a column map */
    bool open_families;
    const struct selection *selection; /* as for a column map */
    struct shape_set *shapes;
    int64_t default_ts_ms;
    enum time_unit unit;     /* of what expressions for timestamps come to */
    size_t max_result_bytes; /* what the results of one record may take; 0 = see expr_scratch */
};

/* ---- the plan ---- */

/* A cell of a shape. */
struct record_slot {
    const struct mapping_cell *rule;
    struct bytes qualifier; /* the shape's own copy */
    uint32_t field;         /* its value is just this field; EXPR_NO_FIELD: more than that */
};

struct record_group {
    struct bytes family; /* the shape's own copy */
    uint32_t shape, first, n;
};

struct record_row {
    const struct mapping_row *rule;
    struct record_slot *slots;
    struct record_group *groups;       /* ascending by family */
    const struct mapping_cell **loose; /* the others */
    uint32_t n_slots, n_groups, n_loose;
};

struct loose_cell {
    struct bytes family;
    struct cell cell;
    uint32_t order; /* of its rule */
};

struct record_map {
    const struct mapping_source *source;
    uint32_t *columns;  /* of the text, by field of the programs; UINT32_MAX: by path */
    uint32_t n_columns; /* of the text that are read */
    bool exact;         /* a record has just so many fields */
    int64_t default_ts_ms;
    enum time_unit unit;
    size_t max_result_bytes;
    struct record_list_plan lists;
    uint8_t *met;            /* the source's; NULL: not by path */
    struct record_row *rows; /* as many as the source has */
    uint32_t max_cells;      /* of a record */
};

/* As the reader's options say; a header or by_path is the caller's to add. */
struct record_map_opts record_map_opts_of(const struct read_opts *o, const struct mapping_source *source, const char *path);
/* Makes the map of records to rows. ERR_USAGE names the column or family that is missing. */
struct record_map *record_map_new(const struct record_map_opts *o, struct err *err);
void record_map_free(struct record_map *m);

#endif
