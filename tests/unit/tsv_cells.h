/* Test support: cells from the TSV files below tests/data/hfile. Columns: row, family, qualifier, ts, type code, seq,
 * value, tags; hex, "-" = empty. A value over 20,000 bytes stands as sha256:LENGTH:HEX. */
#ifndef TESTS_TSV_CELLS_H
#define TESTS_TSV_CELLS_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/fs.h"
#include "cell/cell.h"

#include <stdio.h>
#include <stdlib.h>

struct tsv_cell {
    struct bytes row, family;
    struct cell cell;    /* value.p == NULL: only its length and hash are known */
    struct bytes sha256; /* of the value, or p == NULL */
};

struct tsv {
    char *text; /* decoded in place: every field shrinks */
    struct tsv_cell *cells;
    size_t n;
};

static int tsv_nibble(char c) {
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static struct bytes tsv_hex(char *s) {
    uint8_t *out = (uint8_t *)s;
    size_t n = strlen(s) / 2;
    if (!strcmp(s, "-")) return bytes_of(s, 0);
    for (size_t i = 0; i < n; i++) out[i] = (uint8_t)(tsv_nibble(s[2 * i]) << 4 | tsv_nibble(s[2 * i + 1]));
    return bytes_of(out, n);
}

static void tsv_value(char *s, struct tsv_cell *c) {
    if (strncmp(s, "sha256:", 7) != 0) {
        c->cell.value = tsv_hex(s);
        return;
    }
    char *hex;
    c->cell.value = bytes_of(NULL, strtoul(s + 7, &hex, 10));
    c->sha256 = tsv_hex(hex + 1);
}

static void tsv_line(char *line, struct tsv_cell *c) {
    char *f[8];
    for (int i = 0; i < 8; i++) f[i] = strsep(&line, "\t");
    *c = (struct tsv_cell){.row = tsv_hex(f[0]), .family = tsv_hex(f[1])};
    c->cell.qualifier = tsv_hex(f[2]);
    c->cell.ts_ms = strtoll(f[3], NULL, 10);
    c->cell.type = (uint8_t)strtoul(f[4], NULL, 10);
    c->cell.seq = strtoull(f[5], NULL, 10);
    tsv_value(f[6], c);
    c->cell.tags = tsv_hex(f[7]);
}

static bool tsv_load(const char *path, struct tsv *t) {
    struct err err = {0};
    size_t n = 0, lines = 0;
    *t = (struct tsv){.text = fs_read_text(path, 64u << 20, &n, &err)};
    if (!t->text) {
        fprintf(stderr, "%s\n", err.text);
        return false;
    }
    for (size_t i = 0; i < n; i++) lines += t->text[i] == '\n';
    t->cells = calloc(lines + 1, sizeof *t->cells);
    if (!t->cells) return false;
    char *p = t->text;
    while (t->n < lines) tsv_line(strsep(&p, "\n"), &t->cells[t->n++]);
    return true;
}

static void tsv_free(struct tsv *t) {
    free(t->text);
    free(t->cells);
}

#endif
