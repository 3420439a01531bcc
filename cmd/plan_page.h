/* The page of `obkv-split plan --html`. */
#ifndef CMD_PLAN_PAGE_H
#define CMD_PLAN_PAGE_H

#include "cmd/plan_view.h"

struct plan_page_facts {
    const char *tool;    /* "obkv-split 1.0.0" */
    const char *command; /* that makes this page, as one would type it */
    int64_t now_ms;
};

/* Writes the page to path, whole or not at all. */
int plan_page_write(const struct plan_view *v, const struct plan_page_facts *f, const char *path, struct err *err);

#endif
