/* Two cells with all byte values, which a server is asked to take before anything else: load.sql loads them and compares their
 * sums, and obkv-load tries with them who can read the files. */
#include "cmd/text/export_probe.h"

#include "base/buf.h"
#include "cmd/oceanbase/kqvt.h"

/* Every byte value in K and V, then in Q beside an empty K and V. */
int export_probe_put(struct buf *out, struct cell_sums *sums, struct err *err) {
    uint8_t up[256], down[256], key[2 * sizeof up + COPY16_SPARE];
    const struct cell_sums_opts o = {0};
    for (int i = 0; i < 256; i++) {
        up[i] = (uint8_t)i;
        down[i] = (uint8_t)(255 - i);
    }
    const struct kqvt_row rows[] = {{.q = bytes_of(up, sizeof up), .t = -1},
                                    {.k = bytes_of(up, sizeof up), .v = bytes_of(down, sizeof down), .t = -1}};
    *sums = (struct cell_sums){0};
    for (size_t i = 0; i < countof(rows); i++) {
        struct bytes escaped = {key, (size_t)(kqvt_escape(key, rows[i].k) - key)};
        if (kqvt_put(out, escaped, &rows[i], false, err)) return -1;
        cell_sums_row(sums, &rows[i], &o);
    }
    return 0;
}
