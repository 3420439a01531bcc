#include "cmd/split/plan/choice.h"

#include "table/placement.h"

#include <stdlib.h>

int plan_choice_init(struct plan_choice *c, enum plan_kind kind, uint32_t prefix, uint32_t n, struct err *err) {
    *c = (struct plan_choice){.kind = kind, .prefix = prefix, .n = n, .room = n};
    c->parts = calloc(n, sizeof *c->parts);
    if (kind != PLAN_KEY) c->bounds = calloc(n, sizeof *c->bounds);
    if (!c->parts || (kind != PLAN_KEY && !c->bounds)) return err_nomem(err, n * sizeof *c->parts, "a plan's partitions");
    return 0;
}

void plan_choice_free(struct plan_choice *c) {
    for (uint32_t i = 0; c->bounds && i < c->room; i++) buf_free(&c->bounds[i]);
    free(c->bounds);
    free(c->parts);
    *c = (struct plan_choice){0};
}

uint32_t plan_choice_place(const struct plan_choice *c, struct bytes row) {
    if (c->kind == PLAN_KEY) {
        if (c->prefix && row.n > c->prefix) row.n = c->prefix;
        int64_t hash = placement_key_hash(row);
        return hash == INT64_MIN ? 0 : (uint32_t)(llabs(hash) % c->n);
    }
    uint32_t low = 0, high = c->n - 1; /* bounds that are not above the row */
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (bytes_cmp(buf_bytes(&c->bounds[mid]), row) <= 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

uint32_t plan_choice_place_from(const struct plan_choice *c, uint32_t from, struct bytes row) {
    while (from + 1 < c->n && bytes_cmp(buf_bytes(&c->bounds[from]), row) <= 0) from++;
    return from;
}

const char *plan_kind_name(enum plan_kind k) {
    static const char *const names[PLAN_KINDS] = {"key", "range", "hex", "decimal", "uniform", "number"};
    return names[k];
}
