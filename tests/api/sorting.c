/* Sorting, and writing datasets, through the public interface: sorting DIRECTORY DDL-FILE. A line for each thing tried. */
#include "made_cells.h"

enum { MANY = 1200000 };

/* 1: a may come before b. */
static int in_order(const sst_cell *a, const sst_cell *b) {
    size_t n = a->row.size < b->row.size ? a->row.size : b->row.size;
    int order = memcmp(a->row.data, b->row.data, n);
    if (order || a->row.size != b->row.size) return order < 0 || (!order && a->row.size < b->row.size);
    order = memcmp(a->qualifier.data, b->qualifier.data, 1);
    return order < 0 || (!order && a->timestamp >= b->timestamp);
}

/* ---- the sorter ---- */

static sst_sorter *open_sorter(size_t memory, unsigned threads) {
    sst_sorter_options o = {0};
    sst_error error;
    o.size = sizeof o;
    o.memory_bytes = memory;
    o.temp_directory = place;
    o.threads = threads;
    return (sst_sorter *)need(sst_sorter_open(&o, &error), "a sorter", &error);
}

static void sorted(unsigned threads) {
    sst_sorter *s = open_sorter((size_t)64 << 20, threads);
    sst_error error = {0};
    sst_digest in = {0, 0}, out = {0, 0}, one;
    struct made m;
    const sst_cell *c;
    char row[32] = "", qualifier = 0;
    sst_cell last = put(row, "", INT64_MAX, "");
    int rc = 0, more = -1, falls = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < MANY && !rc; i++) {
        rc = sst_sorter_put(s, made_cell(&m, i, MANY, "f"), &error) || sst_cell_digest(&m.cell, &one, &error);
        sst_digest_add(&in, &one);
    }
    sst_scan *scan = rc ? NULL : sst_sorter_scan(s, &error);
    while (scan && (more = sst_scan_next(scan, &c, &error)) == 1) {
        falls += n++ && !in_order(&last, c);
        memcpy(row, c->row.data, c->row.size);
        qualifier = (char)c->qualifier.data[0];
        last.row = sst_bytes_of(row, c->row.size);
        last.qualifier = sst_bytes_of(&qualifier, 1);
        last.timestamp = c->timestamp;
        if (sst_cell_digest(c, &one, &error)) break;
        sst_digest_add(&out, &one);
    }
    check(more == 0 && n == MANY && !falls && same(in, out), "cells in any order come out in order", error.text);
    check(sst_sorter_spilled(s) > 0, "what does not fit is spilled", "");
    check(sst_scan_seek(scan, "a", 1, &error) == -1 && error.code == SST_USAGE, "the scan of a sorter is not moved", error.text);
    sst_scan_close(scan);
    sst_sorter_close(s);
}

static void sorter_refuses(void) {
    sst_sorter *s = open_sorter(0, 0);
    sst_error error = {0};
    sst_cell a = put("b", "q", 5, "first"), b = put("a", "q", 5, "x"), other = a;
    sst_sorter_options o = {0};
    const sst_cell *c;
    other.family = sst_bytes_text("g");
    sst_scan *scan = sst_sorter_scan(s, &error);
    check(scan && sst_scan_next(scan, &c, &error) == 0, "nothing put, nothing sorted", error.text);
    check(sst_sorter_put(s, &a, &error) == -1 && error.code == SST_USAGE, "nothing is put while it is read", error.text);
    sst_scan_close(scan);
    sst_sorter_close(s);
    s = open_sorter(0, 0);
    a.value = sst_bytes_text("later");
    check(!sst_sorter_put(s, &b, &error) && !sst_sorter_put(s, &a, &error), "two cells", error.text);
    check(sst_sorter_put(s, &other, &error) == -1 && strstr(error.text, "a cell of family g, those before are of f"),
          "one family", error.text);
    check(!sst_sorter_scan(s, &error) && error.code == SST_USAGE, "nothing is read after a failure", error.text);
    sst_sorter_close(s);
    o.size = sizeof o;
    o.memory_bytes = 1000;
    check(!sst_sorter_open(&o, &error) && error.code == SST_USAGE && strstr(error.text, "memory_bytes is 1000"),
          "too little memory", error.text);
}

static void newer_first(void) {
    sst_sorter *s = open_sorter(0, 0);
    sst_error error = {0};
    sst_cell old = put("r", "q", 5, "old"), new = put("r", "q", 5, "new"), high = put("r", "q", 5, "high");
    const sst_cell *c;
    char got[40] = "";
    high.sequence = 3;
    int rc = sst_sorter_put(s, &high, &error) || sst_sorter_put(s, &old, &error) || sst_sorter_put(s, &new, &error);
    sst_scan *scan = rc ? NULL : sst_sorter_scan(s, &error);
    while (scan && sst_scan_next(scan, &c, &error) == 1)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%.*s ", (int)c->value.size, (const char *)c->value.data);
    check(!strcmp(got, "high new old "), "of equal keys the larger sequence id, then the later one, comes first", got);
    sst_scan_close(scan);
    sst_sorter_close(s);
}

/* ---- datasets ---- */

static int same_trees(const char *a, const char *b) {
    char command[9000], left[4200];
    snprintf(left, sizeof left, "%s", path_of(a));
    snprintf(command, sizeof command, "diff -r '%s' '%s'", left, path_of(b));
    return system(command) == 0;
}

static void datasets(void) {
    sst_error error = {0};
    uint64_t none = 1, some = 0;
    int rc = write_dataset("large", "key:5", MANY, 0, 1, &none, &error);
    check(!rc && !none, "a dataset, sorted in memory", error.text);
    rc = write_dataset("small", "key:5", MANY, (size_t)64 << 20, 3, &some, &error);
    check(!rc && some > 0, "and one that was spilled", error.text);
    check(same_trees("large", "small"), "memory and threads do not show", "");
    check(write_dataset("small", "key:5", 10, 0, 1, NULL, &error) == -1 && error.code == SST_USAGE &&
              strstr(error.text, "set overwrite"),
          "a finished dataset is not replaced unasked", error.text);
    check(!write_dataset("empty", "key:5", 0, 0, 1, NULL, &error), "a dataset without cells", error.text);
}

/* Parts of a scan into another dataset: the same cells. */
static void copied(void) {
    sst_error error = {0};
    sst_dataset *d = (sst_dataset *)need(sst_dataset_open(path_of("large"), &error), "the dataset opens", &error);
    sst_partitioning *p = sst_partitioning_parse("range:/dev/null", &error);
    if (!p) p = sst_partitioning_parse("none", &error);
    sst_dataset_writer *w = (sst_dataset_writer *)need(open_writer("copy", p, 0, 2, &error), "a copy", &error);
    sst_scan *s = sst_dataset_scan(d, NULL, &error);
    const sst_part *part;
    int more;
    while ((more = sst_scan_next_part(s, &part, &error)) == 1)
        if (sst_dataset_writer_put_part(w, part, &error)) break;
    int rc = more || sst_dataset_writer_finish(w, &error);
    check(!rc && same(sst_dataset_writer_get_written(w)->digest, sst_dataset_get_info(d)->digest),
          "parts of a scan are put as they are", error.text);
    sst_scan_close(s);
    sst_dataset_writer_close(w);
    sst_partitioning_close(p);
    sst_dataset_close(d);
}

static void refused_cell(const char *what, sst_cell cell, const char *why, const sst_partitioning *p) {
    sst_error error = {0};
    sst_dataset_writer *w = (sst_dataset_writer *)need(open_writer("refused", p, 0, 1, &error), "a writer", &error);
    int rc = sst_dataset_writer_put(w, &cell, &error);
    check(rc == -1 && strstr(error.text, why), what, error.text);
    check(sst_dataset_writer_finish(w, &error) == -1 && error.code == SST_USAGE, "nothing is finished after a failure",
          error.text);
    sst_dataset_writer_close(w);
    check(access(path_of("refused"), F_OK) != 0, "nothing is left of it", "");
}

static sst_partitioning *from_ddl(const char *path) {
    char ddl[20000];
    sst_error error;
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(ddl, 1, sizeof ddl, f) : 0;
    if (f) fclose(f);
    return (sst_partitioning *)need(sst_partitioning_from_ddl(ddl, n, &error), "DDL", &error);
}

static void refusals(const char *ddl) {
    sst_partitioning *p = from_ddl(ddl);
    char row[100];
    sst_cell cell = put("r", "q", 1, "v"), long_row;
    memset(row, 'x', sizeof row);
    refused_cell("a family that the table lacks", cell, "cell 1: the table has no family 'f'", p);
    cell.family = sst_bytes_text("info");
    long_row = cell;
    long_row.row = sst_bytes_of(row, sizeof row);
    refused_cell("a row that is too long", long_row, "cell 1: row key of 100 bytes, column K of family info holds 64", p);
    cell.timestamp = -1;
    refused_cell("a negative timestamp", cell, "cell 1: timestamp -1 is negative", p);
    cell.row.size = 0;
    refused_cell("an empty row", cell, "a row of 0 bytes", p);
    sst_partitioning_close(p);
}

static void refused_options(void) {
    sst_dataset_writer_options o = {0};
    sst_writer_options files = {0};
    const sst_new_pair pair = {"MY.KEY", sst_bytes_text("x")};
    sst_error error = {0};
    o.size = sizeof o;
    files.size = sizeof files;
    check(!sst_dataset_writer_open(path_of("no"), &o, &error) && strstr(error.text, "a partitioning is needed"),
          "no partitioning", error.text);
    sst_partitioning *p = sst_partitioning_parse("key:3", &error);
    o.partitioning = p;
    o.files = &files;
    files.pairs = &pair;
    files.n_pairs = 1;
    check(!sst_dataset_writer_open(path_of("no"), &o, &error) && strstr(error.text, "take no pairs"), "pairs", error.text);
    files.n_pairs = 0;
    files.codec = "NOSUCH";
    check(!sst_dataset_writer_open(path_of("no"), &o, &error) && error.code == SST_USAGE, "an unknown codec", error.text);
    files.codec = NULL;
    o.threads = 5000;
    check(!sst_dataset_writer_open(path_of("no"), &o, &error) && strstr(error.text, "5000 threads"), "5000 threads", error.text);
    o.threads = 1;
    check(!sst_dataset_writer_open(path_of("large/f"), &o, &error) && strstr(error.text, "inside the dataset"),
          "inside of another one", error.text);
    sst_dataset_writer *w =
        (sst_dataset_writer *)need(sst_dataset_writer_open(path_of("locked"), &o, &error), "a writer", &error);
    check(!sst_dataset_writer_open(path_of("locked"), &o, &error) && error.code == SST_OUTPUT, "a second writer", error.text);
    sst_dataset_writer_close(w);
    check(access(path_of("locked"), F_OK) && access(path_of("no"), F_OK), "nothing is left of writers that were closed", "");
    sst_partitioning_close(p);
}

/* ---- callbacks ---- */

static void through_callbacks(void) {
    struct opened o = {"large", NULL, 0, 0};
    sst_dataset_ops ops = {sizeof ops, open_below, count_close};
    sst_error error = {0};
    sst_digest digest = {0, 0};
    uint64_t cells = 0;
    sst_dataset *d = (sst_dataset *)need(sst_dataset_open_callbacks(&ops, &o, "elsewhere", &error), "callbacks", &error);
    const sst_dataset_info *i = sst_dataset_get_info(d);
    sst_scan *s = sst_dataset_scan(d, NULL, &error);
    int rc = sst_scan_digest(s, &cells, &digest, &error);
    check(!rc && cells == i->cells && same(digest, i->digest) && (size_t)o.files == i->files + 1, "a dataset through callbacks",
          error.text);
    sst_scan_close(s);
    sst_file *f = sst_dataset_open_file(d, 0, NULL, &error);
    check(f && sst_file_get_info(f)->cells == sst_dataset_get_file(d, 0)->cells, "one file of it", error.text);
    sst_file_close(f);
    check(!sst_dataset_open_file(d, i->files, NULL, &error) && error.code == SST_USAGE, "and no more", error.text);
    o.hidden = "g/";
    s = sst_dataset_scan(d, NULL, &error);
    rc = sst_scan_digest(s, &cells, &digest, &error);
    check(rc == -1 && error.system == ENOENT && strstr(error.text, "elsewhere/g/p00000-000.hfile"),
          "a file that is gone is named", error.text);
    sst_scan_close(s);
    sst_dataset_close(d);
    check(o.closed == 1, "the context is closed once", "");
    o.hidden = "MANIFEST";
    check(!sst_dataset_open_callbacks(&ops, &o, "elsewhere", &error) && error.system == ENOENT && o.closed == 2, "no manifest",
          error.text);
    ops.open = NULL;
    check(!sst_dataset_open_callbacks(&ops, &o, "elsewhere", &error) && error.code == SST_USAGE, "nothing to open with",
          error.text);
}

static int is_file(const char *name, const uint8_t *p, size_t n) {
    FILE *f = fopen(path_of(name), "rb");
    uint8_t *all = (uint8_t *)malloc(n + 1);
    size_t has = f ? fread(all, 1, n + 1, f) : 0;
    int is_it = f && has == n && !memcmp(all, p, n);
    if (f) fclose(f);
    free(all);
    return is_it;
}

static void elsewhere(void) {
    struct memory m = {NULL, 0, 0, 0, 0};
    sst_write_ops ops = {sizeof ops, keep, end_memory, close_memory};
    sst_error error = {0};
    int rc = put_rows(sst_writer_open(path_of("stream.hfile"), NULL, &error), &error);
    rc = rc || put_rows(sst_writer_open_callbacks(&ops, &m, "memory", NULL, &error), &error);
    check(!rc && is_file("stream.hfile", m.p, m.n) && m.finished == 1 && m.closed == 1, "callbacks get the bytes of a file",
          error.text);
    int fd = open(path_of("fd.hfile"), O_CREAT | O_TRUNC | O_RDWR, 0666);
    rc = put_rows(sst_writer_open_fd(fd, "descriptor", NULL, &error), &error);
    check(!rc && is_file("fd.hfile", m.p, m.n), "a descriptor, too", error.text);
    check(lseek(fd, 0, SEEK_CUR) == -1 && errno == EBADF, "which is closed then", "");
    fd = open("/dev/full", O_WRONLY);
    check(put_rows(sst_writer_open_fd(fd, "full", NULL, &error), &error) == -1 && error.system == ENOSPC, "no space", error.text);
    m.n = 0;
    m.broken = 1;
    check(put_rows(sst_writer_open_callbacks(&ops, &m, "memory", NULL, &error), &error) == -1 && error.system == EPIPE &&
              m.finished == 1 && m.closed == 2,
          "callbacks that fail", error.text);
    ops.write = NULL;
    check(!sst_writer_open_callbacks(&ops, &m, "memory", NULL, &error) && error.code == SST_USAGE && m.closed == 3,
          "nothing to write with", error.text);
    free(m.p);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    snprintf(place, sizeof place, "%s", argv[1]);
    sorted(1);
    sorted(3);
    sorter_refuses();
    newer_first();
    datasets();
    copied();
    refusals(argv[2]);
    refused_options();
    through_callbacks();
    elsewhere();
    return 0;
}
