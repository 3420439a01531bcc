/* A reader of CSV or TSV while it is opened (csv_plan.c) and when its chunks are parsed (csv_parse.c). */
#ifndef FORMATS_CSV_CSV_READER_H
#define FORMATS_CSV_CSV_READER_H

#include "formats/mapping/colmap.h"
#include "formats/csv/csv_scan.h"
#include "engine/format.h"
#include "formats/mapping/record_map.h"
#include "formats/text/text.h"

/* Only read once it is open, by any number of threads; `text` belongs to the one that hands out chunks. */
struct csv_reader {
    struct reader base;
    struct text_input text;
    struct csv_dialect dialect;
    struct colmap map; /* --columns */
    const struct mapping_source *source;
    struct record_map *mapped; /* --map; NULL: --columns. Then n_columns and needed are all that map tells */
    bool strict;               /* csv: a record has exactly map.n_columns fields */
    bool open_ended;           /* it may have more */
    uint64_t header_end;       /* records that begin before this offset are the header */
    struct bytes null_text;
    bool has_null_text, skip_empty;
    int64_t default_ts_ms;
};

/* d: the format's own; options beat it, and a source of a mapping beats both. */
void csv_plan_dialect(struct csv_reader *r, const struct read_opts *o, struct csv_dialect d);
/* With r->text open: what the columns mean, by the header if there is one. ERR_USAGE; ERR_INPUT or ERR_LIMIT for a bad header. */
int csv_plan(struct csv_reader *r, const struct read_opts *o, struct err *err);

/* reader_ops.parse */
int csv_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err);

#endif
