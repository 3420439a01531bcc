/* `scan_hfile [--digest] ROUNDS FILE`: reads every cell of an HFile, ROUNDS times, in one thread. A line for each round:
 *
 *   cells, their bytes as KeyValues without tags, seconds from before opening to after the last cell, CPU seconds of the process
 *   in that time, digest or "-"
 *
 * It reads through the public library (sst/scan.h), as a caller would.
 *
 * The digest is the sum modulo 2^64 of the CRC-32C of each KeyValue (keyLen, valueLen, key, value): what
 * tests/bench/ScanSpeed.java prints for HBase's own reader. Computing it is no part of reading, so speed is measured without. */
#include "base/buf.h"
#include "base/hash.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "sst/scan.h"

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

static size_t kv_bytes(const sst_part *part, const sst_part_cell *c) {
    return 8 + kv_key_size(part->row.size, part->family.size, c->qualifier.size) + c->value.size;
}

static int add_digest(struct totals *t, const sst_part *p, const sst_part_cell *c, size_t n, struct err *err) {
    struct cell one = {.qualifier = bytes_of(c->qualifier.data, c->qualifier.size),
                       .value = bytes_of(c->value.data, c->value.size),
                       .ts_ms = c->timestamp,
                       .type = c->type};
    struct row_part part = {.row = bytes_of(p->row.data, p->row.size), .family = bytes_of(p->family.data, p->family.size)};
    buf_clear(&t->scratch);
    if (buf_reserve(&t->scratch, n, err)) return -1;
    kv_put(t->scratch.p, &part, &one, false);
    t->digest += crc32c(0, t->scratch.p, n);
    return 0;
}

static int add_part(struct totals *t, const sst_part *part, struct err *err) {
    t->cells += part->n;
    for (uint32_t i = 0; i < part->n; i++) {
        size_t n = kv_bytes(part, &part->cells[i]);
        t->bytes += n;
        if (!t->with_digest) continue;
        if (add_digest(t, part, &part->cells[i], n, err)) return -1;
    }
    return 0;
}

static int scan(const char *path, struct totals *t, sst_error *error) {
    sst_file *f = sst_file_open(path, NULL, error);
    sst_scan *s = f ? sst_scan_open(f, NULL, error) : NULL;
    const sst_part *part;
    struct err err = {0};
    int more = -1;
    while (s && (more = sst_scan_next_part(s, &part, error)) == 1 && (more = add_part(t, part, &err)) == 0) continue;
    sst_scan_close(s);
    sst_file_close(f);
    return more;
}

static int round_of(const char *path, bool with_digest, sst_error *error) {
    struct totals t = {.with_digest = with_digest};
    double start = now_s(CLOCK_MONOTONIC), cpu_start = now_s(CLOCK_PROCESS_CPUTIME_ID);
    int rc = scan(path, &t, error);
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
    sst_error error = {0};
    if (argc - 1 - with_digest != 2) {
        fprintf(stderr, "usage: scan_hfile [--digest] ROUNDS FILE\n");
        return 2;
    }
    for (long i = strtol(rest[0], NULL, 10); i > 0; i--)
        if (round_of(rest[1], with_digest, &error)) {
            fprintf(stderr, "scan_hfile: %s\n", error.text);
            return 1;
        }
    return 0;
}
