/* Any bytes as an HFile: everything that can be read is read, nothing may crash, hang or allocate without bound. Each
 * input is tried as it is and with its block checksums put right.
 *   clang -fsanitize=fuzzer,address,undefined …; corpus: tests/data/hfile/golden_hfiles and hbase_files */
#include "base/fs.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "hfile/block.h"
#include "hfile/bloom_reader.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_ranges.h"
#include "hfile/hfile_scan.h"
#include "hfile/index_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_BLOCK_BYTES = 1 << 22 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void drain(struct source *scan) {
    struct err err = {0};
    struct row_part p;
    while (scan && source_next(scan, &p, &err) == 1) {
    }
    source_close(scan);
}

static void scan_ranges(const struct hfile *h) {
    struct err err = {0};
    uint64_t cursor = 0;
    struct hfile_scan_opts o = {0};
    while (hfile_range_next(h, &cursor, 4096, &o.range, &err) == 1) drain(hfile_scan_open(h, &o, &err));
}

static int see_block(void *arg, const struct hfile_block *b, struct err *err) {
    (void)arg;
    (void)b;
    (void)err;
    return 0;
}

static void look_around(const struct hfile *h) {
    struct err err = {0};
    struct buf key = {0};
    hfile_mid_key(h, &key, &err);
    buf_free(&key);
    err.code = ERR_NONE;
    hfile_blocks_walk(h, see_block, NULL, &err);
}

static int count_lost(void *arg, const struct hfile_lost *l, struct err *err) {
    (void)err;
    if (l->end <= l->offset || !l->reason[0]) __builtin_trap();
    ++*(uint64_t *)arg;
    return 0;
}

/* Whatever is damaged, ranges that are cut around it can be read, and nothing comes out of order. */
static void salvage(const char *path) {
    struct err err = {0};
    uint64_t lost = 0;
    struct hfile_lost_sink sink = {count_lost, &lost};
    struct hfile *h = hfile_open_damaged(path, MAX_BLOCK_BYTES, &sink, &err);
    if (!h) return;
    struct hfile_scan_opts o = {.lost = &sink};
    drain(hfile_scan_open(h, &o, &err));
    err = (struct err){0};
    struct hfile_cutter *c = hfile_cutter_open(h, &(struct hfile_range){0, hfile_info(h)->load_on_open_offset}, &err);
    while (c && hfile_cutter_next(c, 4096, &o.range, &err) == 1) {
        if (o.range.end <= o.range.offset) __builtin_trap();
        drain(hfile_scan_open(h, &o, &err));
    }
    hfile_cutter_close(c);
    hfile_close(h);
}

static void scan_all(const struct hfile *h) {
    struct err err = {0};
    struct tally t = {0};
    drain(hfile_scan_open(h, &(struct hfile_scan_opts){.tally = &t}, &err));
    err.code = ERR_NONE;
    drain(hfile_scan_open(h, &(struct hfile_scan_opts){.start_row = bytes_str("m"), .stop_row = bytes_str("u")}, &err));
    scan_ranges(h);
    err.code = ERR_NONE;
    hfile_index_walk(h, NULL, NULL, &err);
    err.code = ERR_NONE;
    struct hfile_bloom_reader *b = hfile_bloom_open(h, &err);
    if (b && hfile_bloom_may_have(b, bytes_str("row"), &err) >= 0)
        hfile_bloom_may_have_column(b, bytes_str("user000700"), bytes_str("q"), &err);
    hfile_bloom_close(b);
    err.code = ERR_NONE;
    b = hfile_bloom_open_deletes(h, &err);
    if (b) hfile_bloom_may_have(b, bytes_str("row"), &err);
    hfile_bloom_close(b);
    look_around(h);
}

static void open_and_scan(const uint8_t *data, size_t size) {
    struct err err = {0};
    char path[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0) return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fs_pwrite_full(fd, data, size, 0, path, &err) == 0) {
        struct hfile *h = hfile_open(path, MAX_BLOCK_BYTES, &err);
        if (h) scan_all(h);
        hfile_close(h);
        salvage(path);
    }
    close(fd);
}

/* Puts right checksums behind every block that can be found, so that what lies behind them is reached. */
static bool mend(uint8_t *p, size_t n) {
    size_t at = 0, blocks = 0;
    struct block_header h;
    while (n - at >= BLOCK_HEADER_BYTES && !block_header_parse(p + at, BLOCK_HEADER_BYTES, &h) &&
           h.disk_bytes <= n - at - BLOCK_HEADER_BYTES) {
        block_sums_put(&h, p + at, 0, p + at + h.summed_bytes);
        at += BLOCK_HEADER_BYTES + h.disk_bytes;
        blocks++;
    }
    return blocks > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    open_and_scan(data, size);
    uint8_t *copy = malloc(size + !size);
    if (copy) {
        memcpy(copy, data, size);
        if (mend(copy, size)) open_and_scan(copy, size);
    }
    free(copy);
    return 0;
}
