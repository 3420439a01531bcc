/* Scans through the public interface: moves, pieces, parts and cells in turn, ends and damage, two threads. scans DIRECTORY; a
 * line for each thing tried. */
#include "rows.h"

#include <sst/scan.h>

#include <pthread.h>

static int next_row_is(sst_scan *s, const char *row) {
    sst_error error;
    const sst_cell *c;
    return sst_scan_next(s, &c, &error) == 1 && is(c->row, row) && c->row_starts;
}

static void moves(void) {
    sst_file *f = open_name("rows.hfile");
    sst_scan_options o = {0};
    sst_error error = {0};
    const sst_cell *c;
    o.size = sizeof o;
    o.start_row = text("r000100");
    o.stop_row = text("r000200");
    sst_scan *s = sst_scan_open(f, &o, &error);
    check(next_row_is(s, "r000100"), "a scan begins at its start row", "");
    check(!sst_scan_seek(s, "r00015", 6, &error) && next_row_is(s, "r000150"), "seek forwards", error.text);
    check(!sst_scan_seek(s, "r00011", 6, &error) && next_row_is(s, "r000110"), "seek backwards", error.text);
    check(!sst_scan_seek(s, "a", 1, &error) && next_row_is(s, "r000100"), "seek stays within the scan's rows", error.text);
    check(!sst_scan_seek(s, "z", 1, &error) && sst_scan_next(s, &c, &error) == 0, "seek to the end", error.text);
    check(!sst_scan_seek(s, "r000199", 7, &error) && next_row_is(s, "r000199"), "seek after the end", error.text);
    check(sst_scan_next(s, &c, &error) == 1 && !c->row_starts && is(c->qualifier, "b"), "the row's second cell", error.text);
    check(sst_scan_next(s, &c, &error) == 0 && sst_scan_next(s, &c, &error) == 0, "the stop row ends it", error.text);
    sst_scan_close(s);
    sst_file_close(f);
}

static void pieces(void) {
    sst_file *f = open_name("rows.hfile");
    sst_error error = {0};
    uint64_t cursor = 0, cells = 0, whole;
    sst_digest sum = {0, 0}, all;
    int more, n = 0;
    sst_scan_options o = {0};
    o.size = sizeof o;
    while ((more = sst_file_next_range(f, &cursor, 100000, &o.range_start, &o.range_end, &error)) == 1) {
        uint64_t some;
        sst_digest d;
        sst_scan *s = sst_scan_open(f, &o, &error);
        if (sst_scan_digest(s, &some, &d, &error)) break;
        sst_scan_close(s);
        sst_digest_add(&sum, &d);
        cells += some;
        n++;
    }
    int rc = digest_of("rows.hfile", &whole, &all, &error);
    check(!more && !rc && n > 5 && cells == whole && sum.low == all.low && sum.high == all.high, "pieces are the whole",
          error.text);
    sst_file_close(f);
}

/* Counts of a scan that hands out cells and parts in the order of the letters of `turns` over and over: c a cell, p a part. */
struct taken {
    size_t cells, starts;
    long bytes; /* of values */
    int more;
};

static struct taken take(sst_scan *s, const char *turns, sst_error *error) {
    struct taken t = {0, 0, 0, 1};
    const sst_cell *c;
    const sst_part *p;
    for (size_t i = 0; t.more == 1; i++) {
        int part = turns[i % strlen(turns)] == 'p';
        t.more = part ? sst_scan_next_part(s, &p, error) : sst_scan_next(s, &c, error);
        if (t.more != 1) check(part ? !p : !c, "nothing is handed out at the end", turns);
        size_t n = t.more != 1 ? 0 : part ? p->n : 1;
        for (size_t k = 0; k < n; k++) t.bytes += (long)(part ? p->cells[k].value.size : c->value.size);
        if (n) t.starts += part ? p->row_starts : c->row_starts;
        t.cells += n;
    }
    return t;
}

static int took_all(struct taken t, size_t cells, size_t rows) {
    return t.more == 0 && t.cells == cells && t.starts == rows;
}

/* Parts and cells of one scan, taken in turn: of a file, and of a merge, which has parts only. */
static void parts(void) {
    static const char *const turns[] = {"p", "c", "cp", "pc", "ccp", "cccpp"};
    sst_error error = {0};
    long bytes = 0;
    sst_file *f = open_name("rows.hfile");
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        sst_scan *s = sst_scan_open(f, NULL, &error), *merged;
        struct taken t = take(s, turns[i], &error);
        check(took_all(t, ROWS, ROWS / 2) && (!i || t.bytes == bytes), "parts and cells of a file in turn", turns[i]);
        bytes = t.bytes;
        check(sst_scan_next(s, &(const sst_cell *){NULL}, &error) == 0, "the end stays the end", error.text);
        check(!sst_scan_seek(s, "r009999", 7, &error) && took_all(take(s, turns[i], &error), 2, 1), "back from the end",
              turns[i]);
        sst_scan_close(s);
        s = sst_scan_open(f, NULL, &error);
        merged = (sst_scan *)need(sst_merge_open(&s, 1, NULL, &error), "merge", &error);
        t = take(merged, turns[i], &error);
        check(took_all(t, ROWS, ROWS / 2) && t.bytes == bytes, "parts and cells of a merge in turn", turns[i]);
        sst_scan_close(merged);
    }
    sst_file_close(f);
}

static void where_blocks_are(void) {
    sst_file *f = open_name("rows.hfile");
    sst_error error = {0};
    const sst_cell *c;
    uint64_t blocks = 0, last = UINT64_MAX;
    int more;
    sst_scan *s = sst_scan_open(f, NULL, &error);
    check(sst_scan_block_offset(s) == UINT64_MAX, "no block before the first cell", "");
    while ((more = sst_scan_next(s, &c, &error)) == 1)
        if (sst_scan_block_offset(s) != last) {
            if (blocks++ ? sst_scan_block_offset(s) <= last : sst_scan_block_offset(s) != 0) break;
            last = sst_scan_block_offset(s);
        }
    check(!more && blocks > 5, "the offset of each cell's block", error.text);
    sst_scan_close(s);
    sst_file_close(f);
}

/* A copy of a file with one byte in its middle changed. */
static void make_damaged(const char *name) {
    FILE *in = fopen(path_of("rows.hfile"), "rb"), *out = fopen(path_of(name), "wb");
    long at = 0, middle;
    int c;
    if (!in || !out || fseek(in, 0, SEEK_END)) exit(1);
    middle = ftell(in) / 2;
    rewind(in);
    while ((c = getc(in)) != EOF) putc(at++ == middle ? c ^ 1 : c, out);
    fclose(in);
    if (fclose(out)) exit(1);
}

/* Damage is an error that names the place, once; then the scan is at its end, from which a seek leads back to what is whole. */
static void damage(void) {
    static const char *const turns[] = {"p", "c", "cp", "ccp"};
    make_damaged("damaged.hfile");
    sst_file *f = open_name("damaged.hfile");
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        sst_error error;
        const sst_part *p;
        const sst_cell *c;
        memset(&error, 'x', sizeof error); /* what it held before is of no account */
        sst_scan *s = sst_scan_open(f, NULL, &error);
        struct taken t = take(s, turns[i], &error);
        check(t.more == -1 && t.cells > ROWS / 4 && t.cells < ROWS, "cells before the damage are handed out", turns[i]);
        check(error.code == SST_INPUT && strstr(error.text, "damaged.hfile") && strstr(error.text, "block at "),
              "the error names file and block", error.text);
        check(sst_scan_next(s, &c, &error) == 0 && sst_scan_next_part(s, &p, &error) == 0, "then comes the end", error.text);
        check(!sst_scan_seek(s, "r000001", 7, &error) && next_row_is(s, "r000001"), "a seek leads back", error.text);
        check(!sst_scan_seek(s, "r009999", 7, &error) && took_all(take(s, turns[i], &error), 2, 1), "and past the damage",
              error.text);
        sst_scan_close(s);
    }
    sst_file_close(f);
}

static void *scan_in_thread(void *file) {
    sst_error error;
    uint64_t cells = 0;
    sst_digest d;
    sst_scan *s = sst_scan_open((const sst_file *)file, NULL, &error);
    if (!s || sst_scan_digest(s, &cells, &d, &error)) cells = 0;
    sst_scan_close(s);
    return cells == ROWS ? file : NULL;
}

static void side_by_side(void) {
    sst_file *f = open_name("rows.hfile");
    pthread_t threads[2];
    void *held[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, scan_in_thread, f);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], &held[i]);
    check(held[0] && held[1], "two threads scan one file side by side", "");
    sst_file_close(f);
}

int main(int argc, char **argv) {
    sst_writer_options o = {0};
    sst_error error = {0};
    sst_digest d;
    if (argc != 2) return 2;
    snprintf(place, sizeof place, "%s", argv[1]);
    o.size = sizeof o;
    check(!write_rows("rows.hfile", &o, &d, &error), "a file to scan", error.text);
    moves();
    pieces();
    parts();
    where_blocks_are();
    damage();
    side_by_side();
    return 0;
}
