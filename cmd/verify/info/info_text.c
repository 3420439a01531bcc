#include "cmd/verify/info/info.h"

#include "cell/keyvalue.h"
#include "cmd/common/output_text.h"

#include <ctype.h>
#include <stdio.h>

enum { WRITE_BYTES = 64 << 10, SHOWN_BYTES = 120 };

int info_out_write(struct info_out *o, bool all, struct err *err) {
    if (o->text.n < WRITE_BYTES && !all) return 0;
    int rc = o->gone ? 0 : stdout_write(o->text.p, o->text.n, &o->gone, err);
    buf_clear(&o->text);
    return rc;
}

int info_put_bytes(struct buf *b, struct bytes v, struct err *err) {
    for (size_t i = 0; i < v.n && i < SHOWN_BYTES; i++) {
        bool plain = isprint(v.p[i]) && v.p[i] != '\\';
        if (plain ? buf_put_byte(b, v.p[i], err) : buf_printf(b, err, "\\x%02X", v.p[i])) return -1;
    }
    return v.n > SHOWN_BYTES ? buf_printf(b, err, "… (%zu bytes)", v.n) : 0;
}

int info_put_key(struct buf *b, struct bytes key, struct err *err) {
    struct kv_key k;
    if (!kv_key_parse(key, &k)) return info_put_bytes(b, key, err);
    if (info_put_bytes(b, k.row, err) || buf_put_byte(b, '/', err) || info_put_bytes(b, k.family, err)) return -1;
    if ((k.family.n && buf_put_byte(b, ':', err)) || info_put_bytes(b, k.qualifier, err)) return -1;
    if (k.ts_ms == INT64_MAX ? buf_printf(b, err, "/LATEST_TIMESTAMP") : buf_printf(b, err, "/%lld", (long long)k.ts_ms))
        return -1;
    return buf_printf(b, err, "/%s", cell_type_name(k.type));
}

json_t *info_text_json(int (*put)(struct buf *b, struct bytes v, struct err *err), struct bytes v) {
    struct buf b = {0};
    struct err err = {0};
    json_t *j = put(&b, v, &err) ? NULL : json_stringn(b.p ? (const char *)b.p : "", b.n);
    buf_free(&b);
    return j;
}
