/* Writes sizes as options take them, so that a message shows what the user typed, and what to type instead. Units are powers of
 * 1024, as opt_size reads them. */
#include "base/size_text.h"

#include <stdio.h>

const char *size_text(uint64_t bytes, char out[SIZE_TEXT]) {
    static const char units[] = {'K', 'M', 'G', 'T'};
    unsigned n = 0;
    while (n < sizeof units && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        n++;
    }
    snprintf(out, SIZE_TEXT, n ? "%llu%c" : "%llu", (unsigned long long)bytes, n ? units[n - 1] : 0);
    return out;
}

const char *size_text_above(uint64_t bytes, char out[SIZE_TEXT]) {
    const uint64_t mib = UINT64_C(1) << 20;
    return size_text((bytes + mib - 1) / mib * mib, out);
}
