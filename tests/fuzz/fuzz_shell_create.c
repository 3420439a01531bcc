/* Any bytes as a create statement of HBase's shell: refused with a reason, or families with names and rules. What begins as such
 * a statement for ddl_parse must be refused there too, with its own message, as it has no partitions of OceanBase. */
#include "formats/hbase/descriptor.h"
#include "formats/hbase/shell_create.h"
#include "formats/hbase/shell_script.h"
#include "fuzz.h"

#include "formats/hbase/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct hbase_table t;
    struct err err = {0};
    const struct bytes text = bytes_of(data, size);
    const bool begins = shell_create_begins(text);
    if (shell_create_parse(text, &t, &err)) {
        require(err.code == ERR_USAGE || err.code == ERR_LIMIT);
        require(err.text[0] && !t.families && !t.name);
        return 0;
    }
    require(begins && t.n_families && t.name[0] && t.ns[0]);
    for (uint32_t i = 0; i < t.n_families; i++) {
        const struct hbase_family *f = &t.families[i];
        require(f->name[0] && f->rules.versions_given && f->rules.versions > 0 && f->rules.ttl_s >= 0);
        for (uint32_t k = 0; k < i; k++) require(strcmp(f->name, t.families[k].name) != 0);
    }
    hbase_table_free(&t);
    return 0;
}
