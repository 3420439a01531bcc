#include "cmd/json_text.h"
#include "cmd/verify.h"
#include "hfile/hfile_reader.h"
#include "pipeline/check.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Rows of the partition table printed in full; larger ones show the heaviest. */
enum { SHOWN_PARTITIONS = 32, BAR_WIDTH = 30 };

static json_t *problems_json(const struct problems *p) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->n; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:o}", "kind", problem_name(p->list[i].kind), "text", json_text(p->list[i].text)));
    return list;
}

static void print_problems(const struct problems *p) {
    uint64_t total = problems_total(p);
    for (uint32_t i = 0; i < p->n; i++) printf("  %-9s %s\n", problem_name(p->list[i].kind), p->list[i].text);
    if (total > p->n) printf("  … and %llu more\n", (unsigned long long)(total - p->n));
}

struct skew {
    uint64_t max_cells, max_bytes;
    double mean_cells, mean_bytes;
    uint32_t empty;
};

static struct skew skew_of(const struct check_partition *p, uint32_t n) {
    struct skew s = {0};
    uint64_t cells = 0, bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        cells += p[i].cells;
        bytes += p[i].bytes;
        if (p[i].cells > s.max_cells) s.max_cells = p[i].cells;
        if (p[i].bytes > s.max_bytes) s.max_bytes = p[i].bytes;
        s.empty += !p[i].cells;
    }
    s.mean_cells = (double)cells / n;
    s.mean_bytes = (double)bytes / n;
    return s;
}

static double ratio(uint64_t max, double mean) {
    return mean > 0 ? (double)max / mean : 0;
}

static void print_bar(uint64_t v, uint64_t max) {
    unsigned n = max ? (unsigned)(v * BAR_WIDTH / max) : 0;
    if (!n && v) n = 1;
    for (unsigned i = 0; i < n; i++) putchar('#');
}

static void print_family(const struct manifest *m, uint32_t f, const struct check_partition *p) {
    uint32_t n = m->table.partitioning.count;
    struct skew s = skew_of(p, n);
    char a[32], b[32];
    printf("\nfamily %s: %u partition%s, max/mean %.2f by cells, %.2f by bytes, %u empty\n", m->table.families[f].name, n,
           n == 1 ? "" : "s", ratio(s.max_cells, s.mean_cells), ratio(s.max_bytes, s.mean_bytes), s.empty);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool heavy = s.mean_cells > 0 && (double)p[i].cells >= 1.2 * s.mean_cells;
        if (n > SHOWN_PARTITIONS && !heavy) continue;
        if (shown++ == SHOWN_PARTITIONS) break;
        printf("  %-14s %12s cells %12s  ", m->table.partitioning.names[i], report_count(p[i].cells, a),
               report_bytes(p[i].bytes, b));
        print_bar(p[i].cells, s.max_cells);
        putchar('\n');
    }
    if (n > SHOWN_PARTITIONS) printf("  (only partitions of 1.2 x the mean and more are shown: %u)\n", shown);
}

static json_t *family_json(const struct manifest *m, uint32_t f, const struct check_partition *p) {
    uint32_t n = m->table.partitioning.count;
    struct skew s = skew_of(p, n);
    json_t *list = json_array(), *empty = json_array();
    for (uint32_t i = 0; i < n; i++) {
        json_array_append_new(list, json_pack("{s:o, s:I, s:I, s:I}", "name", json_text(m->table.partitioning.names[i]), "cells",
                                              (json_int_t)p[i].cells, "bytes", (json_int_t)p[i].bytes, "files",
                                              (json_int_t)p[i].files));
        if (!p[i].cells) json_array_append_new(empty, json_text(m->table.partitioning.names[i]));
    }
    return json_pack("{s:o, s:f, s:f, s:o, s:o}", "name", json_text(m->table.families[f].name), "max_mean_cells",
                     ratio(s.max_cells, s.mean_cells), "max_mean_bytes", ratio(s.max_bytes, s.mean_bytes), "empty", empty,
                     "partitions", list);
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int tell_json(const char *what, const struct manifest *m, const struct check_result *r, const struct problems *p,
                     double seconds, struct err *err) {
    char hex[DIGEST_HEX];
    json_t *families = json_array();
    digest_print(r->digest, hex);
    for (uint32_t f = 0; m && f < m->table.n_families; f++)
        json_array_append_new(families, family_json(m, f, r->partitions + (size_t)f * m->table.partitioning.count));
    json_t *j = json_pack("{s:o, s:b, s:I, s:o, s:I, s:I, s:I, s:s, s:f, s:o}", "checked", json_text(what), "ok",
                          problems_total(p) == 0, "problems_found", (json_int_t)problems_total(p), "problems", problems_json(p),
                          "cells", (json_int_t)r->cells, "bytes", (json_int_t)r->file_bytes, "kv_bytes", (json_int_t)r->kv_bytes,
                          "digest", hex, "seconds", seconds, "families", families);
    return json_text_put(j, err);
}

static void tell_text(const struct session *s, const char *what, const struct manifest *m, const struct check_result *r,
                      const struct problems *p, double seconds) {
    char a[32], b[32], hex[DIGEST_HEX];
    digest_print(r->digest, hex);
    if (problems_total(p))
        printf("%s: %llu problem%s\n", what, (unsigned long long)problems_total(p), problems_total(p) == 1 ? "" : "s");
    else
        printf("%s: good%s\n", what, s->o.quick ? " as far as metadata tell (--quick)" : "");
    print_problems(p);
    printf("  %s cells, %s, digest %s, %.2f s", report_count(r->cells, a), report_bytes(r->file_bytes, b), hex, seconds);
    if (r->kv_bytes && seconds > 0) printf(", %.0f MB/s of KeyValues", (double)r->kv_bytes / seconds / 1e6);
    putchar('\n');
    for (uint32_t f = 0; m && f < m->table.n_families; f++)
        print_family(m, f, r->partitions + (size_t)f * m->table.partitioning.count);
}

static int check_one_dataset(struct session *s, const char *dir, struct problems *p, struct err *err) {
    struct manifest m;
    struct check_result r;
    double started = now_s();
    if (manifest_load(dir, &m, err)) return -1;
    int rc = check_dataset(&s->job, dir, &m, s->o.quick, p, &r, err);
    reporter_end_line(&s->reporter);
    problems_sort(p);
    if (!rc && s->o.json)
        rc = tell_json(dir, &m, &r, p, now_s() - started, err);
    else if (!rc && !s->o.quiet)
        tell_text(s, dir, &m, &r, p, now_s() - started);
    check_result_free(&r);
    manifest_free(&m);
    return rc;
}

static int check_one_hfile(struct session *s, const char *path, struct problems *p, struct err *err) {
    struct check_file_result c = {0};
    struct check_file_opts o = {.job = &s->job,
                                .path = path,
                                .problems = p,
                                .quick = s->o.quick,
                                .range_bytes = 4 << 20,
                                .block_limit = s->job.memory_bytes / 8 / s->job.threads};
    double started = now_s();
    int rc = 0;
    struct hfile *h = hfile_open(path, o.block_limit, err); /* cannot be read at all: exit 5, not a finding */
    if (!h) return -1;
    hfile_close(h);
#pragma omp parallel num_threads(s->job.threads)
#pragma omp single
    rc = check_file(&o, &c, err);
    if (rc) return -1;
    problems_sort(p);
    struct check_result r = {
        .cells = c.tally.cells, .file_bytes = c.file_bytes, .kv_bytes = c.kv_bytes, .digest = c.tally.digest};
    if (s->o.json) return tell_json(path, NULL, &r, p, now_s() - started, err);
    if (!s->o.quiet) tell_text(s, path, NULL, &r, p, now_s() - started);
    return 0;
}

/* A block too large for a share of the memory may fit one of fewer threads. */
static int check_one(struct session *s, bool is_dataset, const char *path, struct problems *p, struct err *err) {
    unsigned threads = s->job.threads;
    int rc;
    while ((rc = is_dataset ? check_one_dataset(s, path, p, err) : check_one_hfile(s, path, p, err)) && err->code == ERR_LIMIT &&
           s->job.threads > 1) {
        s->job.threads /= 2;
        *err = (struct err){0};
        problems_clear(p);
    }
    s->job.threads = threads;
    return rc;
}

int verify_check(struct session *s, int *code, struct err *err) {
    *code = 0;
    for (int i = 0; i < s->o.n_inputs; i++) {
        struct problems p;
        const char *path = s->o.inputs[i];
        int is = dataset_is(path, err);
        if (is < 0 || problems_init(&p, (uint32_t)(s->o.limit ? s->o.limit : 100), err)) return -1;
        int rc = check_one(s, is, path, &p, err);
        if (problems_total(&p)) *code = 1;
        problems_free(&p);
        if (rc) return -1;
    }
    return 0;
}
