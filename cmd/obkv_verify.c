/* obkv-verify: looks, compares, proves; writes nothing but its findings. */
#include "cmd/frame.h"
#include "cmd/verify.h"

#include <string.h>
#include <sys/stat.h>

static const struct tool_about about = {
    TOOL_VERIFY, "obkv-verify", "COMMAND [options] INPUT...",
    "Checks, compares and shows datasets and HFiles.\n\n"
    "examples:\n"
    "  obkv-verify check OUT\n"
    "  obkv-verify diff --ddl users.sql --columns HBASE_ROW_KEY,info:name,HBASE_TS_KEY users.csv OUT",
    "  account MANIFEST...      manifests or datasets of several runs: does the chain from the sources to the last one add up?\n"
    "  check DATASET|HFILE...   every block, order, placement, bloom, digest and ledger; also directories of HBase;\n"
    "                           --quick: metadata only\n"
    "  diff A... B              two sides of any format, cell by cell; exit 1 when they differ\n"
    "  dump INPUT...            the cells as text, one a line\n"
    "  hashtable DIR INPUT...   inputs against the hashes of HBase's HashTable job in DIR; exit 1 when ranges differ\n"
    "  info DATASET|HFILE...    what it is: manifest, or trailer, file info and blooms; blocks, index and lengths on request\n"
    "  skew DATASET|INPUT...    how rows, cells and bytes are spread over the partitions; heaviest rows and key prefixes\n"
    "  target EXPORT|DATASET    the rows of a database (--target), partition by partition, down to the row that differs\n"};

struct command {
    const char *name;
    int (*run)(struct session *s, int *code, struct err *err);
    bool datasets; /* a folder must be one */
};

static const struct command commands[] = {{"account", verify_account, false},     {"check", verify_check, false},
                                          {"diff", verify_diff, false},           {"dump", verify_dump, false},
                                          {"hashtable", verify_hashtable, false}, {"info", verify_info, true},
                                          {"skew", verify_skew, false},           {"target", verify_target, false}};

static int refuse_folder(const char *dir, struct err *err) {
    enum store_kind kind;
    if (store_kind_of(dir, &kind, err)) return -1;
    if (kind == STORE_KIND_NONE)
        return err_set(err, ERR_UNSUPPORTED,
                       "%s is a directory without MANIFEST.json: no dataset, or one whose run did not finish", dir);
    return err_set(err, ERR_UNSUPPORTED,
                   "%s is a directory of HBase, not a dataset: obkv-import --list shows what it holds, obkv-verify diff and dump "
                   "read it",
                   dir);
}

/* Said here, because readers of HFiles would only say that it is no file. */
static int refuse_folders(const struct session *s, struct err *err) {
    for (int i = 0; i < s->o.n_inputs; i++) {
        struct stat st;
        int is = stat(s->o.inputs[i], &st) || !S_ISDIR(st.st_mode) ? 1 : dataset_is(s->o.inputs[i], err);
        if (is < 0) return -1;
        if (!is) return refuse_folder(s->o.inputs[i], err);
    }
    return 0;
}

static int run(struct session *s, int *code, struct err *err) {
    if (!s->o.n_inputs)
        return err_set(err, ERR_USAGE,
                       "no command given: account, check, diff, dump, hashtable, info, skew or target (see obkv-verify --help)");
    const char *name = s->o.inputs[0];
    for (size_t i = 0; i < countof(commands); i++) {
        if (strcmp(name, commands[i].name)) continue;
        s->o.inputs++;
        s->o.n_inputs--;
        if (!s->o.n_inputs) return err_set(err, ERR_USAGE, "%s: no input given (see obkv-verify --help)", name);
        return commands[i].datasets && refuse_folders(s, err) ? -1 : commands[i].run(s, code, err);
    }
    return err_set(err, ERR_USAGE,
                   "'%s' is not a command: account, check, diff, dump, hashtable, info, skew or target (see obkv-verify --help)",
                   name);
}

int main(int argc, char **argv) {
    return frame_main(&about, argc, argv, run);
}
