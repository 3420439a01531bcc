/* libFuzzer target: what HBase's HashTable job leaves. The first byte chooses: a manifest, or a SequenceFile of hashes or
 * partitions. */
#include "formats/seqfile/seqfile_input.h"
#include "fuzz.h"

#include "base/unpack.h"
#include "cmd/verify/hashtable/hash_table.h"
#include "tests/unit/given_bytes.h"
#include "text_emit.h"

static void run_manifest(struct bytes text) {
    struct hash_table t;
    struct err err = {0};
    int rc = hash_table_parse("manifest", text, &t, &err);
    require((rc == 0) == (err.code == ERR_NONE) && err.code != ERR_INTERNAL);
    if (!rc) require(t.n_files && t.table && (!t.families.n || !t.families.p[t.families.n - 1]));
    if (!rc) (void)hash_table_has_family(&t, bytes_str("f"));
    hash_table_free(&t);
}

static void run_pairs(struct bytes content, const char *value_class) {
    struct given_bytes source = {.left = content};
    struct err err = {0};
    const struct read_opts o = {.memory.max_block = 1 << 20, .memory.chunk = 4096};
    const struct unpack_from from = {.path = "data", .read = given_bytes_read, .arg = &source};
    struct instream *in = instream_over(&from, &err);
    struct seqfile_pairs *p = in ? seqfile_pairs_open(in, value_class, &o, &err) : NULL;
    struct bytes row, value;
    int more = p ? 0 : -1;
    while (p && (more = seqfile_pairs_next(p, &row, &value, &err)) == 1) require(row.n + value.n <= 1 << 20);
    require((more == 0) == (err.code == ERR_NONE) && err.code != ERR_INTERNAL);
    seqfile_pairs_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    struct bytes content = {data + 1, size - 1};
    switch (data[0] % 3) {
    case 0: run_manifest(content); break;
    case 1: run_pairs(content, "org.apache.hadoop.hbase.io.ImmutableBytesWritable"); break;
    default: run_pairs(content, "org.apache.hadoop.io.NullWritable");
    }
    return 0;
}
