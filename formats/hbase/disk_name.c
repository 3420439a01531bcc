#include "formats/hbase/disk_name.h"

#include <stdlib.h>

static bool is_control(uint8_t c) {
    return c < 0x20 || c == 0x7f;
}

const char *disk_name_shown(struct bytes b, char out[DISK_NAME_SHOWN_BYTES]) {
    size_t n = b.n < DISK_NAME_SHOWN ? b.n : DISK_NAME_SHOWN;
    for (size_t i = 0; i < n; i++) out[i] = is_control(b.p[i]) ? '?' : (char)b.p[i];
    memcpy(out + n, b.n > n ? "..." : "", b.n > n ? 4 : 1);
    return out;
}

static const char *fault_of(struct bytes name) {
    if (name.n == 0) return "is empty";
    if (name.n > DISK_NAME_MAX_BYTES) return "is longer than 255 bytes";
    if (bytes_eq(name, bytes_str(".")) || bytes_eq(name, bytes_str(".."))) return "names a directory";
    for (size_t i = 0; i < name.n; i++) {
        if (is_control(name.p[i])) return "holds a control character";
        if (name.p[i] == '/') return "holds a '/'";
    }
    return NULL;
}

char *disk_name_copy(struct bytes name, const char *what, struct err *err) {
    const char *fault = fault_of(name);
    if (fault) {
        char shown[DISK_NAME_SHOWN_BYTES];
        err_set(err, ERR_INPUT, "%s '%s' %s", what, disk_name_shown(name, shown), fault);
        return NULL;
    }
    char *copy = malloc(name.n + 1);
    if (!copy) {
        err_nomem(err, name.n + 1, what);
        return NULL;
    }
    memcpy(copy, name.p, name.n);
    copy[name.n] = 0;
    return copy;
}
