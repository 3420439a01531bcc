#include "cmd/split/plan/presplit.h"

/* NumberStringSplit: 8 digits of the radix, lower case. */
static int put_number(struct plan_choice *c, uint32_t i, struct err *err) {
    bool hex = c->kind == PLAN_HEX;
    uint64_t step = (hex ? UINT64_C(1) << 32 : UINT64_C(100000000)) / c->n;
    return buf_printf(&c->bounds[i - 1], err, hex ? "%08llx" : "%08llu", (unsigned long long)(step * i));
}

/* Bytes.split of nothing and eight bytes ff, both included: 2^64 / n apart. */
static int put_uniform(struct plan_choice *c, uint32_t i, struct err *err) {
    uint64_t step = (uint64_t)(((unsigned __int128)1 << 64) / c->n);
    return buf_put_be64(&c->bounds[i - 1], step * i, err);
}

static int put_prefix(struct plan_choice *c, uint32_t i, struct err *err) {
    int width = 1;
    for (uint32_t top = c->n - 1; top >= 10; top /= 10) width++;
    return buf_printf(&c->bounds[i - 1], err, "%0*u", width, i);
}

int presplit_make(struct plan_choice *c, enum plan_kind kind, uint32_t n, struct err *err) {
    int rc = plan_choice_init(c, kind, 0, n, err);
    for (uint32_t i = 1; i < n && !rc; i++)
        rc = kind == PLAN_UNIFORM ? put_uniform(c, i, err) : kind == PLAN_NUMBER ? put_prefix(c, i, err) : put_number(c, i, err);
    return rc;
}
