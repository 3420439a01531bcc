/* Owned, growable bytes. Zero-initialise; buf_free when done. Growth reports failure, it never exits. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/bytes.h"
#include "base/err.h"

struct buf {
    uint8_t *p;
    size_t n, cap;
};

/* Makes room for `more` bytes behind n. 0, or -1 with ERR_LIMIT. */
int buf_reserve(struct buf *b, size_t more, struct err *err);
int buf_put(struct buf *b, const void *p, size_t n, struct err *err);
int buf_put_byte(struct buf *b, uint8_t v, struct err *err);
int buf_put_be32(struct buf *b, uint32_t v, struct err *err);
int buf_put_be64(struct buf *b, uint64_t v, struct err *err);
/* Replaces the content by a copy. */
int buf_copy(struct buf *b, struct bytes src, struct err *err);
int buf_printf(struct buf *b, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void buf_free(struct buf *b);

static inline void buf_clear(struct buf *b) {
    b->n = 0;
}
static inline struct bytes buf_bytes(const struct buf *b) {
    return (struct bytes){b->p, b->n};
}

#endif
