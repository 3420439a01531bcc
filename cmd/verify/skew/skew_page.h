/* The page of `obkv-verify skew --html`. */
#ifndef SKEW_SKEW_PAGE_H
#define SKEW_SKEW_PAGE_H

#include "cmd/common/html/page_figures.h"
#include "cmd/common/html/page_origin.h"
#include "cmd/verify/skew/skew_view.h"

struct skew_page_facts {
    struct page_origin made;
    char *const *inputs; /* at least one */
    int n_inputs;
};

/* Writes the page to path, whole or not at all. */
int skew_page_write(const struct skew_view *v, const struct skew_page_facts *f, const char *path, struct err *err);

/* Its sections. */
void skew_page_partitions(const struct skew_view *v, struct page *p);
void skew_page_evenness(const struct skew_view *v, struct page *p);
void skew_page_keys(const struct skew_view *v, struct page *p);
void skew_page_versions(const struct skew_view *v, struct page *p);

#endif
