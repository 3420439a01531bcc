/* Any bytes as the name of a store file. The parts of what is recognised lie in the name, are safe to build paths of, and make
 * the name again when they are put together. */
#include "fuzz.h"

#include "formats/hbase/names.h"

#include <stdlib.h>

static bool lies_in(struct bytes part, struct bytes name) {
    return part.n > 0 && part.p >= name.p && part.p + part.n <= name.p + name.n;
}

static bool is_safe(struct bytes part) {
    return part.n > 0 && part.p[0] != '.' && !memchr(part.p, '/', part.n) && !memchr(part.p, 0, part.n);
}

static void check_link(struct bytes name, const struct store_name *s) {
    require(table_name_is_ns(s->ns) && table_name_is_table(s->table) && lies_in(s->table, name));
    require(lies_in(s->region, name) && is_safe(s->region) && lies_in(s->file, name));
    require(s->file.p + s->file.n == name.p + name.n && s->region.p + s->region.n + 1 == s->file.p);
    require(s->table.p + s->table.n + 1 == s->region.p);
    require(s->table.p == name.p || (s->ns.p == name.p && s->ns.p + s->ns.n + 1 == s->table.p));
    struct store_name file = store_name_parse(s->file);
    require(file.kind == STORE_NAME_FILE || file.kind == STORE_NAME_MOB);
    require(file.has_seq == s->has_seq && file.seq == s->seq);
}

static void check_reference(struct bytes name, const struct store_name *s) {
    require(s->file.p == name.p && s->file.n + 1 + s->region.n == name.n && name.p[s->file.n] == '.');
    require(lies_in(s->region, name) && is_safe(s->region));
    struct store_name file = store_name_parse(s->file);
    require(file.kind == STORE_NAME_FILE || file.kind == STORE_NAME_MOB || file.kind == STORE_NAME_LINK);
    require(file.has_seq == s->has_seq && file.seq == s->seq);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes name = {data, size};
    struct store_name s = store_name_parse(name);
    require(s.kind == STORE_NAME_OTHER || is_safe(name));
    require(s.has_seq ? s.seq <= INT64_MAX : s.seq == 0);
    if (s.kind == STORE_NAME_LINK) check_link(name, &s);
    if (s.kind == STORE_NAME_REFERENCE) check_reference(name, &s);
    return 0;
}
