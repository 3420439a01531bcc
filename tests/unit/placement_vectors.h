/* Test support: the vectors of tests/data/vectors, and placements made of a partitioning. */
#ifndef TESTS_UNIT_PLACEMENT_VECTORS_H
#define TESTS_UNIT_PLACEMENT_VECTORS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/hash.h"
#include "table/bounds.h"
#include "table/placement.h"

#include <stdio.h>
#include <stdlib.h>

#define DIR "tests/data/vectors/"
enum { FIELDS_MAX = 32 };

struct tsv {
    char *text, *at;
    uint32_t line;
    char *field[FIELDS_MAX];
    int n;
};

static inline struct tsv tsv_open(const char *path) {
    struct err err = {0};
    size_t n;
    struct tsv t = {.text = fs_read_text(path, 1 << 24, &n, &err)};
    if (!t.text) fail_msg("%s", err.text);
    t.at = t.text;
    return t;
}

static inline bool tsv_next(struct tsv *t) {
    for (;;) {
        char *line = t->at, *nl = strchr(line, '\n');
        if (!*line) return false;
        t->at = nl ? nl + 1 : line + strlen(line);
        if (nl) *nl = 0;
        t->line++;
        if (*line == '#' || !*line) continue;
        t->n = 0;
        for (char *tab; t->n < FIELDS_MAX && line; line = tab) {
            t->field[t->n++] = line;
            tab = strchr(line, '\t');
            if (tab) *tab++ = 0;
        }
        return true;
    }
}

static inline struct bytes unhex(const char *hex, struct buf *out) {
    struct err err = {0};
    buf_clear(out);
    assert_int_equal(bound_code_unhex(bytes_str(hex), out, &err), 0);
    return (struct bytes){out->p ? out->p : (const uint8_t *)"", out->n};
}

static inline struct placement *place_by(const struct partitioning *p) {
    struct err err = {0};
    struct placement *pl = placement_new(p, &err);
    if (!pl) fail_msg("%s", err.text);
    assert_int_equal(placement_count(pl), p->count);
    return pl;
}

/* The index as the vectors write it. */
static inline const char *placed(const struct placement *p, struct bytes key, char out[16]) {
    uint32_t index = UINT32_MAX;
    switch (placement_of(p, key, &index)) {
    case PLACE_OK: snprintf(out, 16, "%u", (unsigned)index); break;
    case PLACE_HASH_MIN: snprintf(out, 16, "REJECT"); break;
    default: snprintf(out, 16, "NONE");
    }
    return out;
}

static inline struct partitioning spec_of(const char *spec) {
    struct partitioning p;
    struct buf warnings = {0};
    struct err err = {0};
    if (partitioning_parse(spec, &p, &warnings, &err)) fail_msg("%s", err.text);
    buf_free(&warnings);
    return p;
}

#endif
