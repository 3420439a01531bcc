/* libFuzzer target: records of a run that a shard has kept, in a frame with the right checksum. Another process may have
 * written anything into it. What is read stays within the frame. */
#include "fuzz.h"

#include "base/hash.h"
#include "sort/kept_run.h"
#include "sort/sorted.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char magic[] = "OBKVRUN1";

/* Frame, largest frame with its checksum, and the ending of the format. Returns the sum of the run. */
static uint64_t write_run(int fd, const uint8_t *data, uint32_t n) {
    uint32_t head[2] = {n, crc32c(0, data, n)}, tail[2] = {n, crc32c(0, &n, sizeof n)};
    require(ftruncate(fd, 0) == 0);
    require(pwrite(fd, head, sizeof head, 0) == sizeof head);
    require(pwrite(fd, data, n, sizeof head) == (ssize_t)n);
    require(pwrite(fd, tail, sizeof tail, (off_t)(sizeof head + n)) == sizeof tail);
    require(pwrite(fd, magic, 8, (off_t)(sizeof head + n + sizeof tail)) == 8);
    return murmur64a(head, sizeof head, 0);
}

static void look_at(const struct row_part *part) {
    unsigned sum = 0;
    require(part->n_cells > 0 && part->n_cells <= PART_MAX_CELLS && !part->shape);
    for (size_t i = 0; i < part->row.n; i++) sum += part->row.p[i];
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        require(cell_type_known(c->type) && tags_valid(c->tags));
        for (size_t k = 0; k < c->qualifier.n; k++) sum += c->qualifier.p[k];
        for (size_t k = 0; k < c->value.n; k++) sum += c->value.p[k];
    }
    require(sum != 1u << 31); /* all bytes have been read */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int fd = -1;
    char path[64];
    struct err err = {0};
    struct row_part part;
    int more;
    if (fd < 0) fd = memfd_create("run", MFD_CLOEXEC);
    require(fd >= 0);
    uint64_t sum = write_run(fd, data, (uint32_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const struct kept_run_place at = {path, 0, size + 24, sum};
    struct source *s = kept_run_open(&at, 7, bytes_str("f"), &err);
    require(s && kept_run_memory(&at) >= size);
    while ((more = source_next(s, &part, &err)) == 1) look_at(&part);
    require((more < 0) == (err.code == ERR_INPUT));
    source_close(s);
    return 0;
}
