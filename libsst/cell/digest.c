#include "cell/digest.h"

#include "base/buf.h"
#include "cell/keyvalue.h"

#include <stdio.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

struct digest digest_kv(const void *p, size_t n) {
    XXH128_hash_t h = XXH3_128bits(p, n);
    return (struct digest){h.low64, h.high64};
}

int digest_cell(struct buf *scratch, const struct row_part *part, const struct cell *c, struct digest *out, struct err *err) {
    bool tags = c->tags.n > 0;
    size_t n = kv_size(part, c, tags);
    scratch->n = 0;
    if (buf_reserve(scratch, n, err)) return -1;
    kv_put(scratch->p, part, c, tags);
    *out = digest_kv(scratch->p, n);
    return 0;
}

int digest_part(struct buf *scratch, const struct row_part *part, struct tally *t, struct err *err) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        struct digest d;
        if (digest_cell(scratch, part, &part->cells[i], &d, err)) return -1;
        tally_one(t, d);
    }
    return 0;
}

void digest_print(struct digest d, char out[DIGEST_HEX]) {
    snprintf(out, DIGEST_HEX, "%016llx%016llx", (unsigned long long)d.hi, (unsigned long long)d.lo);
}

bool digest_parse(const char *hex, struct digest *out) {
    if (strlen(hex) != DIGEST_HEX - 1 || strspn(hex, "0123456789abcdef") != DIGEST_HEX - 1) return false;
    char half[17] = {0};
    memcpy(half, hex, 16);
    out->hi = strtoull(half, NULL, 16);
    out->lo = strtoull(hex + 16, NULL, 16);
    return true;
}
