#include "pipeline/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *problem_name(enum problem_kind k) {
    static const char *const names[] = {"missing", "damaged", "count", "order", "misplaced", "metadata"};
    return names[k];
}

int problems_init(struct problems *p, uint32_t limit, struct err *err) {
    *p = (struct problems){.limit = limit ? limit : 1};
    p->list = calloc(p->limit, sizeof *p->list);
    return p->list ? 0 : err_nomem(err, p->limit * sizeof *p->list, "the list of problems");
}

void problems_clear(struct problems *p) {
    p->n = 0;
    memset(p->found, 0, sizeof p->found);
}

void problems_free(struct problems *p) {
    free(p->list);
    *p = (struct problems){0};
}

/* The mildest one on the list makes room for a worse one. */
static struct problem *slot_for(struct problems *p, enum problem_kind k) {
    if (p->n < p->limit) return &p->list[p->n++];
    struct problem *mildest = &p->list[0];
    for (uint32_t i = 1; i < p->n; i++)
        if (p->list[i].kind > mildest->kind) mildest = &p->list[i];
    return mildest->kind > k ? mildest : NULL;
}

void problems_add(struct problems *p, enum problem_kind k, const char *fmt, ...) {
    struct problem made = {.kind = k};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(made.text, sizeof made.text, fmt, ap);
    va_end(ap);
#pragma omp critical(problems)
    {
        p->found[k]++;
        struct problem *slot = slot_for(p, k);
        if (slot) *slot = made;
    }
}

uint64_t problems_total(const struct problems *p) {
    uint64_t n = 0;
    for (int k = 0; k < PROBLEM_KINDS; k++) n += p->found[k];
    return n;
}

static int worse_first(const void *x, const void *y) {
    const struct problem *a = x, *b = y;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return strcmp(a->text, b->text);
}

void problems_sort(struct problems *p) {
    if (p->n) qsort(p->list, p->n, sizeof *p->list, worse_first);
}
