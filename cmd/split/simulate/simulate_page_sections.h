/* Sections of the page of `obkv-split simulate`: regions, partitions and nodes over time. */
#ifndef CMD_SPLIT_SIMULATE_SIMULATE_PAGE_SECTIONS_H
#define CMD_SPLIT_SIMULATE_SIMULATE_PAGE_SECTIONS_H

#include "cmd/split/simulate/simulate_view.h"

struct page;

void simulate_page_moments(const struct simulate_view *v, struct page *p);
void simulate_page_regions(const struct simulate_view *v, struct page *p);
void simulate_page_partitions(const struct simulate_view *v, struct page *p);
void simulate_page_nodes(const struct simulate_view *v, struct page *p);

#endif
