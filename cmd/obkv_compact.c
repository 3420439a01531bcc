/* obkv-compact: merges datasets, HFiles and other inputs per partition and applies the version rules. */
#include "cmd/frame.h"
#include "cmd/rule_options.h"
#include "pipeline/fuse.h"
#include "pipeline/rules_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct tool_about about = {TOOL_COMPACT, "obkv-compact", "[options] -o DIR INPUT...",
                                        "Merges inputs, oldest first, and keeps what HBase's major compaction would keep.\n\n"
                                        "example:\n"
                                        "  obkv-compact -o MERGED MONDAY TUESDAY",
                                        NULL};

/* The inputs as given: datasets with their manifests, everything else as NULL. */
struct given {
    struct manifest *manifests;
    bool *is_dataset;
    int n;
    enum tie_rule tie;
};

static void given_free(struct given *g) {
    for (int i = 0; g->is_dataset && i < g->n; i++)
        if (g->is_dataset[i]) manifest_free(&g->manifests[i]);
    free(g->manifests);
    free(g->is_dataset);
}

static int look(struct session *s, struct given *g, struct err *err) {
    if (!s->o.n_inputs) return err_set(err, ERR_USAGE, "no input given (see obkv-compact --help)");
    g->n = s->o.n_inputs;
    g->manifests = calloc((size_t)g->n, sizeof *g->manifests);
    g->is_dataset = calloc((size_t)g->n, sizeof *g->is_dataset);
    if (!g->manifests || !g->is_dataset) return err_nomem(err, 0, "the list of inputs");
    for (int i = 0; i < g->n; i++) {
        int is = strcmp(s->o.inputs[i], "-") ? dataset_is(s->o.inputs[i], err) : 0;
        if (is < 0 || (is && dataset_open(s->o.inputs[i], &g->manifests[i], err))) return -1;
        g->is_dataset[i] = is;
    }
    return 0;
}

static const struct table *first_table(const struct given *g) {
    for (int i = 0; i < g->n; i++)
        if (g->is_dataset[i]) return &g->manifests[i].table;
    return NULL;
}

/* Two datasets that tell different rules of one family: the first one's are used, and that is said. */
static void warn_rules(struct session *s, const char *path, const struct table *t) {
    if (s->o.ddl || s->o.versions || s->o.ttl || s->o.min_versions || s->o.keep_deleted || s->o.purge_deletes_after) return;
    for (uint32_t f = 0; f < t->n_families; f++) {
        char a[RULES_HASH_BYTES], b[RULES_HASH_BYTES];
        int i = table_family(&s->table, bytes_str(t->families[f].name));
        rules_text_hash(&t->families[f].rules, s->kind, a);
        rules_text_hash(&s->table.families[i].rules, s->kind, b);
        if (strcmp(a, b))
            report_warn(&s->reporter, "%s tells other version rules for family %s: those of the first dataset are used", path,
                        t->families[f].name);
    }
}

/* Datasets of another partitioning would be misplaced; families of later datasets join the table. */
static int check_partitioning(struct session *s, const struct given *g, struct err *err) {
    for (int i = 0; i < g->n; i++) {
        if (!g->is_dataset[i]) continue;
        const struct table *t = &g->manifests[i].table;
        if (!partitioning_eq(&t->partitioning, &s->table.partitioning))
            return err_set(err, ERR_USAGE,
                           "%s is partitioned differently: bring it into the same partitioning with obkv-split apply first",
                           s->o.inputs[i]);
        for (uint32_t f = 0; s->o.ddl && f < t->n_families; f++)
            if (table_family(&s->table, bytes_str(t->families[f].name)) < 0)
                return err_set(err, ERR_USAGE, "%s holds family %s, which the table definition lacks", s->o.inputs[i],
                               t->families[f].name);
        if (session_add_families(s, t, err)) return -1;
        warn_rules(s, s->o.inputs[i], t);
    }
    return 0;
}

static int list_inputs(struct session *s, const struct given *g, struct input_list *l, struct err *err) {
    for (int i = 0; i < g->n; i++) {
        int rc = g->is_dataset[i] ? input_list_add_dataset(l, s->o.inputs[i], &g->manifests[i], err)
                                  : session_add_input(s, l, s->o.inputs[i], err);
        if (rc) return -1;
    }
    return 0;
}

static int parse_rank(const struct session *s, enum tie_rule *tie, struct err *err) {
    *tie = TIE_BY_INPUT;
    if (!strcmp(s->o.rank, "position")) return 0;
    *tie = TIE_BY_SEQUENCE;
    return strcmp(s->o.rank, "sequence") ? err_set(err, ERR_USAGE, "--rank '%s': position or sequence is expected", s->o.rank)
                                         : 0;
}

static void stat_inputs(struct input_list *in) {
    struct stat st;
    for (uint32_t i = 0; i < in->n; i++) {
        if (stat(in->inputs[i].path, &st)) continue; /* dataset_open saw it a moment ago; reading will tell */
        in->inputs[i].file_bytes = (uint64_t)st.st_size;
        in->inputs[i].mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    }
}

/* Merging checks no cell against the table: it must promise no less than what the inputs were checked against. */
static bool lengths_hold(const struct session *s, const struct table *t) {
    for (uint32_t i = 0; i < t->n_families; i++) {
        const struct family *was = &t->families[i], *is = &s->table.families[table_family(&s->table, bytes_str(was->name))];
        if (was->k_max > is->k_max || was->q_max > is->q_max || was->v_max > is->v_max) return false;
    }
    return !s->o.max_cell_size;
}

/* All inputs are datasets of this partitioning, and few enough to be merged at once. */
static int try_fuse(struct session *s, struct input_list *in, void *arg, const struct store_opts *store, struct build_result *r,
                    bool *fused, struct err *err) {
    const struct given *g = arg;
    struct fuse_input *inputs = calloc((size_t)g->n, sizeof *inputs);
    struct fuse_opts f = {.job = &s->job,
                          .inputs = inputs,
                          .n_inputs = (uint32_t)g->n,
                          .table = &s->table,
                          .tie = g->tie,
                          .kind = s->kind,
                          .store = *store};
    size_t at = 0;
    *fused = inputs;
    for (int i = 0; inputs && i < g->n; i++) {
        *fused = *fused && g->is_dataset[i] && s->on_damage == DAMAGE_FAILS && lengths_hold(s, &g->manifests[i].table);
        inputs[i] = (struct fuse_input){&g->manifests[i], in->inputs + at};
        at += g->manifests[i].n_files;
    }
    *fused = *fused && fuse_fits(&f);
    stat_inputs(in);
    int rc = *fused ? fuse_run(&f, r, err) : 0;
    free(inputs);
    return rc;
}

static int run(struct session *s, int *code, struct err *err) {
    struct given g = {0};
    struct input_list in = {0};
    struct frame_write w = {.command = "compact", .did = "compacted", .compacted = true, .shortcut = try_fuse, .arg = &g};
    int rc = parse_rank(s, &g.tie, err) || rule_options_kind(&s->o, &s->kind, err) ? -1 : 0;
    w.tie = g.tie;
    if (!rc) rc = look(s, &g, err);
    if (!rc) rc = list_inputs(s, &g, &in, err);
    if (!rc) rc = session_table_of(s, first_table(&g), &in, err);
    if (!rc) rc = check_partitioning(s, &g, err);
    if (!rc) rc = session_need_rules(s, err);
    if (!rc) rc = frame_write(s, &in, &w, code, err);
    given_free(&g);
    input_list_free(&in);
    return rc;
}

int main(int argc, char **argv) {
    return frame_main(&about, argc, argv, run);
}
