/* Adds up the manifests of several runs: what went in, what each run dropped and why, and what the last dataset holds. Cells of a
 * dataset that a later run took in count once; digests must agree along each chain, or the account names the run that breaks. */
#include "dataset/account.h"

#include "base/buf.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *account_edge_name(enum account_edge e) {
    static const char *const names[] = {
        [ACCOUNT_SOURCE] = "source", [ACCOUNT_COMPLETE] = "complete", [ACCOUNT_SHARED] = "in several nights",
        [ACCOUNT_PARTLY] = "partly", [ACCOUNT_STALE] = "stale",       [ACCOUNT_UNKNOWN] = "unknown",
        [ACCOUNT_TWICE] = "twice"};
    return names[e];
}

__attribute__((format(printf, 5, 6))) static int complain(struct account *a, size_t run, int input, struct err *err,
                                                          const char *fmt, ...) {
    char *text = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n < 0) return err_nomem(err, 0, "the account");
    if (grow_array(&a->problems, a->n_problems, sizeof *a->problems, "the account", err)) {
        free(text);
        return -1;
    }
    a->problems[a->n_problems++] = (struct account_problem){run, input, text};
    return 0;
}

static bool same_tally(const struct tally *a, const struct tally *b) {
    return a->cells == b->cells && digest_eq(a->digest, b->digest);
}

/* ---- inputs of a run, put together ---- */

/* The length of the directory in front of family/p00017-000.hfile. 0: the path is not a dataset's file. */
static size_t dataset_part(const char *path) {
    const char *name = strrchr(path, '/');
    int end = 0;
    if (!name || name == path || sscanf(name, "/p%*5[0-9]-%*9[0-9].hfile%n", &end) < 0 || !end || name[end]) return 0;
    const char *family = memrchr(path, '/', (size_t)(name - path));
    return family && family != path ? (size_t)(family - path) : 0;
}

/* No file of a dataset is without cells: nothing was read of it, its partition was left, or had it already. */
static bool is_waiting(const struct account_input *in, const struct manifest_input *e) {
    return in->edge != ACCOUNT_SOURCE && !e->tally.cells;
}

static void add_entry(struct account_input *in, const struct manifest_input *e) {
    in->files++;
    in->waiting += is_waiting(in, e);
    in->bytes += e->file_bytes;
    in->records += e->records;
    tally_add(&in->tally, e->tally);
}

/* Does the entry continue the dataset before it? If the first file appears again, the same dataset was given twice. */
static bool goes_on_with(const struct account_run *r, const struct account_input *in, const char *path, size_t directory) {
    return in->edge == ACCOUNT_UNKNOWN && strlen(in->name) == directory && !strncmp(in->name, path, directory) &&
           strcmp(r->m->inputs[in->first].path, path) != 0;
}

static int group_inputs(struct account_run *r, struct err *err) {
    const struct manifest *m = r->m;
    r->n_inputs = 0;
    r->inputs = calloc(m->n_inputs + 1, sizeof *r->inputs);
    if (!r->inputs) return err_nomem(err, m->n_inputs * sizeof *r->inputs, "the account");
    for (size_t i = 0; i < m->n_inputs; i++) {
        const char *path = m->inputs[i].path;
        size_t directory = dataset_part(path);
        if (!directory || !r->n_inputs || !goes_on_with(r, &r->inputs[r->n_inputs - 1], path, directory)) {
            struct account_input *in = &r->inputs[r->n_inputs++];
            *in =
                (struct account_input){.edge = directory ? ACCOUNT_UNKNOWN : ACCOUNT_SOURCE, .from = ACCOUNT_NOBODY, .first = i};
            in->name = strndup(path, directory ? directory : strlen(path));
            if (!in->name) return err_nomem(err, 0, "the account");
        }
        add_entry(&r->inputs[r->n_inputs - 1], &m->inputs[i]);
    }
    return 0;
}

/* ---- who wrote what was read ---- */

static int tally_order(const void *pa, const void *pb) {
    const struct tally *a = pa, *b = pb;
    if (a->cells != b->cells) return a->cells < b->cells ? -1 : 1;
    if (a->digest.hi != b->digest.hi) return a->digest.hi < b->digest.hi ? -1 : 1;
    return (a->digest.lo > b->digest.lo) - (a->digest.lo < b->digest.lo);
}

struct tallies {
    struct tally *all; /* sorted */
    size_t n;
};

static int tallies_of_files(const struct manifest *m, struct tallies *t, struct err *err) {
    t->n = m->n_files;
    t->all = calloc(t->n + 1, sizeof *t->all);
    if (!t->all) return err_nomem(err, t->n * sizeof *t->all, "the account");
    for (size_t i = 0; i < t->n; i++) t->all[i] = m->files[i].tally;
    qsort(t->all, t->n, sizeof *t->all, tally_order);
    return 0;
}

static int tallies_of_input(const struct account_run *r, const struct account_input *in, struct tallies *t, struct err *err) {
    t->n = 0;
    t->all = calloc(in->files + 1, sizeof *t->all);
    if (!t->all) return err_nomem(err, in->files * sizeof *t->all, "the account");
    for (size_t i = 0; i < in->files; i++)
        if (!is_waiting(in, &r->m->inputs[in->first + i])) t->all[t->n++] = r->m->inputs[in->first + i].tally;
    qsort(t->all, t->n, sizeof *t->all, tally_order);
    return 0;
}

static size_t common(const struct tallies *a, const struct tallies *b) {
    size_t i = 0, k = 0, n = 0;
    while (i < a->n && k < b->n) {
        int c = tally_order(&a->all[i], &b->all[k]);
        n += c == 0;
        i += c <= 0;
        k += c >= 0;
    }
    return n;
}

/* How well a run fits as the writer of an input; more is better, 0 = not at all. */
static uint64_t fit(const struct account_run *writer, const struct tallies *wrote, const struct account_input *in,
                    const struct tallies *read, size_t *shared) {
    bool named = writer->directory && !strcmp(writer->directory, in->name);
    *shared = common(wrote, read);
    bool whole = *shared == wrote->n && *shared == read->n;
    if (!*shared && !named) return 0;
    return (whole ? UINT64_C(1) << 62 : 0) + ((uint64_t)*shared << 1) + named;
}

static int find_writer(struct account *a, size_t reader, struct account_input *in, const struct tallies *wrote, struct err *err) {
    struct tallies read = {0};
    uint64_t best = 0;
    if (tallies_of_input(&a->runs[reader], in, &read, err)) return -1;
    for (size_t w = 0; w < a->n; w++) {
        size_t shared;
        uint64_t f = w == reader ? 0 : fit(&a->runs[w], &wrote[w], in, &read, &shared);
        if (f <= best) continue;
        best = f;
        in->from = (int)w;
        in->not_read = wrote[w].n - shared;
        in->not_listed = read.n - shared;
        in->edge = !in->not_read && !in->not_listed                 ? ACCOUNT_COMPLETE
                   : in->waiting == in->not_read && !in->not_listed ? ACCOUNT_SHARED
                   : shared                                         ? ACCOUNT_PARTLY
                                                                    : ACCOUNT_STALE;
    }
    if (in->from == ACCOUNT_NOBODY && in->waiting == in->files)
        in->edge = ACCOUNT_SHARED; /* whichever run wrote the files: nothing was read */
    free(read.all);
    return 0;
}

static int find_writers(struct account *a, struct err *err) {
    struct tallies *wrote = calloc(a->n + 1, sizeof *wrote);
    int rc = wrote ? 0 : err_nomem(err, a->n * sizeof *wrote, "the account");
    for (size_t i = 0; !rc && i < a->n; i++) rc = tallies_of_files(a->runs[i].m, &wrote[i], err);
    for (size_t i = 0; !rc && i < a->n; i++)
        for (size_t k = 0; !rc && k < a->runs[i].n_inputs; k++)
            if (a->runs[i].inputs[k].edge == ACCOUNT_UNKNOWN) rc = find_writer(a, i, &a->runs[i].inputs[k], wrote, err);
    for (size_t i = 0; wrote && i < a->n; i++) free(wrote[i].all);
    free(wrote);
    return rc;
}

static void count_readers(struct account *a) {
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < a->runs[i].n_inputs; k++) {
            if (a->runs[i].inputs[k].from == ACCOUNT_NOBODY) continue;
            a->runs[a->runs[i].inputs[k].from].readers++;
            a->runs[i].goes_on = true;
        }
}

/* Depths stop changing after at most n rounds, unless there is a cycle, which no honest manifests contain. */
static bool set_depths(struct account *a) {
    for (size_t round = 0; round <= a->n; round++) {
        bool changed = false;
        for (size_t i = 0; i < a->n; i++)
            for (size_t k = 0; k < a->runs[i].n_inputs; k++) {
                int from = a->runs[i].inputs[k].from;
                if (from == ACCOUNT_NOBODY || a->runs[from].depth < a->runs[i].depth) continue;
                a->runs[i].depth = a->runs[from].depth + 1;
                changed = true;
            }
        if (!changed) return true;
    }
    return false;
}

/* ---- what is wrong ---- */

static int check_ledger(struct account *a, size_t i, struct err *err) {
    const struct manifest *m = a->runs[i].m;
    struct err why = {0};
    struct tally read = {0}, wrote = {0};
    uint64_t records = 0;
    for (size_t k = 0; k < m->n_inputs; k++) tally_add(&read, m->inputs[k].tally), records += m->inputs[k].records;
    for (size_t k = 0; k < m->n_files; k++) tally_add(&wrote, m->files[k].tally);
    if (!m->sealed && complain(a, i, -1, err, "the manifest has been changed since it was written")) return -1;
    if (ledger_check(&m->ledger, &why) && complain(a, i, -1, err, "%s", why.text)) return -1;
    if (!same_tally(&read, &m->ledger.in) || records != m->ledger.records_read)
        if (complain(a, i, -1, err,
                     "its inputs sum up to %" PRIu64 " cells of %" PRIu64 " records, its ledger has %" PRIu64 " of %" PRIu64,
                     read.cells, records, m->ledger.in.cells, m->ledger.records_read))
            return -1;
    if (!same_tally(&wrote, ledger_written(&m->ledger)))
        if (complain(a, i, -1, err, "its files sum up to %" PRIu64 " cells, its ledger has %" PRIu64 "%s", wrote.cells,
                     ledger_written(&m->ledger)->cells,
                     wrote.cells == ledger_written(&m->ledger)->cells ? ", of another digest" : ""))
            return -1;
    if (m->ledger.lost.places)
        return complain(a, i, -1, err, "%" PRIu64 " cells%s were lost to damage in its inputs", m->ledger.lost.cells,
                        m->ledger.lost.uncounted ? " and more" : "");
    return 0;
}

static int check_edge(struct account *a, size_t i, size_t k, struct err *err) {
    const struct account_input *in = &a->runs[i].inputs[k];
    const char *from = in->from == ACCOUNT_NOBODY ? "" : a->runs[in->from].name;
    switch (in->edge) {
    case ACCOUNT_SOURCE:
    case ACCOUNT_SHARED:
    case ACCOUNT_COMPLETE: return 0;
    case ACCOUNT_PARTLY:
        return complain(a, i, (int)k, err,
                        "%s was read, but %zu of the %zu files of %s were not, and %zu were that it does not list", in->name,
                        in->not_read, a->runs[in->from].m->n_files, from, in->not_listed);
    case ACCOUNT_STALE:
        return complain(a, i, (int)k, err, "%s is another dataset now: %" PRIu64 " cell(s) were read, its manifest has %" PRIu64,
                        from, in->tally.cells, ledger_written(&a->runs[in->from].m->ledger)->cells);
    case ACCOUNT_UNKNOWN:
        return complain(a, i, (int)k, err, "the manifest of %s was not given: %" PRIu64 " cell(s) come from there", in->name,
                        in->tally.cells);
    case ACCOUNT_TWICE:
        return complain(a, i, (int)k, err, "%s is given twice: %" PRIu64 " cell(s) come in again", in->name, in->tally.cells);
    }
    return 0;
}

/* The same dataset twice in one run. */
static void find_repeats(struct account_run *r) {
    for (size_t k = 0; k < r->n_inputs; k++)
        for (size_t j = 0; j < k; j++) {
            const struct account_input *x = &r->inputs[j];
            struct account_input *y = &r->inputs[k];
            bool known = x->from != ACCOUNT_NOBODY && x->from == y->from && x->edge != ACCOUNT_STALE;
            if (known ||
                (x->from == ACCOUNT_NOBODY && y->from == ACCOUNT_NOBODY && y->tally.cells && same_tally(&x->tally, &y->tally)))
                y->edge = ACCOUNT_TWICE;
        }
}

/* Counts the paths from each run to `last`, up to two. Visits runs in order of depth, deepest first. */
static void count_ways(const struct account *a, size_t last, unsigned char *ways) {
    memset(ways, 0, a->n);
    ways[last] = 1;
    for (size_t depth = a->runs[last].depth + 1; depth-- > 0;)
        for (size_t i = 0; i < a->n; i++)
            for (size_t k = 0; a->runs[i].depth == depth && ways[i] && k < a->runs[i].n_inputs; k++) {
                int from = a->runs[i].inputs[k].from;
                if (from == ACCOUNT_NOBODY || a->runs[i].inputs[k].edge == ACCOUNT_TWICE) continue; /* already reported */
                if (a->runs[i].inputs[k].edge == ACCOUNT_SHARED && ways[from]) continue;            /* see check_shared */
                ways[from] = ways[from] + ways[i] > 2 ? 2 : (unsigned char)(ways[from] + ways[i]);
            }
}

/* Sources of different runs that meet again: the same cells under whatever name. */
static int check_sources(struct account *a, const unsigned char *ways, struct err *err) {
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; ways[i] && k < a->runs[i].n_inputs; k++) {
            struct account_input *y = &a->runs[i].inputs[k];
            for (size_t j = 0; j < i && y->edge == ACCOUNT_SOURCE && y->tally.cells; j++)
                for (size_t l = 0; ways[j] && y->edge == ACCOUNT_SOURCE && l < a->runs[j].n_inputs; l++) {
                    const struct account_input *x = &a->runs[j].inputs[l];
                    if (x->from != ACCOUNT_NOBODY || !same_tally(&x->tally, &y->tally)) continue;
                    y->edge = ACCOUNT_TWICE;
                    if (complain(a, i, (int)k, err, "the same cells as %s in %s: %" PRIu64 " cell(s) come in again", x->name,
                                 a->runs[j].name, y->tally.cells))
                        return -1;
                }
        }
    return 0;
}

static int check_ways(struct account *a, struct err *err) {
    unsigned char *ways = malloc(a->n + 1);
    int rc = ways ? 0 : err_nomem(err, a->n, "the account");
    for (size_t last = 0; !rc && last < a->n; last++) {
        if (a->runs[last].readers) continue;
        count_ways(a, last, ways);
        for (size_t i = 0; !rc && i < a->n; i++)
            if (ways[i] > 1 && a->runs[i].m->n_files)
                rc = complain(a, i, -1, err, "%s holds it twice: it comes there on several ways", a->runs[last].name);
        if (!rc) rc = check_sources(a, ways, err);
    }
    free(ways);
    return rc;
}

/* A run of the first step that nobody read, where others were read: a shard that was left out. */
static int check_left_out(struct account *a, struct err *err) {
    bool chain = false;
    for (size_t i = 0; i < a->n; i++) chain |= a->runs[i].goes_on;
    for (size_t i = 0; chain && i < a->n; i++)
        if (!a->runs[i].readers && !a->runs[i].goes_on && a->runs[i].m->n_files)
            if (complain(a, i, -1, err, "no other run has read its %" PRIu64 " cell(s)",
                         ledger_written(&a->runs[i].m->ledger)->cells))
                return -1;
    return 0;
}

static int check_given_twice(struct account *a, struct err *err) {
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < i; k++) {
            const struct manifest *x = a->runs[i].m, *y = a->runs[k].m;
            bool equal = x->n_inputs == y->n_inputs && x->n_files == y->n_files && x->now_ms == y->now_ms &&
                         same_tally(ledger_written(&x->ledger), ledger_written(&y->ledger)) &&
                         json_equal(x->settings, y->settings);
            for (size_t f = 0; equal && f < x->n_inputs; f++) equal = !strcmp(x->inputs[f].path, y->inputs[f].path);
            if (equal && x->n_files && complain(a, i, -1, err, "the same manifest as %s, given twice", a->runs[k].name))
                return -1;
        }
    return 0;
}

static void sum_up(struct account *a) {
    for (size_t i = 0; i < a->n; i++) {
        const struct account_run *r = &a->runs[i];
        for (size_t k = 0; k < r->n_inputs; k++) {
            if (r->inputs[k].from != ACCOUNT_NOBODY || r->inputs[k].edge == ACCOUNT_SHARED) continue;
            a->n_sources++;
            tally_add(&a->sources, r->inputs[k].tally);
        }
        tally_add(&a->rejected, r->m->ledger.rejected);
        tally_add(&a->not_selected, r->m->ledger.not_selected);
        for (int v = VERDICT_KEEP + 1; v < VERDICT_COUNT; v++) tally_add(&a->dropped[v], r->m->ledger.dropped[v]);
        if (!r->readers) tally_add(&a->results, *ledger_written(&r->m->ledger));
    }
}

/* What several runs have read of one dataset, each some files of it: together all of them, and each once. */
static int check_shared(struct account *a, size_t w, struct err *err) {
    struct tallies wrote = {0}, read = {0}, one = {0};
    bool any = false;
    int rc = tallies_of_files(a->runs[w].m, &wrote, err);
    for (size_t i = 0; !rc && i < a->n; i++)
        for (size_t k = 0; !rc && k < a->runs[i].n_inputs; k++) {
            const struct account_input *in = &a->runs[i].inputs[k];
            if (in->from != (int)w || in->edge != ACCOUNT_SHARED) continue;
            any = true;
            rc = tallies_of_input(&a->runs[i], in, &one, err);
            struct tally *all = rc ? NULL : realloc(read.all, (read.n + one.n + 1) * sizeof *all);
            if (!rc && !all) rc = err_nomem(err, 0, "the account");
            if (!rc) memcpy((read.all = all) + read.n, one.all, one.n * sizeof *all), read.n += one.n;
            free(one.all);
            one.all = NULL;
        }
    if (!rc && any) {
        qsort(read.all, read.n, sizeof *read.all, tally_order);
        size_t shared = common(&wrote, &read);
        if (shared < wrote.n) rc = complain(a, w, -1, err, "%zu of its %zu files wait to be merged", wrote.n - shared, wrote.n);
        if (!rc && shared < read.n) rc = complain(a, w, -1, err, "%zu of its files were merged twice", read.n - shared);
    }
    free(wrote.all);
    free(read.all);
    return rc;
}

static int check_all(struct account *a, struct err *err) {
    if (check_given_twice(a, err)) return -1;
    for (size_t i = 0; i < a->n; i++) {
        if (check_ledger(a, i, err)) return -1;
        for (size_t k = 0; k < a->runs[i].n_inputs; k++)
            if (check_edge(a, i, k, err)) return -1;
    }
    for (size_t i = 0; i < a->n; i++)
        if (check_shared(a, i, err)) return -1;
    return check_ways(a, err) || check_left_out(a, err) ? -1 : 0;
}

int account_make(struct account_run *runs, size_t n, struct account *out, struct err *err) {
    *out = (struct account){.runs = runs, .n = n};
    for (size_t i = 0; i < n; i++)
        if (group_inputs(&runs[i], err)) return -1;
    if (find_writers(out, err)) return -1;
    for (size_t i = 0; i < n; i++) find_repeats(&runs[i]);
    count_readers(out);
    if (!set_depths(out)) return complain(out, 0, -1, err, "runs read each other in a circle");
    sum_up(out);
    return check_all(out, err);
}

void account_free(struct account *a) {
    for (size_t i = 0; i < a->n; i++) {
        for (size_t k = 0; k < a->runs[i].n_inputs; k++) free(a->runs[i].inputs[k].name);
        free(a->runs[i].inputs);
    }
    for (size_t i = 0; i < a->n_problems; i++) free(a->problems[i].text);
    free(a->problems);
    *a = (struct account){0};
}
