/* Runs compiled expressions: a stack machine over fields that are filled by the caller. Results live in the scratch of the
 * thread, which is emptied for each record and keeps its size, so running allocates nothing in the long run. */
#include "formats/mapping/expr.h"

#include "formats/mapping/expr_program.h"
#include "formats/mapping/expr_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_MIN_BYTES = 4096, LIMIT_BYTES = 64 << 20 };

/* ---- memory ---- */

static uint8_t *take_scratch(struct expr_scratch *s, size_t n) {
    uint8_t *p = (uint8_t *)(s->blocks + 1) + s->used;
    s->used += n;
    return p;
}

static int add_block(struct expr_scratch *s, size_t n, struct err *err) {
    size_t cap = s->blocks ? s->blocks->cap * 2 : BLOCK_MIN_BYTES;
    if (cap < n) cap = n;
    struct expr_block *b = malloc(sizeof *b + cap);
    if (!b) return err_nomem(err, sizeof *b + cap, "results of expressions");
    *b = (struct expr_block){s->blocks, cap};
    s->blocks = b;
    s->used = 0;
    s->total += cap;
    return 0;
}

static bool has_room(const struct expr_scratch *s, size_t n) {
    return s->blocks && s->blocks->cap - s->used >= n;
}

uint8_t *expr_take(struct expr_run *run, size_t n, int *rc) {
    struct expr_scratch *s = run->scratch;
    size_t limit = s->limit_bytes ? s->limit_bytes : LIMIT_BYTES;
    if (has_room(s, n)) return take_scratch(s, n);
    if (n > limit || s->total > limit - n) {
        *rc = expr_refuse(run, NULL, "the results take more than %zu bytes", limit);
        return NULL;
    }
    *rc = add_block(s, n, run->err);
    return *rc ? NULL : take_scratch(s, n);
}

/* Aligned for what functions keep: constants, which are there too, are of any length. */
void *expr_keep(struct expr_scratch *memory, size_t n, struct err *err) {
    size_t pad = -memory->used & (_Alignof(max_align_t) - 1);
    if (has_room(memory, n + pad))
        memory->used += pad;
    else if (add_block(memory, n, err))
        return NULL;
    return take_scratch(memory, n);
}

/* The first block is the largest: records to come are as large as those before. */
void expr_scratch_reset(struct expr_scratch *s) {
    s->hour_skipped = s->hour_repeated = false;
    s->used = 0;
    if (!s->blocks) return;
    for (struct expr_block *b; (b = s->blocks->next);) {
        s->blocks->next = b->next;
        free(b);
    }
    s->total = s->blocks->cap;
}

void expr_scratch_free(struct expr_scratch *s) {
    expr_scratch_reset(s);
    free(s->blocks);
    s->blocks = NULL;
    s->total = 0;
}

void expr_free(struct expr *e) {
    if (!e) return;
    expr_scratch_free(&e->memory);
    free(e->ops);
    free(e);
}

/* ---- messages ---- */

const char *expr_quote(struct expr_value v, char out[EXPR_QUOTE_BYTES]) {
    enum { ESCAPED_MAX = 4, TAIL = 6 }; /* \xNN; '…' and NUL */
    size_t n = 0;
    out[n++] = '\'';
    size_t i = 0;
    for (; i < v.n && n < EXPR_QUOTE_BYTES - ESCAPED_MAX - TAIL; i++) {
        if (v.p[i] >= 0x20 && v.p[i] < 0x7f)
            out[n++] = (char)v.p[i];
        else
            n += (size_t)snprintf(out + n, ESCAPED_MAX + 1, "\\x%02x", v.p[i]);
    }
    snprintf(out + n, TAIL, i < v.n ? "…'" : "'");
    return out;
}

int expr_refuse(struct expr_run *run, const struct expr_op *op, const char *fmt, ...) {
    va_list ap;
    int n = op ? snprintf(run->why->text, sizeof run->why->text, "%s: ", op->f->name) : 0;
    run->why->field = op ? op->field : EXPR_NO_FIELD;
    va_start(ap, fmt);
    vsnprintf(run->why->text + n, sizeof run->why->text - (size_t)n, fmt, ap);
    va_end(ap);
    return 0;
}

/* ---- running ---- */

static inline bool has_null(const struct expr_value *args, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (!args[i].p) return true;
    return false;
}

/* The arguments are the n below `end`; the result takes the place of the first. */
static inline int call(struct expr_run *run, const struct expr_op *op, struct expr_value *end) {
    struct expr_value *args = end - op->n_args;
    if (op->f->takes_nulls || !has_null(args, op->n_args)) return op->f->run(run, op, args);
    args[0] = (struct expr_value){0};
    return 1;
}

static inline bool is_true(const struct expr_value *v) {
    return v->p && v->number;
}

/* Runs an op. 1, 0, -1; top is where the stack ends. */
static int run_op(const struct expr *e, uint32_t *pc, struct expr_value **top, const struct expr_value *fields,
                  struct expr_run *run) {
    const struct expr_op *op = &e->ops[(*pc)++];
    switch (op->code) {
    case OP_CONST: *(*top)++ = op->value; return 1;
    case OP_FIELD: *(*top)++ = fields[op->at]; return 1;
    case OP_DROP: (*top)--; return 1;
    case OP_JUMP: *pc = op->at; return 1;
    case OP_JUMP_UNLESS:
        if (!is_true(*top - 1)) *pc = op->at;
        return 1;
    case OP_JUMP_IF:
        if (is_true(*top - 1)) *pc = op->at;
        return 1;
    case OP_JUMP_PRESENT:
        if ((*top - 1)->p) *pc = op->at;
        return 1;
    case OP_CALL: break;
    }
    struct expr_value *end = *top - op->at;
    int rc = call(run, op, end);
    *top -= op->n_args - 1;
    return rc;
}

int expr_eval(const struct expr *e, const struct expr_value *fields, struct expr_scratch *s, struct expr_value *out,
              struct expr_fault *why, struct err *err) {
    struct expr_value stack[EXPR_STACK_MAX], *top = stack;
    struct expr_run run = {s, why, err};
    for (uint32_t pc = 0; pc < e->n;) {
        int rc = run_op(e, &pc, &top, fields, &run);
        if (rc != 1) return rc;
    }
    *out = stack[0];
    return 1;
}

bool expr_is_constant(const struct expr *e, struct expr_value *out) {
    if (e->n != 1 || e->ops[0].code != OP_CONST) return false;
    *out = e->ops[0].value;
    return true;
}

bool expr_is_field(const struct expr *e, uint32_t *field) {
    if (e->n != 1 || e->ops[0].code != OP_FIELD) return false;
    *field = e->ops[0].at;
    return true;
}
