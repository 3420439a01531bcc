/* Prints the events of an emulated cluster. */
#ifndef CMD_SPLIT_SIMULATE_SIMULATE_EVENTS_H
#define CMD_SPLIT_SIMULATE_SIMULATE_EVENTS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/outfile.h"
#include "cmd/split/simulate/cluster.h"
#include "cmd/split/simulate/simulate_view.h"
#include "table/table.h"

/* All events into DIR/events.jsonl, one a line, which exists only after simulate_events_end. */
int simulate_events_begin(struct simulate_events *e, const char *dir, struct disk_quota *quota, struct err *err);
int simulate_events_add(struct simulate_events *e, const struct sim_event *event, struct err *err);
int simulate_events_end(struct simulate_events *e, struct err *err);
void simulate_events_free(struct simulate_events *e);
/* One event as in the file; NULL: out of memory. */
json_t *simulate_event_json(const struct sim_event *event, const struct table *t);
/* "3 files, 1.2 MiB to 0.9 MiB: memstore is full" */
int simulate_event_describe(const struct sim_event *event, struct buf *out, struct err *err);

#endif
