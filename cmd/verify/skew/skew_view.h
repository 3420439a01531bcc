/* The figures of `obkv-verify skew`, worked out once for all its forms: text, JSON, page. */
#ifndef SKEW_SKEW_VIEW_H
#define SKEW_SKEW_VIEW_H

#include "cmd/common/options.h"
#include "cmd/common/spread/heat_map.h"
#include "cmd/common/spread/key_prefixes.h"
#include "cmd/common/spread/spread.h"
#include "cmd/verify/skew/skew.h"

#include <jansson.h>

enum skew_measure { SKEW_ROWS, SKEW_CELLS, SKEW_KV_BYTES, SKEW_FILE_BYTES, SKEW_MEASURES };

/* Partitions of one family, or of all added up. */
struct skew_table {
    struct skew_part *parts; /* [partition] */
    struct skew_part total;
    struct spread spread[SKEW_MEASURES];
};

struct skew_over {
    uint32_t family, partition;
    uint64_t bytes;
};

struct skew_view {
    const struct options *o;
    const struct table *table;
    const struct skew_result *r;
    uint32_t families, partitions;
    bool known[SKEW_MEASURES];
    struct skew_table all, *family; /* family[families] */
    struct buf partitioning;        /* described, NUL-terminated */
    struct node_balance nodes;      /* by KeyValue bytes */
    struct skew_over *over;         /* above --max-partition, by family and partition */
    uint32_t n_over;
    struct key_prefixes prefixes;
    struct heat_map heat;
    const char *first_reject; /* "" = none */
    double seconds;
    json_t *next; /* what to do next: next_steps.h; NULL: nothing */
};

/* Borrows all that it is given; *v must be freed, whatever is returned. r's sample is put into another order. */
int skew_view_make(const struct options *o, const struct table *t, struct skew_result *r, struct skew_view *v, struct err *err);
void skew_view_free(struct skew_view *v);

/* Numbers of the partitions, in their own order or the heaviest first, to be freed; NULL: out of memory. */
uint32_t *skew_view_order(const struct skew_view *v, bool heaviest_first, struct err *err);

uint64_t skew_amount(const struct skew_part *p, enum skew_measure m);
const char *skew_measure_name(enum skew_measure m); /* "rows" … "file_bytes" */
/* Versions per cell; 0 if there are none. */
double skew_versions_mean(const struct skew_part *p);
/* Returns, for a dataset read in full, whether the manifest's ledger has as many cells, with the same digest, as were counted.
 * Else true. */
bool skew_account_holds(const struct skew_view *v);
/* Returns the share of the bytes in all KeyValue bytes (in bytes on disk where no cell was read). */
double skew_share(const struct skew_view *v, uint64_t bytes);
/* Numbers of versions as they are shown: 1, 2, 3, 4-7, 8-15 … ; from 0 = no more. */
struct skew_versions {
    uint64_t from, to, columns;
};
struct skew_versions skew_versions_next(const struct skew_view *v, const struct skew_versions *last);

int skew_text_print(const struct skew_view *v, const char *what, struct buf *out, struct err *err);
json_t *skew_json_make(const struct skew_view *v, char *const *inputs, int n_inputs);

#endif
