#include "cell/cell.h"

#include "base/be.h"

/* One tag from the head: false when what is left is malformed. */
static bool take_tag(struct bytes *t, uint8_t *type, struct bytes *value) {
    if (t->n < 3) return false;
    size_t n = be16(t->p);
    if (n < 1 || n > t->n - 2) return false;
    *type = t->p[2];
    *value = bytes_of(t->p + 3, n - 1);
    *t = bytes_of(t->p + 2 + n, t->n - 2 - n);
    return true;
}

bool cell_ttl_ms(struct bytes tags, int64_t *ttl_ms) {
    uint8_t type;
    struct bytes value;
    while (tags.n && take_tag(&tags, &type, &value)) {
        if (type != TAG_TTL || value.n != 8) continue;
        *ttl_ms = (int64_t)be64(value.p);
        return true;
    }
    return false;
}

bool tags_valid(struct bytes tags) {
    uint8_t type;
    struct bytes value;
    while (tags.n)
        if (!take_tag(&tags, &type, &value)) return false;
    return true;
}

void cell_put_ttl_tag(uint8_t *p, int64_t ttl_ms) {
    p = put_be16(p, 9);
    *p++ = TAG_TTL;
    put_be64(p, (uint64_t)ttl_ms);
}

const char *cell_type_name(uint8_t type) {
    switch (type) {
    case CELL_MINIMUM: return "Minimum";
    case CELL_PUT: return "Put";
    case CELL_DELETE: return "Delete";
    case CELL_DELETE_FAMILY_VERSION: return "DeleteFamilyVersion";
    case CELL_DELETE_COLUMN: return "DeleteColumn";
    case CELL_DELETE_FAMILY: return "DeleteFamily";
    case CELL_MAXIMUM: return "Maximum";
    default: return "unknown";
    }
}
