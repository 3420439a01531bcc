/* Any bytes as a RegionInfo message: refused with a reason, or names that are safe in paths and a hex name of its own. */
#include "formats/hbase/region_info.h"
#include "fuzz.h"

#include "formats/hbase/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct region_info r;
    struct err err = {0};
    if (region_info_parse(bytes_of(data, size), &r, &err)) {
        require(err.code == ERR_INPUT && err.text[0] && !r.ns && !r.table && !r.start.p && !r.end.p);
        return 0;
    }
    require(table_name_is_ns(bytes_str(r.ns)) && table_name_is_table(bytes_str(r.table)));
    require(r.start.n + r.end.n < size && r.replica <= 0xffff);
    size_t n = strlen(r.encoded);
    require((n == 32 || n == 10) && strspn(r.encoded, "0123456789abcdef") == n);
    region_info_free(&r);
    return 0;
}
