/* Findings of a check: all are counted, the worst are kept, in a heap with the mildest on top. What a list that is too short
 * keeps depends on the findings alone, not on the threads that add them. */
#include "cmd/verify/check/check_findings.h"

#include "base/heap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *severity;
} kinds[FINDING_KINDS] = {
    [FINDING_MISSING] = {"missing", "lost"},
    [FINDING_DAMAGED] = {"damaged", "lost"},
    [FINDING_COUNT] = {"count", "lost"},
    [FINDING_ORDER] = {"order", "misplaced"},
    [FINDING_HIDDEN] = {"hidden", "misplaced"},
    [FINDING_EXTRA] = {"extra", "misplaced"},
    [FINDING_MISPLACED] = {"misplaced", "misplaced"},
    [FINDING_METADATA] = {"metadata", "figures"},
    [FINDING_COSMETIC] = {"cosmetic", "cosmetic"},
    [FINDING_NOTE] = {"note", "note"},
};

const char *finding_name(enum finding_kind k) {
    return kinds[k].name;
}

const char *finding_severity(enum finding_kind k) {
    return kinds[k].severity;
}

int check_findings_init(struct check_findings *p, uint64_t limit, struct err *err) {
    *p = (struct check_findings){.lock = PTHREAD_MUTEX_INITIALIZER,
                                 .limit = !limit                  ? 1
                                          : limit < FINDINGS_MOST ? (uint32_t)limit
                                                                  : FINDINGS_MOST};
    p->list = calloc(p->limit, sizeof *p->list);
    return p->list ? 0 : err_nomem(err, p->limit * sizeof *p->list, "the list of problems");
}

void check_findings_clear(struct check_findings *p) {
    for (uint32_t i = 0; i < p->n; i++) free(p->list[i].text);
    p->n = 0;
    memset(p->found, 0, sizeof p->found);
}

void check_findings_free(struct check_findings *p) {
    check_findings_clear(p);
    free(p->list);
    *p = (struct check_findings){0};
}

static int worse_first(const void *x, const void *y) {
    const struct check_finding *a = x, *b = y;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return strverscmp(a->text, b->text);
}

/* The list is a heap with the least bad finding first: that one gives way when the list is full. */
static bool less_bad(const void *a, const void *b, const void *arg) {
    (void)arg;
    return worse_first(a, b) > 0;
}

/* Takes made's text. */
static void keep_finding(struct check_findings *p, struct check_finding made) {
    if (p->n < p->limit) {
        heap_push(p->list, p->n++, sizeof made, &made, less_bad, NULL);
    } else if (worse_first(&made, &p->list[0]) < 0) {
        free(p->list[0].text);
        p->list[0] = made;
        heap_sink(p->list, p->n, sizeof made, 0, less_bad, NULL);
    } else {
        free(made.text);
    }
}

void check_findings_add(struct check_findings *p, enum finding_kind k, const char *file, const char *fmt, ...) {
    char what[1000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    size_t n = file ? strlen(file) : 0;
    bool named = n && strncmp(what, file, n) == 0 && what[n] == ':';
    struct check_finding made = {.kind = k, .file_n = (uint32_t)n};
    int rc = n && !named ? asprintf(&made.text, "%s: %s", file, what) : asprintf(&made.text, "%s", what);
    if (rc < 0) return check_findings_count(p, k, 1);
    pthread_mutex_lock(&p->lock);
    p->found[k]++;
    keep_finding(p, made);
    pthread_mutex_unlock(&p->lock);
}

static int name_finding(struct check_finding *f, const struct path_names *names, struct err *err) {
    struct buf text = {0};
    struct bytes old = bytes_str(f->text);
    int rc = path_names_put(names, bytes_of(old.p, f->file_n), &text, err);
    uint32_t file_n = (uint32_t)text.n;
    if (!rc) rc = path_names_put(names, bytes_of(old.p + f->file_n, old.n - f->file_n), &text, err);
    if (!rc) rc = buf_put_byte(&text, 0, err);
    if (rc) {
        buf_free(&text);
        return -1;
    }
    free(f->text);
    f->text = (char *)text.p;
    f->file_n = file_n;
    return 0;
}

int check_findings_name(struct check_findings *p, const struct path_names *names, struct err *err) {
    for (uint32_t i = 0; i < p->n; i++)
        if (name_finding(&p->list[i], names, err)) return -1;
    return 0;
}

void check_findings_move(struct check_findings *dst, struct check_findings *src) {
    if (check_findings_total(src) + src->found[FINDING_NOTE] == 0) return;
    pthread_mutex_lock(&dst->lock);
    for (int k = 0; k < FINDING_KINDS; k++) dst->found[k] += src->found[k];
    for (uint32_t i = 0; i < src->n; i++) keep_finding(dst, src->list[i]);
    pthread_mutex_unlock(&dst->lock);
    src->n = 0;
    check_findings_clear(src);
}

void check_findings_count(struct check_findings *p, enum finding_kind k, uint64_t n) {
    pthread_mutex_lock(&p->lock);
    p->found[k] += n;
    pthread_mutex_unlock(&p->lock);
}

uint64_t check_findings_total(const struct check_findings *p) {
    uint64_t n = 0;
    for (int k = 0; k < FINDING_NOTE; k++) n += p->found[k];
    return n;
}

void check_findings_sort(struct check_findings *p) {
    if (p->n) qsort(p->list, p->n, sizeof *p->list, worse_first);
}
