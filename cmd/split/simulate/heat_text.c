#include "cmd/split/simulate/heat_text.h"

#include <math.h>

uint64_t heat_text_most(const struct heat_text *h) {
    uint64_t most = 0;
    for (uint32_t r = 0; r < h->rows; r++)
        for (uint32_t c = 0; c < h->columns; c++) {
            uint64_t n = h->at(h->arg, r, c);
            if (n > most) most = n;
        }
    return most;
}

int heat_text_put(const struct heat_text *h, uint64_t most, struct buf *out, struct err *err) {
    static const char ramp[] = " .:-=+*#%@";
    for (uint32_t r = 0; r < h->rows; r++) {
        if (buf_printf(out, err, "  %6u |", h->label(h->arg, r))) return -1;
        for (uint32_t c = 0; c < h->columns; c++) {
            double share = most ? (double)h->at(h->arg, r, c) / (double)most : 0;
            if (buf_put_byte(out, (uint8_t)ramp[(int)ceil(9 * sqrt(share))], err)) return -1;
        }
        if (buf_printf(out, err, "|\n")) return -1;
    }
    return 0;
}
