/* `scan_hfile [--digest] ROUNDS FILE`: reads every cell of an HFile, ROUNDS times, in one thread. A line for each round:
 *
 *   cells, their bytes as KeyValues without tags, seconds from before opening to after the last cell, CPU seconds of the process
 *   in that time, digest or "-"
 *
 * The digest is the sum modulo 2^64 of the CRC-32C of each KeyValue (keyLen, valueLen, key, value): what
 * tests/bench/ScanSpeed.java prints for HBase's own reader. Computing it is no part of reading, so speed is measured without. */
#include "base/buf.h"
#include "base/hash.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "hfile/hfile_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct totals {
    uint64_t cells, bytes, digest;
    bool with_digest;
    struct buf scratch;
};

static double now_s(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int add_part(struct totals *t, const struct row_part *part, struct err *err) {
    t->cells += part->n_cells;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        size_t n = kv_size(part, &part->cells[i], false);
        t->bytes += n;
        if (!t->with_digest) continue;
        buf_clear(&t->scratch);
        if (buf_reserve(&t->scratch, n, err)) return -1;
        kv_put(t->scratch.p, part, &part->cells[i], false);
        t->digest += crc32c(0, t->scratch.p, n);
    }
    return 0;
}

static int scan(const char *path, struct totals *t, struct err *err) {
    struct hfile *h = hfile_open(path, 0, err);
    struct hfile_scan_opts o = {0};
    struct source *s = h ? hfile_scan_open(h, &o, err) : NULL;
    struct row_part part;
    int rc = s ? 0 : -1;
    while (s && (rc = source_next(s, &part, err)) > 0 && (rc = add_part(t, &part, err)) == 0) {
    }
    source_close(s);
    hfile_close(h);
    return rc;
}

static int round_of(const char *path, bool with_digest, struct err *err) {
    struct totals t = {.with_digest = with_digest};
    double start = now_s(CLOCK_MONOTONIC), cpu_start = now_s(CLOCK_PROCESS_CPUTIME_ID);
    int rc = scan(path, &t, err);
    double seconds = now_s(CLOCK_MONOTONIC) - start, cpu = now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
    char digest[20] = "-";
    if (with_digest) snprintf(digest, sizeof digest, "%016" PRIx64, t.digest);
    if (!rc) printf("%" PRIu64 " %" PRIu64 " %.6f %.6f %s\n", t.cells, t.bytes, seconds, cpu, digest);
    buf_free(&t.scratch);
    return rc;
}

int main(int argc, char **argv) {
    bool with_digest = argc > 1 && !strcmp(argv[1], "--digest");
    char **rest = argv + 1 + with_digest;
    struct err err = {0};
    if (argc - 1 - with_digest != 2) {
        fprintf(stderr, "usage: scan_hfile [--digest] ROUNDS FILE\n");
        return 2;
    }
    for (long i = strtol(rest[0], NULL, 10); i > 0; i--)
        if (round_of(rest[1], with_digest, &err)) {
            fprintf(stderr, "scan_hfile: %s\n", err.text);
            return 1;
        }
    return 0;
}
