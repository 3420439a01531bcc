/* `read_speed [--only inner|parts|cells] ROUNDS FILE`: reads an HFile in three ways in turn, ROUNDS times each, in one thread,
 * and prints for each way the least and the median CPU seconds, and its median ratio to "inner" of the same round:
 *
 *   inner   parts of rows as the tools' engine takes them (hfile/hfile_reader.h)
 *   parts   sst_scan_next_part of the public library
 *   cells   sst_scan_next, cell by cell
 *
 * Each way looks at every cell: it adds up sizes, timestamps and types, and all three must find the same sum. --only reads in one
 * way, for a profiler. Ends with 1 when a way of the public library takes over 3 % more than the inner one. */
#include "hfile/hfile_open.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_scan.h"
#include "sst/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INNER, PARTS, CELLS, WAYS, ROUNDS_MAX = 1000 };

static const char *const names[WAYS] = {"inner", "parts", "cells"};

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int fail(const char *text) {
    fprintf(stderr, "read_speed: %s\n", text);
    return -1;
}

/* ---- the three ways ---- */

static int read_inner(const char *path, uint64_t *sum) {
    struct err err = {0};
    struct hfile *h = hfile_open(path, 0, &err);
    struct hfile_scan_opts o = {0};
    struct source *s = h ? hfile_scan_open(h, &o, &err) : NULL;
    struct row_part part;
    uint64_t total = 0;
    int more = -1;
    while (s && (more = source_next(s, &part, &err)) == 1)
        for (uint32_t i = 0; i < part.n_cells; i++) {
            const struct cell *c = &part.cells[i];
            total += part.row.n + c->qualifier.n + c->value.n + (uint64_t)c->ts_ms + c->type;
        }
    source_close(s);
    hfile_close(h);
    *sum = total;
    return more < 0 ? fail(err.text) : 0;
}

static int read_parts(sst_scan *s, uint64_t *sum, sst_error *error) {
    const sst_part *part;
    uint64_t total = 0;
    int more;
    while ((more = sst_scan_next_part(s, &part, error)) == 1)
        for (uint32_t i = 0; i < part->n; i++) {
            const sst_part_cell *c = &part->cells[i];
            total += part->row.size + c->qualifier.size + c->value.size + (uint64_t)c->timestamp + c->type;
        }
    *sum = total;
    return more;
}

static int read_cells(sst_scan *s, uint64_t *sum, sst_error *error) {
    const sst_cell *c;
    uint64_t total = 0;
    int more;
    while ((more = sst_scan_next(s, &c, error)) == 1)
        total += c->row.size + c->qualifier.size + c->value.size + (uint64_t)c->timestamp + c->type;
    *sum = total;
    return more;
}

static int read_public(const char *path, int way, uint64_t *sum) {
    sst_error error = {0};
    sst_file *f = sst_file_open(path, NULL, &error);
    sst_scan *s = f ? sst_scan_open(f, NULL, &error) : NULL;
    int more = !s ? -1 : way == PARTS ? read_parts(s, sum, &error) : read_cells(s, sum, &error);
    sst_scan_close(s);
    sst_file_close(f);
    return more < 0 ? fail(error.text) : 0;
}

/* ---- rounds ---- */

static int timed(const char *path, int way, double *seconds, uint64_t *sum) {
    double start = cpu_seconds();
    *sum = 0;
    int rc = way == INNER ? read_inner(path, sum) : read_public(path, way, sum);
    *seconds = cpu_seconds() - start;
    return rc;
}

static int less(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The least of n; *median is set. */
static double least(double *values, size_t n, double *median) {
    qsort(values, n, sizeof *values, less);
    *median = values[n / 2];
    return values[0];
}

static int compare(const char *path, size_t rounds) {
    static double seconds[WAYS][ROUNDS_MAX], ratios[WAYS][ROUNDS_MAX];
    uint64_t sums[WAYS];
    int slow = 0;
    for (size_t r = 0; r < rounds; r++)
        for (int k = 0; k < WAYS; k++) {
            int way = (int)((r + (size_t)k) % WAYS); /* each way is the first one as often as the others */
            if (timed(path, way, &seconds[way][r], &sums[way])) return 1;
            if (k == WAYS - 1 && (sums[PARTS] != sums[INNER] || sums[CELLS] != sums[INNER])) return -fail("the cells differ");
        }
    for (int way = 0; way < WAYS; way++)
        for (size_t r = 0; r < rounds; r++) ratios[way][r] = seconds[way][r] / seconds[INNER][r];
    for (int way = 0; way < WAYS; way++) {
        double median, ratio, low = least(seconds[way], rounds, &median);
        least(ratios[way], rounds, &ratio);
        printf("%s: least %.4f s, median %.4f s, median ratio %.3f\n", names[way], low, median, ratio);
        slow |= ratio > 1.03;
    }
    return slow;
}

static int read_only(const char *path, const char *name, size_t rounds) {
    double seconds;
    uint64_t sum;
    int way = 0;
    while (way < WAYS && strcmp(name, names[way]) != 0) way++;
    if (way == WAYS) return 2;
    for (size_t r = 0; r < rounds; r++)
        if (timed(path, way, &seconds, &sum)) return 1;
    return 0;
}

int main(int argc, char **argv) {
    const char *only = argc == 5 && !strcmp(argv[1], "--only") ? argv[2] : NULL;
    char **rest = argv + (only ? 3 : 1);
    size_t rounds = argc == 3 || only ? strtoul(rest[0], NULL, 10) : 0;
    if (!rounds || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: read_speed [--only inner|parts|cells] ROUNDS FILE, at most %d rounds\n", ROUNDS_MAX);
        return 2;
    }
    return only ? read_only(rest[1], only, rounds) : compare(rest[1], rounds);
}
