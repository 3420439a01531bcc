/* Reads the cases of tests/data/vectors/compaction_*.jsonl (schema: README there) and runs the version rules over them. */
#ifndef COMPACTION_VECTORS_H
#define COMPACTION_VECTORS_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cell/cell.h"
#include "rules/ledger.h"
#include "rules/rules.h"

enum { VECTOR_CELLS_MAX = 256, VECTOR_ARENA_BYTES = 1 << 16 };

struct vector_cell {
    struct bytes row;
    struct cell cell;
    uint32_t file, index; /* where it stands in the case */
    enum verdict verdict;
};

struct vector_case {
    const char *id; /* owned by json */
    json_t *json;
    bool major;
    struct rules_env env; /* earliest_put_ms: for the test to set */
    struct vector_cell cells[VECTOR_CELLS_MAX];
    size_t n;
    uint8_t arena[VECTOR_ARENA_BYTES];
    size_t used;
};

static int hex_digit(char ch) {
    return ch <= '9' ? ch - '0' : ch - 'a' + 10;
}

static struct bytes vector_text(struct vector_case *v, json_t *text) {
    const char *s = json_string_value(text);
    size_t n = json_string_length(text);
    uint8_t *p = v->arena + v->used;
    assert_non_null(s);
    assert_true(v->used + n <= sizeof v->arena);
    const char *enc = json_string_value(json_object_get(v->json, "enc"));
    if (enc) {
        assert_string_equal(enc, "hex");
        n /= 2;
        for (size_t i = 0; i < n; i++) p[i] = (uint8_t)(hex_digit(s[2 * i]) << 4 | hex_digit(s[2 * i + 1]));
    } else {
        memcpy(p, s, n);
    }
    v->used += n;
    return bytes_of(p, n);
}

static uint8_t vector_type(json_t *name) {
    for (unsigned t = 0; t < 256; t++)
        if (cell_type_known(t) && !strcmp(cell_type_name((uint8_t)t), json_string_value(name))) return (uint8_t)t;
    fail_msg("unknown cell type %s", json_string_value(name));
    return 0;
}

/* seq: what the cell has when it does not say so itself. */
static void vector_add_cell(struct vector_case *v, json_t *in, uint32_t file, uint32_t index, uint64_t seq) {
    assert_true(v->n < VECTOR_CELLS_MAX);
    struct vector_cell *c = &v->cells[v->n++];
    *c = (struct vector_cell){.file = file, .index = index};
    c->row = vector_text(v, json_object_get(in, "row"));
    c->cell.qualifier = vector_text(v, json_object_get(in, "q"));
    c->cell.ts_ms = json_integer_value(json_object_get(in, "ts"));
    c->cell.type = vector_type(json_object_get(in, "type"));
    json_t *own = json_object_get(in, "seq"), *ttl = json_object_get(in, "cell_ttl_ms");
    c->cell.seq = own ? (uint64_t)json_integer_value(own) : seq;
    c->cell.rank = rank_of(file, RANK_POSITION_MAX - index);
    if (!ttl) return;
    assert_true(v->used + TTL_TAG_BYTES <= sizeof v->arena);
    cell_put_ttl_tag(v->arena + v->used, json_integer_value(ttl));
    c->cell.tags = bytes_of(v->arena + v->used, TTL_TAG_BYTES);
    v->used += TTL_TAG_BYTES;
}

static void vector_settings(struct vector_case *v) {
    json_t *f = json_object_get(v->json, "family");
    const char *kept = json_string_value(json_object_get(f, "keep_deleted"));
    v->id = json_string_value(json_object_get(v->json, "id"));
    v->major = !strcmp(json_string_value(json_object_get(v->json, "compaction")), "major");
    v->env.kind = v->major ? COMPACTION_MAJOR : COMPACTION_MINOR;
    v->env.row_bytes = 1 << 20;
    v->env.now_ms = json_integer_value(json_object_get(v->json, "now"));
    v->env.family = (struct family_rules){
        .versions_given = true,
        .versions = (uint32_t)json_integer_value(json_object_get(f, "versions")),
        .min_versions = (uint32_t)json_integer_value(json_object_get(f, "min_versions")),
        .ttl_s = json_integer_value(json_object_get(f, "ttl_s")),
        .keep_deleted = !strcmp(kept, "FALSE")  ? KEEP_DELETED_FALSE
                        : !strcmp(kept, "TRUE") ? KEEP_DELETED_TRUE
                                                : KEEP_DELETED_TTL,
        .new_version_behavior = json_is_true(json_object_get(f, "new_version_behavior")),
        .purge_deletes_after_ms = json_integer_value(json_object_get(v->json, "purge_deletes_ms")),
    };
}

static int vector_cell_cmp(const void *pa, const void *pb) {
    const struct vector_cell *a = pa, *b = pb;
    int c = bytes_cmp(a->row, b->row);
    return c ? c : cell_cmp(&a->cell, &b->cell, TIE_BY_SEQUENCE);
}

/* Sorts the cells and judges them, rewriting the bytes of each cell after it was judged. */
static void vector_judge(struct vector_case *v) {
    struct err err = {0};
    uint8_t scratch[4096];
    qsort(v->cells, v->n, sizeof *v->cells, vector_cell_cmp);
    struct rules *r = rules_new(&v->env, &err);
    if (!r) fail_msg("%s: %s", v->id, err.text);
    for (size_t i = 0; i < v->n; i++) {
        struct cell c = v->cells[i].cell;
        assert_true(c.qualifier.n <= sizeof scratch);
        if (c.qualifier.n) memcpy(scratch, c.qualifier.p, c.qualifier.n);
        c.qualifier.p = scratch;
        if (i == 0 || !bytes_eq(v->cells[i].row, v->cells[i - 1].row)) rules_begin_row(r);
        enum cause why;
        if (rules_judge(r, &c, &why, &err)) fail_msg("%s: %s", v->id, err.text);
        v->cells[i].verdict = cause_verdict(why);
        memset(scratch, 0xee, sizeof scratch);
    }
    rules_free(r);
}

/* Runs fn over every case of a file; fn returns whether it used the case. Returns the number used. */
static size_t vector_each(const char *path, bool (*fn)(struct vector_case *v)) {
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("cannot open %s", path);
    struct vector_case *v = malloc(sizeof *v);
    assert_non_null(v);
    char *line = NULL;
    size_t cap = 0, used = 0;
    while (getline(&line, &cap, f) > 0) {
        json_error_t e;
        v->n = v->used = 0;
        v->json = json_loads(line, JSON_ALLOW_NUL, &e);
        if (!v->json) fail_msg("%s: %s", path, e.text);
        vector_settings(v);
        used += fn(v);
        json_decref(v->json);
    }
    free(line);
    free(v);
    fclose(f);
    return used;
}

#endif
