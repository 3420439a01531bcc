/* The page of `obkv-verify skew --html`. */
#ifndef CMD_SKEW_PAGE_H
#define CMD_SKEW_PAGE_H

#include "cmd/page_figures.h"
#include "cmd/skew_view.h"

struct skew_page_facts {
    const char *what;    /* the input, or the first one of several */
    const char *command; /* that makes this page, as one would type it */
    const char *tool;    /* "obkv-verify 1.0.0" */
    int64_t now_ms;
    char *const *inputs;
    int n_inputs;
};

/* Writes the page; p is to be freed whatever is returned. */
int skew_page_make(const struct skew_view *v, const struct skew_page_facts *f, struct page *p, struct err *err);

/* Its sections. */
void skew_page_partitions(const struct skew_view *v, struct page *p);
void skew_page_evenness(const struct skew_view *v, struct page *p);
void skew_page_keys(const struct skew_view *v, struct page *p);
void skew_page_versions(const struct skew_view *v, struct page *p);
void skew_page_account(const struct skew_view *v, struct page *p);
void skew_page_settings(const struct skew_view *v, const struct skew_page_facts *f, struct page *p);

#endif
