/* Progress by work: what a byte of a family counts follows from its rows, its cells and the bytes of its KeyValues. */
#include "base/fs.h"
#include "base/outfile.h"
#include "engine/input_queue.h"
#include "hfile/hfile_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CELLS = 6000 };

struct fix {
    char dir[64], path[3][96];
};

/* CELLS cells, so many a row. */
static void write_family(const char *path, const char *family, unsigned per_row) {
    struct err err = {0};
    struct hfile_write_opts o = hfile_write_defaults();
    struct hfile_write_stats stats;
    char sum[17];
    struct outfile *out = outfile_create(path, NULL, &err);
    struct hfile_writer *w = out ? hfile_writer_open(&o, out, &err) : NULL;
    assert_non_null(w);
    for (unsigned i = 0; i < CELLS / per_row; i++) {
        char row[16], names[8][4];
        struct cell cells[8];
        snprintf(row, sizeof row, "%08u", i);
        for (unsigned k = 0; k < per_row; k++) {
            snprintf(names[k], sizeof names[k], "%u", k);
            cells[k] = (struct cell){.qualifier = bytes_str(names[k]), .value = bytes_str("v"), .ts_ms = 7, .type = CELL_PUT};
        }
        const struct row_part part = {
            .row = bytes_str(row), .family = bytes_str(family), .cells = cells, .n_cells = per_row, .first = true};
        assert_int_equal(hfile_writer_put(w, &part, &err), 0);
    }
    assert_int_equal(hfile_writer_finish(w, &stats, &err), 0);
    hfile_writer_close(w);
    assert_int_equal(outfile_finish(out, sum, &err), 0);
    outfile_close(out);
}

static void begin(struct fix *f) {
    *f = (struct fix){.dir = "/tmp/t_input_work.XXXXXX"};
    assert_non_null(mkdtemp(f->dir));
    for (unsigned i = 0; i < 2; i++) {
        snprintf(f->path[i], sizeof f->path[i], "%s/%c", f->dir, 'a' + (char)i);
        assert_int_equal(mkdir(f->path[i], 0700), 0);
        strcat(f->path[i], "/1.hfile");
        write_family(f->path[i], i ? "b" : "a", i ? 6 : 1);
    }
}

static struct input said(const char *path, uint64_t file_bytes) {
    return (struct input){
        .path = path, .in_manifest = true, .manifest_tally.cells = CELLS, .kv_bytes = 40 * CELLS, .file_bytes = file_bytes};
}

static double share(const struct input *in, unsigned n, unsigned i) {
    double sum = 0;
    for (unsigned k = 0; k < n; k++) sum += in[k].work * (double)in[k].file_bytes;
    return in[i].work * (double)in[i].file_bytes / sum;
}

/* As many cells in files as large: six cells a row are less work than one. */
static void rows_count(void **state) {
    struct fix f;
    (void)state;
    begin(&f);
    struct input in[3] = {said(f.path[0], 1000), said(f.path[1], 1000), {.path = "t.csv", .file_bytes = 500}};
    input_work_weigh(in, 3);
    const double beside = 64 + 40, a = 700 + beside, b = 700 / 6.0 + beside;
    assert_true(fabs(share(in, 2, 0) - a / (a + b)) < 1e-3);
    assert_true(fabs(in[0].work + in[1].work - 2) < 1e-9); /* the bytes of all remain */
    assert_true(in[2].work == 0);
    in[0].file_bytes = 3000; /* it packs worse: the share of the work is the same */
    input_work_weigh(in, 3);
    assert_true(fabs(share(in, 2, 0) - a / (a + b)) < 1e-3);
    assert_true(fabs(3000 * in[0].work + 1000 * in[1].work - 4000) < 1e-6);
    struct err err = {0};
    assert_int_equal(fs_remove_tree(f.dir, &err), 0);
}

/* One family: bytes are as good. Files that cannot be looked at: one cell a row. */
static void without_files(void **state) {
    struct input one[2] = {said("nowhere/a/1.hfile", 10), said("nowhere/a/2.hfile", 1000)};
    struct input two[3] = {said("nowhere/a/1.hfile", 10), said("nowhere/b/1.hfile", 1000), said("nowhere/b/2.hfile", 0)};
    (void)state;
    input_work_weigh(one, 2);
    assert_true(one[0].work == 0 && one[1].work == 0);
    input_work_weigh(two, 3);
    assert_true(fabs(share(two, 2, 0) - 0.5) < 1e-9 && two[2].work == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_count), cmocka_unit_test(without_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
