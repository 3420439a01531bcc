/* The emulated cluster on the page of `obkv-split simulate`. */
#ifndef CMD_SPLIT_SIMULATE_SIMULATE_PAGE_CLUSTER_H
#define CMD_SPLIT_SIMULATE_SIMULATE_PAGE_CLUSTER_H

#include "cmd/split/simulate/simulate_view.h"

struct page;

/* Sections of it. */
void simulate_page_cluster(const struct simulate_view *v, struct page *p);
void simulate_page_events(const struct simulate_view *v, struct page *p);

#endif
