/* obkv-verify: looks, compares, proves; writes nothing but its findings. */
#include "cmd/common/frame.h"
#include "cmd/verify/hfile_operand.h"
#include "cmd/verify/verify.h"

#include <string.h>
#include <sys/stat.h>

static const struct tool_command commands[] = {
    {"account", VERIFY_ACCOUNT, "MANIFEST...",
     "manifests or datasets of several runs: does the chain from the sources to the last one add up?", verify_account, false,
     false},
    {"check", VERIFY_CHECK, "DATASET|HFILE...",
     "every block, order, placement, bloom, digest and ledger; also directories of HBase; --quick: metadata only", verify_check,
     false, false},
    {"diff", VERIFY_DIFF, "A... B", "two sides of any format, cell by cell; exit 1 when they differ", verify_diff, false, false},
    {"dump", VERIFY_DUMP, "INPUT...", "the cells as text, one a line", verify_dump, false, false},
    {"hashtable", VERIFY_HASHTABLE, "DIR INPUT...",
     "inputs against the hashes of HBase's HashTable job in DIR; exit 1 when ranges differ", verify_hashtable, false, false},
    {"info", VERIFY_INFO, "DATASET|HFILE...",
     "what it is: manifest, or trailer, file info and blooms; blocks, index and lengths on request", verify_info,
     .datasets = true},
    {"skew", VERIFY_SKEW, "DATASET|INPUT...",
     "how rows, cells and bytes are spread over the partitions; heaviest rows and key prefixes", verify_skew, false, false},
    {"target", VERIFY_TARGET, "EXPORT|DATASET",
     "the rows of a database (--target), partition by partition, down to the row that differs", verify_target, false, false},
    {NULL, 0, NULL, NULL, NULL, false, false}};

static const struct tool_about about = {
    TOOL_VERIFY, "obkv-verify", "COMMAND [options] INPUT...",
    "Checks, compares and shows datasets and HFiles.\n\n"
    "examples:\n"
    "  obkv-verify check OUT\n"
    "  obkv-verify diff --ddl users.sql --columns HBASE_ROW_KEY,info:name,HBASE_TS_KEY users.csv OUT",
    commands};

/* Said here, because readers of HFiles would only say that it is no file. */
static int refuse_folders(const struct session *s, struct err *err) {
    for (int i = 0; i < s->o.n_inputs; i++) {
        struct stat st;
        int is = stat(s->o.inputs[i], &st) || !S_ISDIR(st.st_mode) ? 1 : dataset_is(s->o.inputs[i], err);
        if (is < 0) return -1;
        if (!is) return hfile_operand_refuse_folder(s, s->o.inputs[i], err);
    }
    return 0;
}

static int run(struct session *s, int *code, struct err *err) {
    const struct tool_command *c = s->o.command;
    return c->datasets && refuse_folders(s, err) ? -1 : c->run(s, code, err);
}

int main(int argc, char **argv) {
    return frame_main(&about, argc, argv, run);
}
