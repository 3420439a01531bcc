/* Test support: the cells of a golden file written by our writer, with the settings HBase wrote them with. */
#ifndef TESTS_GOLDEN_WRITE_H
#define TESTS_GOLDEN_WRITE_H

#include "base/outfile.h"
#include "hfile/hfile_writer.h"
#include "tests/unit/tsv_cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#define GOLDEN "tests/data/hfile/golden_hfiles/"

/* Returns the options that section "golden_hfiles" of the README in tests/data/hfile names. */
static struct hfile_write_opts golden_opts(void) {
    struct hfile_write_opts o = hfile_write_defaults();
    o.codec = HFILE_NONE;
    o.bloom = HFILE_BLOOM_NONE;
    o.create_ms = 1700000000123;
    o.bulkload = true;
    o.bulkload_ms = 1700000000456;
    o.bulkload_task = "golden";
    return o;
}

static int golden_put_all(struct hfile_writer *w, const struct tsv *t, struct err *err) {
    for (size_t i = 0; i < t->n; i++) {
        struct row_part part = {.row = t->cells[i].row, .family = t->cells[i].family, .cells = &t->cells[i].cell, .n_cells = 1};
        part.first = i == 0 || !bytes_eq(part.row, t->cells[i - 1].row);
        if (hfile_writer_put(w, &part, err)) return -1;
    }
    return 0;
}

static void golden_write(const char *path, const struct hfile_write_opts *o, const struct tsv *t,
                         struct hfile_write_stats *stats) {
    struct err err = {0};
    char sum[17];
    unlink(path);
    struct outfile *out = outfile_create(path, NULL, &err);
    assert_non_null(out);
    struct hfile_writer *w = hfile_writer_open(o, out, &err);
    if (!w || golden_put_all(w, t, &err) || hfile_writer_finish(w, stats, &err) || outfile_finish(out, sum, &err))
        fail_msg("%s", err.text);
    hfile_writer_close(w);
    outfile_close(out);
}

#endif
