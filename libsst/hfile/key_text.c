#include "hfile/key_text.h"

#include "base/text.h"

const char *key_text_hex(struct bytes b, char out[KEY_TEXT_BYTES]) {
    char *p = (char *)hex_write((uint8_t *)out, bytes_of(b.p, b.n < KEY_TEXT_SHOWN ? b.n : KEY_TEXT_SHOWN));
    if (b.n > KEY_TEXT_SHOWN) {
        memcpy(p, "...", 3);
        p += 3;
    }
    *p = 0;
    return out;
}
