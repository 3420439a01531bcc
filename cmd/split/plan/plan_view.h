/* The figures of `obkv-split plan`, worked out once for all its forms: text, JSON, files. */
#ifndef PLAN_PLAN_VIEW_H
#define PLAN_PLAN_VIEW_H

#include "cmd/common/options.h"
#include "cmd/common/spread/heat_map.h"
#include "cmd/common/spread/key_prefixes.h"
#include "cmd/common/spread/spread.h"
#include "cmd/split/plan/advice.h"

#include <jansson.h>

struct hbase_table;

enum { PLAN_DESIGNS_MAX = 16 };

/* A key design: the rows' own keys first, then each --try. */
struct plan_design {
    const char *text; /* "" = keys as they are */
    struct plan_result r;
    uint32_t group_bytes;
    struct candidate *list; /* ranked */
    uint32_t n, listed;     /* the first `listed` appear in reports */
    struct key_prefixes prefixes;
    struct node_balance nodes; /* of the first choice: bytes that are expected */
    struct heat_map heat;
};

struct plan_view {
    const struct options *o;
    struct {
        uint32_t list[PLAN_COUNTS_MAX], n, asked; /* asked: the first ones, of --counts */
    } counts;
    struct plan_design *designs; /* [PLAN_DESIGNS_MAX] */
    uint32_t n_designs;
    enum plan_access access;
    uint32_t access_bytes;           /* ACCESS_PREFIX: leading bytes that scans give */
    uint32_t replicas;               /* of the table; expected_bytes are those of one */
    bool expects;                    /* --expect is given */
    double expected_bytes;           /* --expect after its years of growth, in one replica; of the rows seen where not given */
    uint32_t wanted;                 /* partitions that suit size and nodes */
    const struct candidate *written; /* what the files of -o are for; NULL = no files */
    const struct hbase_table *described; /* by --ddl in words of HBase's shell, or by a snapshot; else NULL */
    struct buf review;                   /* what is to be said of the table of --ddl: one finding a line */
    struct buf refused;                  /* that its partitions do not hold some rows, NUL-terminated; empty: they do */
    struct buf notes;                    /* what was assumed, and how to change it: a line each */
    struct buf access_doubt;             /* why --access is not followed, NUL-terminated; empty: it is */
    struct {
        json_t *next;                  /* what to do next: next_steps.h; NULL: there are no rows */
        json_t *present;               /* the partitioning of --ddl, and the bytes that its partitions would hold; NULL: none */
        const struct candidate *taken; /* the choice of --take; NULL: there are no rows */
    } shown;
    const char *first_reject; /* "file:line: reason" of the first record that is left out; "" = none */
    double seconds;
};

/* The figures of a design that has a result. */
int plan_view_judge(struct plan_view *v, struct plan_design *d, struct err *err);
void plan_view_free(struct plan_view *v);
/* Returns the candidate of the design that is this choice; NULL = none. */
const struct candidate *plan_view_find(const struct plan_design *d, enum plan_kind kind, uint32_t prefix, uint32_t n);
/* `KEY(substring(K,1,4)) PARTITIONS 97`, `RANGE COLUMNS(K), 23 partitions` … */
int plan_choice_describe(const struct plan_choice *c, struct buf *out, struct err *err);

/* Takes the next line off *rest, which is not empty. Returns it without its end. */
struct bytes plan_take_line(struct bytes *rest);
/* Fills v->review and v->refused from what the table of --ddl is like; the first design is judged, and v->first_reject is set. */
int plan_review(struct plan_view *v, const struct table *t, struct err *err);

int plan_text_print(const struct plan_view *v, struct buf *out, struct err *err);
json_t *plan_json_make(const struct plan_view *v);

#endif
