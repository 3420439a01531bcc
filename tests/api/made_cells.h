/* Shared by sorting.c and no_memory.c of tests/api: cells in an order of their own, datasets made of them, and callbacks to
 * read and write through. */
#ifndef API_MADE_CELLS_H
#define API_MADE_CELLS_H

#include "rows.h"

#include <sst/dataset_writer.h>
#include <sst/sorter.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { FEW = 3000 };

struct made {
    char row[32], value[64];
    sst_cell cell;
};

/* Cell i of n in an order of its own; some keys come twice. */
static inline const sst_cell *made_cell(struct made *m, uint32_t i, uint32_t n, const char *family) {
    const uint32_t k = (uint32_t)((uint64_t)i * 7368787u % n);
    snprintf(m->row, sizeof m->row, "r%07u", k / 3);
    snprintf(m->value, sizeof m->value, "value %u, put as number %u", k, i);
    m->cell = put(m->row, k % 3 ? "b" : "a", 1000 + k % 2, m->value);
    m->cell.family = sst_bytes_text(family);
    return &m->cell;
}

static inline int same(sst_digest a, sst_digest b) {
    return a.low == b.low && a.high == b.high;
}

/* ---- datasets ---- */

static inline sst_dataset_writer *open_writer(const char *name, const sst_partitioning *p, size_t memory, unsigned threads,
                                              sst_error *error) {
    sst_dataset_writer_options o = {0};
    o.size = sizeof o;
    o.partitioning = p;
    o.memory_bytes = memory;
    o.threads = threads;
    o.now = 1700000000000;
    o.tool = "sorting 1";
    o.target_file_bytes = 20 << 20;
    return sst_dataset_writer_open(path_of(name), &o, error);
}

static inline int write_dataset(const char *name, const char *word, uint32_t n, size_t memory, unsigned threads,
                                uint64_t *spilled, sst_error *error) {
    sst_partitioning *p = sst_partitioning_parse(word, error);
    sst_dataset_writer *w = p ? open_writer(name, p, memory, threads, error) : NULL;
    struct made m;
    int rc = w ? 0 : -1;
    sst_partitioning_close(p);
    for (uint32_t i = 0; i < n && !rc; i++) rc = sst_dataset_writer_put(w, made_cell(&m, i, n, i % 4 ? "f" : "g"), error);
    if (!rc) rc = sst_dataset_writer_finish(w, error);
    if (!rc && spilled) *spilled = sst_dataset_writer_get_written(w)->spilled_bytes;
    sst_dataset_writer_close(w);
    return rc;
}

/* ---- datasets through callbacks ---- */

static inline int64_t size_of(void *file) {
    return (int64_t)lseek(*(int *)file, 0, SEEK_END);
}

static inline int64_t read_at(void *file, void *buffer, size_t n, uint64_t offset) {
    return (int64_t)pread(*(int *)file, buffer, n, (off_t)offset);
}

static inline void close_file(void *file) {
    close(*(int *)file);
    free(file);
}

struct opened {
    const char *name, *hidden; /* hidden: is not there */
    int files, closed;
};

static inline int open_below(void *context, const char *name, sst_read_ops *ops, void **file) {
    struct opened *o = (struct opened *)context;
    char path[8300];
    int *fd = (int *)malloc(sizeof *fd);
    if (!fd) return -1;
    snprintf(path, sizeof path, "%s/%s", path_of(o->name), name);
    if (o->hidden && strstr(name, o->hidden)) errno = ENOENT;
    *fd = o->hidden && strstr(name, o->hidden) ? -1 : open(path, O_RDONLY);
    if (*fd < 0) {
        free(fd);
        return -1;
    }
    o->files++;
    ops->file_size = size_of;
    ops->pread = read_at;
    ops->close = close_file;
    *file = fd;
    return 0;
}

static inline void count_close(void *context) {
    ((struct opened *)context)->closed++;
}

/* ---- writers to descriptors and callbacks ---- */

struct memory {
    uint8_t *p;
    size_t n;
    int finished, closed, broken;
};

static inline int keep(void *context, const void *data, size_t n) {
    struct memory *m = (struct memory *)context;
    if (m->broken && m->n + n > 5000) {
        errno = EPIPE;
        return -1;
    }
    m->p = (uint8_t *)realloc(m->p, m->n + n);
    memcpy(m->p + m->n, data, n);
    m->n += n;
    return 0;
}

static inline int end_memory(void *context) {
    ((struct memory *)context)->finished++;
    return 0;
}

static inline void close_memory(void *context) {
    ((struct memory *)context)->closed++;
}

static inline int put_rows(sst_writer *w, sst_error *error) {
    struct made m;
    int rc = w ? 0 : -1;
    for (uint32_t i = 0; i < FEW && !rc; i++) {
        snprintf(m.row, sizeof m.row, "r%06u", i);
        sst_cell c = put(m.row, "q", 7, "value");
        rc = sst_writer_put(w, &c, error);
    }
    if (!rc) rc = sst_writer_finish(w, error);
    sst_writer_close(w);
    return rc;
}

#endif
