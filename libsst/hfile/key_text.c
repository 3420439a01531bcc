#include "hfile/key_text.h"

const char *key_text_hex(struct bytes b, char out[KEY_TEXT_BYTES]) {
    char *p = out;
    for (size_t i = 0; i < b.n && i < KEY_TEXT_SHOWN; i++) {
        *p++ = "0123456789abcdef"[b.p[i] >> 4];
        *p++ = "0123456789abcdef"[b.p[i] & 15];
    }
    if (b.n > KEY_TEXT_SHOWN) {
        memcpy(p, "...", 3);
        p += 3;
    }
    *p = 0;
    return out;
}
