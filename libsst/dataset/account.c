/* Adds up the manifests of several runs: what went in, what each run dropped and why, and what the last dataset holds. Cells of a
 * dataset that a later run took in count once; digests must agree along each chain, or the account names the run that breaks. */
#include "dataset/account.h"

#include "base/buf.h"
#include "dataset/account_links.h"

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

/* ---- what is wrong ---- */

static int check_ledger(struct account *a, size_t i, struct err *err) {
    const struct manifest *m = a->runs[i].m;
    struct err why = {0};
    struct tally read = {0}, wrote = {0};
    uint64_t records = 0;
    for (size_t k = 0; k < m->n_inputs; k++) {
        tally_add(&read, m->inputs[k].tally);
        records += m->inputs[k].records;
    }
    for (size_t k = 0; k < m->n_packs; k++) tally_add(&wrote, m->packs[k].tally);
    for (size_t k = 0; !m->n_packs && k < m->n_files; k++) tally_add(&wrote, m->files[k].tally);
    if (!m->sealed && complain(a, i, -1, err, "the manifest has been changed since it was written")) return -1;
    if (ledger_check(&m->ledger, &why) && complain(a, i, -1, err, "%s", why.text)) return -1;
    const struct ledger *all = m->share.of ? &m->share.whole : &m->ledger; /* its inputs are those of all shares */
    if (!same_tally(&read, &all->in) || records != all->records_read)
        if (complain(a, i, -1, err,
                     "its inputs sum up to %" PRIu64 " cells of %" PRIu64 " records, its ledger has %" PRIu64 " of %" PRIu64,
                     read.cells, records, all->in.cells, all->records_read))
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

enum { CELLS_TEXT_BYTES = 32 };

/* "1 cell", "2 cells". */
static const char *cells_text(uint64_t n, char out[CELLS_TEXT_BYTES]) {
    snprintf(out, CELLS_TEXT_BYTES, "%" PRIu64 " cell%s", n, n == 1 ? "" : "s");
    return out;
}

static int check_edge(struct account *a, size_t i, size_t k, struct err *err) {
    char cells[CELLS_TEXT_BYTES];
    const struct account_input *in = &a->runs[i].inputs[k];
    const char *from = in->from == ACCOUNT_NOBODY ? "" : a->runs[in->from].name;
    switch (in->edge) {
    case ACCOUNT_SOURCE:
    case ACCOUNT_SHARED:
    case ACCOUNT_COMPLETE: return 0;
    case ACCOUNT_PARTLY:
        return complain(a, i, (int)k, err,
                        "%s was read, but %zu of the %zu files of %s were not, and %zu file%s that it does not list "
                        "%s read",
                        in->name, in->not_read, account_files_of(a->runs[in->from].m), from, in->not_listed,
                        in->not_listed == 1 ? "" : "s", in->not_listed == 1 ? "was" : "were");
    case ACCOUNT_STALE:
        return complain(a, i, (int)k, err, "%s is another dataset now: its manifest has %s, the run read %" PRIu64, from,
                        cells_text(ledger_written(&a->runs[in->from].m->ledger)->cells, cells), in->tally.cells);
    case ACCOUNT_UNKNOWN:
        return complain(a, i, (int)k, err, "the manifest of %s was not given: %s came from there", in->name,
                        cells_text(in->tally.cells, cells));
    case ACCOUNT_TWICE:
        return complain(a, i, (int)k, err, "%s is given twice: %s came in again", in->name, cells_text(in->tally.cells, cells));
    }
    return 0;
}

/* Finds datasets that one run has read twice. */
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
    char cells[CELLS_TEXT_BYTES];
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; ways[i] && k < a->runs[i].n_inputs; k++) {
            struct account_input *y = &a->runs[i].inputs[k];
            for (size_t j = 0; j < i && y->edge == ACCOUNT_SOURCE && y->tally.cells; j++)
                for (size_t l = 0; ways[j] && y->edge == ACCOUNT_SOURCE && l < a->runs[j].n_inputs; l++) {
                    const struct account_input *x = &a->runs[j].inputs[l];
                    if (x->from != ACCOUNT_NOBODY || !same_tally(&x->tally, &y->tally)) continue;
                    y->edge = ACCOUNT_TWICE;
                    if (complain(a, i, (int)k, err, "the same cells as %s in %s: %s came in again", x->name, a->runs[j].name,
                                 cells_text(y->tally.cells, cells)))
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
            if (ways[i] > 1 && account_files_of(a->runs[i].m))
                rc = complain(a, i, -1, err, "%s holds it twice: it arrives there in several ways", a->runs[last].name);
        if (!rc) rc = check_sources(a, ways, err);
    }
    free(ways);
    return rc;
}

/* ---- shards, and shares of partitions ---- */

/* number and of as the manifest has them; false: it is no part of this kind. */
static bool part_of(const struct manifest *m, bool shards, uint32_t *number, uint32_t *of) {
    *number = shards ? m->shard.number : m->share.number;
    *of = shards ? m->shard.of : m->share.of;
    return *of;
}

static bool same_set(const struct manifest *x, const struct manifest *y, bool shards) {
    uint32_t i, k, x_of, y_of;
    if (!part_of(x, shards, &i, &x_of) || !part_of(y, shards, &k, &y_of) || x_of != y_of) return false;
    if (!json_equal(x->settings, y->settings)) return false;
    return shards ? !strcmp(x->shard.listing, y->shard.listing) : same_tally(&x->share.whole.in, &y->share.whole.in);
}

/* Checks that all parts of one whole, shards or shares, were given. The first one of them asks. */
static int check_set(struct account *a, size_t first, bool shards, struct err *err) {
    const struct manifest *m = a->runs[first].m;
    uint32_t number, of, k;
    if (!part_of(m, shards, &number, &of)) return 0;
    for (size_t i = 0; i < first; i++)
        if (same_set(a->runs[i].m, m, shards)) return 0;
    bool *given = calloc(of, sizeof *given);
    if (!given) return err_nomem(err, of, "the account");
    for (size_t i = first; i < a->n; i++)
        if (same_set(a->runs[i].m, m, shards) && part_of(a->runs[i].m, shards, &k, &of)) given[k - 1] = true;
    int rc = 0;
    for (uint32_t n = 0; !rc && n < of; n++)
        if (!given[n]) rc = complain(a, first, -1, err, "%s %u of %u was not given", shards ? "shard" : "share", n + 1, of);
    free(given);
    return rc;
}

/* A run of the first step that no run read, although others were read: a shard that was left out. */
static int check_left_out(struct account *a, struct err *err) {
    char cells[CELLS_TEXT_BYTES];
    bool chain = false;
    for (size_t i = 0; i < a->n; i++) chain |= a->runs[i].goes_on;
    for (size_t i = 0; chain && i < a->n; i++)
        if (!a->runs[i].readers && !a->runs[i].goes_on && account_files_of(a->runs[i].m))
            if (complain(a, i, -1, err, "no other run has read its %s",
                         cells_text(ledger_written(&a->runs[i].m->ledger)->cells, cells)))
                return -1;
    return 0;
}

/* The run that wrote the base of a compaction, or ACCOUNT_NOBODY. The base is the first dataset that such a run reads. */
static int writer_of_base(const struct account_run *r) {
    bool has = r->n_inputs && json_object_get(r->m->settings, "base") && r->inputs[0].edge == ACCOUNT_COMPLETE;
    return has ? r->inputs[0].from : ACCOUNT_NOBODY;
}

/* Two runs onto one base, which both brought something in that the other lacks: an older base was put back between them. Nights
 * without a cell are left out: their results equal their base. */
static int check_bases(struct account *a, struct err *err) {
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < i; k++) {
            int base = writer_of_base(&a->runs[i]);
            if (base == ACCOUNT_NOBODY || writer_of_base(&a->runs[k]) != base) continue;
            size_t later = a->runs[i].m->now_ms < a->runs[k].m->now_ms ? k : i, earlier = later == i ? k : i;
            const struct tally *x = ledger_written(&a->runs[later].m->ledger), *y = ledger_written(&a->runs[earlier].m->ledger);
            const struct tally *was = ledger_written(&a->runs[base].m->ledger);
            if (same_tally(x, y) || same_tally(x, was) || same_tally(y, was)) continue;
            if (complain(a, later, 0, err,
                         "its base %s was also that of %s, and what came in there is missing here; if an older dataset was "
                         "put back, compact again onto the newest one",
                         a->runs[base].name, a->runs[earlier].name))
                return -1;
        }
    return 0;
}

static int check_given_twice(struct account *a, struct err *err) {
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < i; k++) {
            const struct manifest *x = a->runs[i].m, *y = a->runs[k].m;
            bool equal = x->n_inputs == y->n_inputs && account_files_of(x) == account_files_of(y) && x->now_ms == y->now_ms &&
                         same_tally(ledger_written(&x->ledger), ledger_written(&y->ledger)) &&
                         json_equal(x->settings, y->settings);
            for (size_t f = 0; equal && f < x->n_inputs; f++) equal = !strcmp(x->inputs[f].path, y->inputs[f].path);
            if (equal && account_files_of(x) && complain(a, i, -1, err, "the same manifest as %s, given twice", a->runs[k].name))
                return -1;
        }
    return 0;
}

static void sum_up(struct account *a) {
    for (size_t i = 0; i < a->n; i++) {
        const struct account_run *r = &a->runs[i];
        const struct manifest_share *share = &r->m->share;
        const bool of_join = share->of && !share->adds_up;
        /* All shares have the inputs of the whole, and those of a join its ledger: the first one counts for all. */
        const struct ledger *l = of_join && share->number == 1 ? &share->whole : &r->m->ledger;
        for (size_t k = 0; share->number <= 1 && k < r->n_inputs; k++) {
            if (r->inputs[k].from != ACCOUNT_NOBODY || r->inputs[k].edge == ACCOUNT_SHARED) continue;
            a->n_sources++;
            tally_add(&a->sources, r->inputs[k].tally);
        }
        tally_add(&a->rejected, l->rejected);
        tally_add(&a->not_selected, l->not_selected);
        for (int v = VERDICT_KEEP + 1; v < VERDICT_COUNT; v++) tally_add(&a->dropped[v], l->dropped[v]);
        if (!r->readers) tally_add(&a->results, *ledger_written(&r->m->ledger));
    }
}

static int append_tallies(struct account_tallies *to, const struct account_tallies *from, struct err *err) {
    if (grow_to(&to->all, to->n + from->n + 1, sizeof *to->all, "the account", err)) return -1;
    memcpy(to->all + to->n, from->all, from->n * sizeof *from->all);
    to->n += from->n;
    return 0;
}

/* Checks the files of a dataset that several runs have read, each some of them: together all, and each once. One run may have
 * read all, after others had to wait; of two that have read all, check_ways says more. */
static int check_shared(struct account *a, size_t w, struct err *err) {
    struct account_tallies wrote = {0}, read = {0}, one = {0};
    bool any = false, all = false;
    int rc = account_tallies_of_files(a->runs[w].m, &wrote, err);
    for (size_t i = 0; !rc && i < a->n; i++)
        for (size_t k = 0; !rc && k < a->runs[i].n_inputs; k++) {
            const struct account_input *in = &a->runs[i].inputs[k];
            bool shares = in->edge == ACCOUNT_SHARED, first_of_all = in->edge == ACCOUNT_COMPLETE && !all;
            if (in->from != (int)w || (!shares && !first_of_all)) continue;
            any |= shares;
            all |= first_of_all;
            rc = account_tallies_of_input(&a->runs[i], in, &one, err);
            if (!rc) rc = append_tallies(&read, &one, err);
            free(one.all);
            one.all = NULL;
        }
    if (!rc && any) {
        qsort(read.all, read.n, sizeof *read.all, account_tally_order);
        size_t shared = account_tallies_common(&wrote, &read);
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
        if (check_shared(a, i, err) || check_set(a, i, true, err) || check_set(a, i, false, err)) return -1;
    return check_ways(a, err) || check_bases(a, err) || check_left_out(a, err) ? -1 : 0;
}

int account_make(struct account_run *runs, size_t n, struct account *out, struct err *err) {
    *out = (struct account){.runs = runs, .n = n};
    for (size_t i = 0; i < n; i++)
        if (account_group_inputs(&runs[i], err)) return -1;
    if (account_find_writers(out, err)) return -1;
    for (size_t i = 0; i < n; i++) find_repeats(&runs[i]);
    if (!account_set_depths(out)) return complain(out, 0, -1, err, "runs read each other in a circle");
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
