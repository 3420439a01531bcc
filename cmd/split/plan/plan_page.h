/* The page of `obkv-split plan --html`. */
#ifndef PLAN_PLAN_PAGE_H
#define PLAN_PLAN_PAGE_H

#include "cmd/common/html/page_origin.h"
#include "cmd/split/plan/plan_view.h"

/* Writes the page to path, whole or not at all. */
int plan_page_write(const struct plan_view *v, const struct page_origin *made, const char *path, struct err *err);

#endif
