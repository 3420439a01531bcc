/* Any bytes as a reference file, and as the bare message of a manifest: refused with a reason, or a row that fits. */
#include "formats/hbase/region_info.h"
#include "fuzz.h"

static void check(int rc, struct reference *r, size_t size, const struct err *err) {
    if (rc) {
        require(err->code == ERR_INPUT && err->text[0] && !r->split_row.p);
        return;
    }
    require(err->code == ERR_NONE && r->split_row.n + 12 <= size && r->split_row.n <= INT16_MAX);
    reference_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct reference r;
    struct err err = {0};
    int rc = reference_parse_file(bytes_of(data, size), &r, &err);
    check(rc, &r, size, &err);
    err = (struct err){0};
    rc = reference_parse(bytes_of(data, size), &r, &err);
    check(rc, &r, size, &err);
    return 0;
}
