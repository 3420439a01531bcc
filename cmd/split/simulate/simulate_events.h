/* What happens in an emulated cluster: the first events are kept for the report, all of them go to a file where one is wanted. */
#ifndef SIMULATE_SIMULATE_EVENTS_H
#define SIMULATE_SIMULATE_EVENTS_H

#include "base/outfile.h"
#include "cmd/split/simulate/cluster.h"
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

/* All events into DIR/events.jsonl, one a line, which is there after simulate_events_end only. */
int simulate_events_begin(struct simulate_events *e, const char *dir, struct disk_quota *quota, struct err *err);
int simulate_events_add(struct simulate_events *e, const struct sim_event *event, struct err *err);
int simulate_events_end(struct simulate_events *e, struct err *err);
void simulate_events_free(struct simulate_events *e);
/* One event as it stands in the file; NULL: out of memory. */
json_t *simulate_event_json(const struct sim_event *event, const struct table *t);
/* "3 files, 1.2 MiB to 0.9 MiB: memstore is full" */
int simulate_event_describe(const struct sim_event *event, struct buf *out, struct err *err);

#endif
