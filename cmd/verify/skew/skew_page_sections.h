/* The sections of the skew page. */
#ifndef CMD_VERIFY_SKEW_SKEW_PAGE_SECTIONS_H
#define CMD_VERIFY_SKEW_SKEW_PAGE_SECTIONS_H

#include "cmd/common/html/page.h"
#include "cmd/verify/skew/skew_view.h"

/* Write the sections of the page of `obkv-verify skew`. */
void skew_page_partitions(const struct skew_view *v, struct page *p);
void skew_page_evenness(const struct skew_view *v, struct page *p);
void skew_page_keys(const struct skew_view *v, struct page *p);
void skew_page_versions(const struct skew_view *v, struct page *p);

#endif
