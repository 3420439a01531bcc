#include "formats/text/hex_text.h"

#include <stdio.h>

int hex_text_parse(const char *text, struct buf *out, struct err *err) {
    if (strncmp(text, "hex:", 4)) return buf_copy(out, bytes_str(text), err);
    const char *hex = text + 4;
    size_t n = strlen(hex);
    if (n % 2 || strspn(hex, "0123456789abcdefABCDEF") != n)
        return err_set(err, ERR_USAGE, "'%s': hex: wants an even number of hex digits", text);
    out->n = 0;
    if (buf_reserve(out, n / 2 + 1, err)) return -1;
    for (size_t i = 0; i < n; i += 2) {
        unsigned v;
        sscanf(hex + i, "%2x", &v);
        out->p[out->n++] = (uint8_t)v;
    }
    return 0;
}
