/* Shared by unpack.c and the files that know a compression: what is read, and one const struct unpack_ops each. */
#ifndef BASE_UNPACK_KIND_H
#define BASE_UNPACK_KIND_H

#include "base/buf.h"
#include "base/err.h"

#include <sys/types.h>

/* The source of compressed bytes: > 0 bytes, 0 = end, -1 = error. */
struct unpack_from {
    ssize_t (*read)(void *arg, uint8_t *p, size_t n, struct err *err);
    void *arg;
    const char *path; /* for messages; outlives the unpack */
    uint64_t passed;  /* bytes before those that are given: for messages */
    /* Largest window or dictionary; the decoder's own state (about 1 MiB) comes on top. zstd rounds down to a power of two.
     * 0 = 128 MiB for zstd, no limit for xz. gzip (32 KiB), bzip2 (4 MB) and lz4 (8 MiB) never need more than that. */
    size_t memory_bytes;
    /* Threads that may unpack pieces of one stream (unpack_pieces.h), the one that reads among them. What they hold counts as the
     * window does. 0 or 1: there are no others. */
    unsigned threads;
};

enum { UNPACK_INPUT_BYTES = 128 * 1024 };

struct unpack_ops;
struct unpack {
    const struct unpack_ops *ops;
    struct unpack_from from;
    void *state; /* the kind's own */
    uint8_t *in; /* compressed bytes: at .. n are still to be used */
    size_t at, n, capacity;
    bool at_end; /* from has no more */
    bool has_begun;
    bool inside;                  /* a frame has begun and not ended */
    uint64_t taken;               /* compressed bytes read, those waiting in `in` included */
    uint64_t given;               /* content bytes handed out */
    struct unpack_pieces *pieces; /* NULL: all goes through step */
};

struct unpack_ops {
    const char *kind;
    int (*open)(struct unpack *u, struct err *err);
    /* Uses some of `in`, writes at most *n bytes and stores how many; keeps `inside`. 0, -1. */
    int (*step)(struct unpack *u, uint8_t *p, size_t *n, struct err *err);
    void (*close)(struct unpack *u);
    const struct unpack_piece_ops *pieces; /* NULL: it has none */
};

extern const struct unpack_ops unpack_gzip, unpack_zstd, unpack_lz4, unpack_bzip2, unpack_xz;

/* Fills `in` when it is empty; sets at_end. 0, -1. */
int unpack_refill(struct unpack *u, struct err *err);
/* Reads more, and appends it to what `in` holds, which moves; sets at_end. 0, -1. */
int unpack_read_on(struct unpack *u, struct err *err);
/* Content through step: as unpack_read. */
ssize_t unpack_by_steps(struct unpack *u, void *p, size_t n, struct err *err);
/* ERR_INPUT with path, kind and offset: of what is to be used next, or given. All return -1. */
int unpack_damaged(const struct unpack *u, const char *why, struct err *err);
int unpack_damaged_at(const struct unpack *u, uint64_t byte, const char *why, struct err *err);
/* Reports that something else follows after the last stream, from this byte on. */
int unpack_other_behind(const struct unpack *u, uint64_t byte, struct err *err);

#endif
