/* `unpack_hfile THREADS FILE...`: reads and decompresses every data block of HFiles, and does nothing else with them: no
 * checksums, no cells. What any work on these files must cost at least. One line:
 *
 *   data blocks, their bytes unpacked, seconds, CPU seconds of the process in that time */
#include "base/buf.h"
#include "base/fs.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_ranges.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RANGE_BYTES = 4 << 20 };

struct totals {
    uint64_t blocks, bytes;
    struct err err;
};

static double now_s(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Blocks in raw, one after the other. */
static int unpack(const struct hfile *h, struct bytes raw, struct codec_ctx *ctx, struct buf *plain, struct totals *mine) {
    uint32_t head = h->src.header_bytes;
    for (struct block_header b; raw.n >= head; raw = bytes_of(raw.p + head + b.disk_bytes, raw.n - head - b.disk_bytes)) {
        const char *fault = block_header_parse(raw.p, head, &b);
        if (fault || b.disk_bytes > raw.n - head) return err_set(&mine->err, ERR_INPUT, "%s: damaged", h->path);
        if (block_chain(b.type) != BLOCK_DATA) continue;
        mine->blocks++;
        mine->bytes += b.plain_bytes;
        buf_clear(plain);
        if (buf_reserve(plain, b.plain_bytes + 64, &mine->err)) return -1;
        struct bytes stored = bytes_of(raw.p + head, b.summed_bytes - head);
        if (codec_decompress(ctx, stored, plain->p, b.plain_bytes, &mine->err)) return -1;
    }
    return 0;
}

static void unpack_range(const struct hfile *h, struct hfile_range range, struct totals *all) {
    struct totals mine = {0};
    struct buf raw = {0}, plain = {0};
    struct codec_ctx ctx = codec_ctx_make(h->src.codec, 0);
    size_t n = (size_t)(range.end - range.offset);
    if (!buf_reserve(&raw, n, &mine.err) && !hfile_read_raw(h, raw.p, n, range.offset, &mine.err))
        unpack(h, bytes_of(raw.p, n), &ctx, &plain, &mine);
    codec_ctx_release(&ctx);
    buf_free(&raw);
    buf_free(&plain);
#pragma omp critical(unpack)
    {
        all->blocks += mine.blocks;
        all->bytes += mine.bytes;
        err_keep(&all->err, &mine.err);
    }
}

static void unpack_file(const char *path, struct totals *all) {
    struct err mine = {0};
    struct hfile *h = hfile_open(path, 0, &mine);
    struct hfile_range range;
    uint64_t cursor = 0;
    while (h && hfile_range_next(h, &cursor, RANGE_BYTES, &range, &mine) == 1) {
#pragma omp task firstprivate(range)
        unpack_range(h, range, all);
    }
#pragma omp taskwait
    hfile_close(h);
#pragma omp critical(unpack)
    err_keep(&all->err, &mine);
}

int main(int argc, char **argv) {
    struct totals all = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: unpack_hfile THREADS FILE...\n");
        return 2;
    }
    int threads = (int)strtol(argv[1], NULL, 10);
    double start = now_s(CLOCK_MONOTONIC), cpu_start = now_s(CLOCK_PROCESS_CPUTIME_ID);
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 2; i < argc; i++) {
#pragma omp task firstprivate(i)
        unpack_file(argv[i], &all);
    }
    if (all.err.code) {
        fprintf(stderr, "unpack_hfile: %s\n", all.err.text);
        return 1;
    }
    printf("%llu %llu %.6f %.6f\n", (unsigned long long)all.blocks, (unsigned long long)all.bytes, now_s(CLOCK_MONOTONIC) - start,
           now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_start);
    return 0;
}
