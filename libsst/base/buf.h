/* Memory that grows while it is filled: bytes (struct buf) and arrays of anything. Growth reports failure, it never exits.
 * Exports: grow */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/bytes.h"
#include "base/err.h"

#include <stddef.h>

/* Zero-initialise; buf_free when done. */
struct buf {
    uint8_t *p;
    size_t n, cap;
};

/* Makes room for `more` bytes after the first n. 0, or -1 with ERR_LIMIT. */
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

/* ---- arrays ----
 *
 * An array that is filled one item after the other needs no field for its capacity: that is the number of items, rounded up to a
 * power of two. So it grows when the number is 0 or a power of two, and doubles then: n items cost at most 2 n copies. */

/* Makes room for one more item after the first n. `array` is the address of the pointer to them, which points to NULL or to what
 * this function (or malloc, with room for a power of two) allocated; release it with free. `what` names the array in the message
 * when memory runs out: 0, or -1 with ERR_LIMIT and the array unchanged. */
int grow_array(void *array, size_t n, size_t item_bytes, const char *what, struct err *err);
/* As grow_array, where the capacity is kept, for arrays that are emptied and filled again and again: it doubles (8 at least). */
int grow_capacity(void *array, size_t *capacity, size_t item_bytes, const char *what, struct err *err);
/* As grow_capacity, to a capacity, not 0, that the caller has chosen: where it is known, counted before it is taken, or
 * limited. */
int grow_to(void *array, size_t capacity, size_t item_bytes, const char *what, struct err *err);

#endif
