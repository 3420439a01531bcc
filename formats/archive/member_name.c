#include "formats/archive/member_name.h"

bool member_name_step(const char **name, struct bytes *step) {
    while (**name == '/') ++*name;
    *step = bytes_of(*name, strcspn(*name, "/"));
    *name += step->n;
    return step->n > 0;
}

int member_name_clean(const char *name, struct buf *out, struct err *err) {
    struct bytes step;
    unsigned steps = 0;
    buf_clear(out);
    while (member_name_step(&name, &step)) {
        if (bytes_eq(step, bytes_str("."))) continue;
        if (bytes_eq(step, bytes_str("..")) || step.n > MEMBER_STEP_BYTES || ++steps > MEMBER_STEPS_MAX) return 0;
        if ((out->n && buf_put_byte(out, '/', err)) || buf_put(out, step.p, step.n, err)) return -1;
        if (out->n > MEMBER_NAME_BYTES) return 0;
    }
    return buf_put_byte(out, 0, err) ? -1 : 1;
}
