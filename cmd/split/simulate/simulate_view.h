/* Keeps what happens in an emulated cluster for the report: the first events; all of them go to a file where one is wanted. */
#ifndef SIMULATE_SIMULATE_VIEW_H
#define SIMULATE_SIMULATE_VIEW_H

#include "cmd/common/options.h"
#include "cmd/common/spread/spread.h"
#include "cmd/split/simulate/cluster.h"
#include "cmd/split/simulate/simulation.h"
#include "table/table.h"

#include <jansson.h>

enum { EVENTS_KEPT = 1000 };

struct simulate_events { /* zero-initialise */
    const struct table *table;
    struct sim_event *list; /* keys are owned */
    uint32_t n;
    uint64_t seen;
    char *path, *temp; /* where all of them go; NULL: nowhere */
    struct outfile *file;
};

/* The figures of `obkv-split simulate`, worked out once for all its forms: text, JSON, page, files. */

/* Regions, or partitions: what the writes are counted in. */
struct simulate_side {
    const struct write_history *history;
    struct write_history_figures figures;
    struct node_balance nodes; /* of writes, dealt out in turn: servers of HBase, nodes of OceanBase */
};

/* The heat of the hottest place, over the stretches of time in which anything is written. */
struct simulate_heat {
    uint32_t places;   /* regions, emulated ones at the end; partitions */
    double mean, most; /* its share of the writes, emulated of the bytes */
    double max_mean;   /* its share over that of the mean place: 1 = even */
};

/* Results of one row key, where several are compared. */
struct simulate_design {
    const char *key; /* NULL: the rows' own keys */
    uint64_t writes, unfit;
    char unfit_why[240];
    struct simulate_heat regions, partitions;
    double write_amplification; /* emulated */
    int64_t delay_ms;           /* emulated */
};

enum { SIMULATE_DESIGNS_MAX = 16 };

struct simulate_view {
    const struct options *o;
    const struct table *table;
    const char *splits; /* as given, or the default */
    const char *order;  /* "generated", "time", "input", "key" */
    bool by_timestamps;
    struct simulation_counts r;
    struct simulate_side regions, partitions;
    /* Emulated: there are no counts of regions that stay as they are. */
    bool emulated;
    struct emulation cluster;
    struct simulate_events events;
    struct {
        double mean, most; /* share of the hottest region, over the stretches of time in which anything is written */
        double ratio;      /* the same over the mean of the regions there are at the time: 1 = even */
    } hot;
    uint32_t servers;
    struct buf partitioning; /* in words, ends with NUL */
    struct {
        uint64_t writes, cells, bytes;
    } counted;
    struct {
        const char *first_reject; /* "file:line: reason" of the first record that is left out; NULL, if none can be */
        json_t *next;             /* what to do next: next_steps.h; NULL: nothing */
    } shown;
    double seconds;
    struct simulate_design designs[SIMULATE_DESIGNS_MAX]; /* this one first, then each --try */
    uint32_t n_designs;
};

/* Makes the figures of a view out of its results, v->r. */
int simulate_view_make(struct simulate_view *v, struct err *err);
void simulate_view_free(struct simulate_view *v);
/* First row of a region; n = 0: the first one, which has none. */
struct bytes simulate_region_row(const struct simulate_view *v, uint32_t region);
/* Returns in how many slices of time the place took most. */
uint32_t simulate_hottest_in(const struct simulate_side *s, uint32_t place);
/* Returns when a slice begins (slice = slices: when the last one ends), ms on the clock. */
int64_t simulate_slice_ms(const struct simulate_view *v, uint32_t slice);
double simulate_share(uint64_t part, uint64_t all);
/* "312 ms", "12.5 s", "33 min 20 s", "4 h 10 min", "12 d 4 h" */
void simulate_span_text(int64_t ms, char out[32]);
/* One sentence: at any moment, HBase beside OceanBase. */
int simulate_verdict_put(const struct simulate_view *v, struct buf *out, struct err *err);

/* Row keys for people, in so many columns; shorter ones are filled up. */
int simulate_row_put(struct buf *out, struct bytes row, int columns, struct err *err);

int simulate_text_print(const struct simulate_view *v, struct buf *out, struct err *err);

#endif
