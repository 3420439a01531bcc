/* --policy of nightly compactions. A base may wait for inputs whose cells are not merged in every partition yet: they must be
 * given again, in the same order and before new ones. After a run, what was left over is listed for the next manifest. */
#include "cmd/common/opt_value.h"
#include "cmd/common/warnings.h"
#include "cmd/compact/base_policy.h"

#include "base/fs.h"
#include "cmd/compact/night_policy.h"
#include "engine/merge_datasets.h"
#include "formats/remote/remote_address.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int bad_policy(const char *text, struct err *err) {
    return err_set(err, ERR_USAGE,
                   "--policy '%s': expected all, or ratio[:RATIO[,MIN-FILES[,MAX-FILES[,MIN-SIZE]]]], such as "
                   "ratio:1.2,3,10,128M",
                   text);
}

/* The next number of a list; false: none is left. */
static bool take_item(const char **at, char item[32]) {
    size_t n = strcspn(*at, ",");
    if (!n || n >= 32) return false;
    memcpy(item, *at, n);
    item[n] = 0;
    *at += n + ((*at)[n] == ',' && (*at)[n + 1]);
    return true;
}

static int parse_numbers(const char *text, const char *at, struct explore_opts *o, struct err *err) {
    char item[32], *end;
    uint64_t n[3] = {o->min_files, o->max_files, o->min_bytes};
    if (!take_item(&at, item)) return bad_policy(text, err);
    o->ratio = strtod(item, &end);
    if (*end || !(o->ratio > 0 && o->ratio < 1e9)) return bad_policy(text, err);
    for (size_t i = 0; i < countof(n) && *at; i++)
        if (!take_item(&at, item) || opt_size(item, &n[i])) return bad_policy(text, err);
    if (*at || n[0] < 2 || n[1] < n[0]) return bad_policy(text, err);
    o->min_files = n[0];
    o->max_files = n[1];
    o->min_bytes = n[2];
    return 0;
}

int night_policy_parse(const char *text, struct night_policy *p, struct err *err) {
    p->explore = explore_defaults();
    if (!text || !strcmp(text, "all")) return 0;
    if (strncmp(text, "ratio", 5) || (text[5] && text[5] != ':')) return bad_policy(text, err);
    p->by_ratio = true;
    return text[5] ? parse_numbers(text, text + 6, &p->explore, err) : 0;
}

/* ---- what the base waits for ---- */

static bool is_it(const struct manifest_pending *w, const struct manifest *m) {
    const struct tally *t = ledger_written(&m->ledger);
    return w->files == m->n_files && w->tally.cells == t->cells && digest_eq(w->tally.digest, t->digest);
}

static bool *merged_at(struct night_policy *p, const struct table *t, size_t input, uint32_t family, uint32_t partition) {
    return &p->merged[(input * t->n_families + family) * t->partitioning.count + partition];
}

/* All of the input is merged, but for the partitions that are waited for. */
static int mark_merged(struct night_policy *p, const struct table *t, size_t input, const struct manifest_pending *w,
                       const struct table *of_base, struct err *err) {
    memset(merged_at(p, t, input, 0, 0), true, (size_t)t->n_families * t->partitioning.count);
    for (size_t i = 0; i < w->n; i++) {
        int family = table_family(t, bytes_str(of_base->families[w->partitions[i].family].name));
        if (family < 0) return err_set(err, ERR_INTERNAL, "the table lacks a family of the base");
        *merged_at(p, t, input, (uint32_t)family, w->partitions[i].partition) = false;
    }
    return 0;
}

bool night_input_missing(const char *path, struct err *err) {
    if (!strcmp(path, "-") || remote_scheme(path) || !access(path, F_OK)) return false;
    err_sys(err, ERR_INPUT, errno, "%s", path);
    return true;
}

/* Input number i, if there is one, is not what the base waits for. */
static int not_it(const struct environment *env, const struct manifest_pending *w, size_t i, size_t n, struct err *err) {
    const char *base = compact_options(&env->o)->base, *input = i < n ? env->o.inputs[i] : NULL;
    unsigned long long cells = w->tally.cells, files = w->files;
    if (input && night_input_missing(input, err)) return -1;
    const int same = input ? fs_same(input, w->path, err) : 0;
    if (same < 0) return -1;
    if (same)
        return err_set(err, ERR_USAGE,
                       "%s is not what it was when %s was made (%llu cells in %llu files); restore it, or import the same "
                       "delivery again",
                       input, base, cells, files);
    return err_set(err, ERR_USAGE,
                   "%s waits for cells of %s (%llu cells in %llu files); give that dataset as input %zu, before new inputs", base,
                   w->path, cells, files, i);
}

/* Two inputs of one path would wait as one. */
static int refuse_twice(const struct environment *env, size_t n, struct err *err) {
    for (size_t i = 2; i < n; i++)
        for (size_t k = 1; k < i; k++) {
            const int same = fs_same(env->o.inputs[i], env->o.inputs[k], err);
            if (same < 0) return -1;
            if (same)
                return err_set(err, ERR_USAGE, "%s is given twice, and --policy ratio may have to wait for it; give it once",
                               env->o.inputs[i]);
        }
    return 0;
}

int night_policy_match(struct night_policy *p, const struct environment *env, const struct target *target,
                       const struct manifest *inputs, size_t n, struct err *err) {
    const struct manifest *base = &inputs[0];
    const struct table *t = &target->table;
    if (p->by_ratio && refuse_twice(env, n, err)) return -1;
    if (!base->n_pending) return 0;
    p->merged = calloc(n * t->n_families * t->partitioning.count + 1, sizeof *p->merged);
    if (!p->merged) return err_nomem(err, n * t->n_families * t->partitioning.count, "the inputs already merged");
    for (size_t k = 0; k < base->n_pending; k++) {
        const struct manifest_pending *w = &base->pending[k];
        if (k + 1 >= n || !is_it(w, &inputs[k + 1])) return not_it(env, w, k + 1, n, err);
        if (mark_merged(p, t, k + 1, w, &base->table, err)) return -1;
    }
    return 0;
}

static bool was_read(const struct manifest *base, const struct tally *t) {
    for (size_t i = 0; i < base->n_inputs; i++)
        if (base->inputs[i].tally.cells == t->cells && digest_eq(base->inputs[i].tally.digest, t->digest)) return true;
    return false;
}

void night_policy_warn(struct environment *env, const struct manifest *inputs, size_t n) {
    for (size_t i = 1 + inputs[0].n_pending; i < n; i++) {
        size_t k = 0;
        while (k < inputs[i].n_files && was_read(&inputs[0], &inputs[i].files[k].tally)) k++;
        if (k && k == inputs[i].n_files)
            report_warn(&env->reporter, WARN_MERGED_BEFORE, 1,
                        "%s is already merged into %s: the run that made it read the same cells", env->o.inputs[i],
                        compact_options(&env->o)->base);
    }
}

int64_t night_clock(const struct environment *env, const struct manifest *inputs, size_t i) {
    int64_t waits = i && i <= inputs[0].n_pending ? inputs[0].pending[i - 1].now_ms : 0;
    return waits ? waits : env->job.now_ms;
}

/* ---- what is left ---- */

/* Lists the partitions of one input that were left. Files come by family, in the input's own order, and partition, several of
 * one partition in turn. */
static int leave_input(struct night_policy *p, const struct target *target, const struct manifest *m, size_t input,
                       const struct base_outcomes *outcomes, struct manifest_pending *w, struct err *err) {
    for (size_t i = 0; i < m->n_files; i++) {
        const struct manifest_file *f = &m->files[i];
        struct base_outcome key = {.partition = f->partition};
        if (i && f->family == f[-1].family && f->partition == f[-1].partition) continue;
        key.family = (uint32_t)table_family(&target->table, bytes_str(m->table.families[f->family].name));
        const struct base_outcome *at =
            outcomes->n ? bsearch(&key, outcomes->partitions, outcomes->n, sizeof key, base_outcome_order) : NULL;
        if (!at || !at->left || (p->merged && *merged_at(p, &target->table, input, key.family, key.partition))) continue;
        if (manifest_pending_add(w, (struct manifest_partition){key.family, key.partition}, err)) return -1;
    }
    if (w->n) qsort(w->partitions, w->n, sizeof *w->partitions, manifest_partition_cmp);
    return 0;
}

int night_policy_leave(struct night_policy *p, const struct environment *env, const struct target *target,
                       const struct manifest *inputs, size_t n, const struct base_outcomes *outcomes, struct err *err) {
    p->pending = calloc(n, sizeof *p->pending);
    if (!p->pending) return err_nomem(err, n * sizeof *p->pending, "what is left");
    for (size_t i = 1; i < n; i++) {
        struct manifest_pending *w = &p->pending[p->n_pending];
        if (leave_input(p, target, &inputs[i], i, outcomes, w, err)) return -1;
        if (!w->n) continue;
        p->n_pending++;
        w->path = realpath(env->o.inputs[i], NULL);
        if (!w->path) return err_nomem(err, 0, "a path");
        w->files = inputs[i].n_files;
        w->now_ms = night_clock(env, inputs, i);
        w->tally = *ledger_written(&inputs[i].ledger);
    }
    return 0;
}

void night_policy_free(struct night_policy *p) {
    manifest_pending_free(p->pending, p->n_pending);
    free(p->merged);
}
