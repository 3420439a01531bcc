#include "base/varint.h"

size_t hadoop_vlong_size(int64_t v) {
    if (v >= -112 && v <= 127) return 1;
    uint64_t m = (uint64_t)(v < 0 ? ~v : v);
    size_t n = 1;
    while (m) {
        n++;
        m >>= 8;
    }
    return n;
}

size_t hadoop_vlong_put(uint8_t *p, int64_t v) {
    if (v >= -112 && v <= 127) {
        p[0] = (uint8_t)v;
        return 1;
    }
    uint64_t m = (uint64_t)(v < 0 ? ~v : v);
    size_t size = hadoop_vlong_size(v), n = size - 1;
    p[0] = (uint8_t)(v < 0 ? -120 - (int)n : -112 - (int)n);
    for (size_t i = 0; i < n; i++) p[1 + i] = (uint8_t)(m >> (8 * (n - 1 - i)));
    return size;
}

bool hadoop_vlong_take(struct bytes *in, int64_t *v) {
    if (in->n == 0) return false;
    int8_t f = (int8_t)in->p[0];
    if (f >= -112) {
        *v = f;
        in->p++;
        in->n--;
        return true;
    }
    size_t n = (size_t)(f < -120 ? -120 - f : -112 - f);
    if (in->n < n + 1) return false;
    uint64_t m = 0;
    for (size_t i = 0; i < n; i++) m = m << 8 | in->p[1 + i];
    *v = (int64_t)(f < -120 ? ~m : m);
    in->p += n + 1;
    in->n -= n + 1;
    return true;
}

size_t pb_varint_put(uint8_t *p, uint64_t v) {
    size_t n = 0;
    while (v >= 0x80) {
        p[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    p[n++] = (uint8_t)v;
    return n;
}

bool pb_varint_take(struct bytes *in, uint64_t *v) {
    uint64_t r = 0;
    for (size_t i = 0; i < in->n && i < PB_VARINT_MAX; i++) {
        uint8_t b = in->p[i];
        if (i == 9 && b > 1) return false;
        r |= (uint64_t)(b & 0x7f) << (7 * i);
        if (!(b & 0x80)) {
            *v = r;
            in->p += i + 1;
            in->n -= i + 1;
            return true;
        }
    }
    return false;
}
