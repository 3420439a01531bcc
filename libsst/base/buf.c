/* Growing memory by realloc: bytes by half, arrays to twice their size. An array is known by the address of its pointer, which is
 * read and written as bytes, since its type is the caller's. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int buf_reserve(struct buf *b, size_t more, struct err *err) {
    if (b->cap - b->n >= more) return 0;
    size_t want = b->n + more, cap = b->cap + b->cap / 2;
    if (want < b->n) return err_nomem(err, more, "a buffer");
    if (cap < want) cap = want;
    if (cap < 64) cap = 64;
    uint8_t *p = realloc(b->p, cap);
    if (!p) return err_nomem(err, cap, "a buffer");
    b->p = p;
    b->cap = cap;
    return 0;
}

int buf_put(struct buf *b, const void *p, size_t n, struct err *err) {
    if (buf_reserve(b, n, err)) return -1;
    if (n) memcpy(b->p + b->n, p, n);
    b->n += n;
    return 0;
}

int buf_put_byte(struct buf *b, uint8_t v, struct err *err) {
    return buf_put(b, &v, 1, err);
}

int buf_put_be32(struct buf *b, uint32_t v, struct err *err) {
    uint8_t t[4];
    put_be32(t, v);
    return buf_put(b, t, 4, err);
}

int buf_put_be64(struct buf *b, uint64_t v, struct err *err) {
    uint8_t t[8];
    put_be64(t, v);
    return buf_put(b, t, 8, err);
}

int buf_copy(struct buf *b, struct bytes src, struct err *err) {
    b->n = 0;
    return buf_put(b, src.p, src.n, err);
}

int buf_printf(struct buf *b, struct err *err, const char *fmt, ...) {
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    int rc = -1;
    if (n >= 0 && buf_reserve(b, (size_t)n + 1, err) == 0) {
        vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
        rc = 0;
    }
    va_end(again);
    return rc;
}

void buf_free(struct buf *b) {
    free(b->p);
    *b = (struct buf){0};
}

int grow_to(void *array, size_t capacity, size_t item_bytes, const char *what, struct err *err) {
    void *items;
    memcpy(&items, array, sizeof items);
    void *grown = reallocarray(items, capacity, item_bytes);
    if (!grown) return err_nomem(err, (unsigned long long)capacity * item_bytes, what);
    memcpy(array, &grown, sizeof grown);
    return 0;
}

int grow_array(void *array, size_t n, size_t item_bytes, const char *what, struct err *err) {
    if (n & (n - 1)) return 0;
    return grow_to(array, n ? 2 * n : 1, item_bytes, what, err);
}

int grow_capacity(void *array, size_t *capacity, size_t item_bytes, const char *what, struct err *err) {
    size_t doubled = *capacity ? 2 * *capacity : 8;
    if (grow_to(array, doubled, item_bytes, what, err)) return -1;
    *capacity = doubled;
    return 0;
}
