/* Finds out which run wrote what another has read. The inputs of a run are put together to datasets and sources; each dataset is
 * traced to the run whose files have the same cells and digests: names only choose among several that match. From these links
 * follows how deep a run is in its chain. */
#include "dataset/account.h"

#include "base/buf.h"
#include "dataset/account_links.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- inputs of a run, put together ---- */

/* The length of the directory in front of family/p00017-000.hfile, or of a pack. 0: the path is not a dataset's file. */
static size_t dataset_part(const char *path) {
    const char *name = strrchr(path, '/');
    int end = 0;
    if (!name || name == path) return 0;
    const bool is_file = sscanf(name, "/p%*5[0-9]-%*9[0-9].hfile%n", &end) >= 0 && end && !name[end];
    if (!is_file && (sscanf(name, "/w%*5[0-9].pack%n", &end) < 0 || !end || name[end])) return 0;
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

/* Returns whether the entry continues the dataset before it. If the first file appears again, the same dataset was given
 * twice. */
static bool goes_on_with(const struct account_run *r, const struct account_input *in, const char *path, size_t directory) {
    return in->edge == ACCOUNT_UNKNOWN && strlen(in->name) == directory && !strncmp(in->name, path, directory) &&
           strcmp(r->m->inputs[in->first].path, path) != 0;
}

int account_group_inputs(struct account_run *r, struct err *err) {
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

int account_tally_order(const void *pa, const void *pb) {
    const struct tally *a = pa, *b = pb;
    if (a->cells != b->cells) return a->cells < b->cells ? -1 : 1;
    if (a->digest.hi != b->digest.hi) return a->digest.hi < b->digest.hi ? -1 : 1;
    return (a->digest.lo > b->digest.lo) - (a->digest.lo < b->digest.lo);
}

size_t account_files_of(const struct manifest *m) {
    return m->n_packs ? m->n_packs : m->n_files;
}

int account_tallies_of_files(const struct manifest *m, struct account_tallies *t, struct err *err) {
    t->n = account_files_of(m);
    t->all = calloc(t->n + 1, sizeof *t->all);
    if (!t->all) return err_nomem(err, t->n * sizeof *t->all, "the account");
    for (size_t i = 0; i < t->n; i++) t->all[i] = m->n_packs ? m->packs[i].tally : m->files[i].tally;
    qsort(t->all, t->n, sizeof *t->all, account_tally_order);
    return 0;
}

int account_tallies_of_input(const struct account_run *r, const struct account_input *in, struct account_tallies *t,
                             struct err *err) {
    t->n = 0;
    t->all = calloc(in->files + 1, sizeof *t->all);
    if (!t->all) return err_nomem(err, in->files * sizeof *t->all, "the account");
    for (size_t i = 0; i < in->files; i++)
        if (!is_waiting(in, &r->m->inputs[in->first + i])) t->all[t->n++] = r->m->inputs[in->first + i].tally;
    qsort(t->all, t->n, sizeof *t->all, account_tally_order);
    return 0;
}

size_t account_tallies_common(const struct account_tallies *a, const struct account_tallies *b) {
    size_t i = 0, k = 0, n = 0;
    while (i < a->n && k < b->n) {
        int c = account_tally_order(&a->all[i], &b->all[k]);
        n += c == 0;
        i += c <= 0;
        k += c >= 0;
    }
    return n;
}

/* Returns how well a run fits as the writer of an input; more is better, 0 = not at all. */
static uint64_t fit(const struct account_run *writer, const struct account_tallies *wrote, const struct account_input *in,
                    const struct account_tallies *read, size_t *shared) {
    bool named = writer->directory && !strcmp(writer->directory, in->name);
    *shared = account_tallies_common(wrote, read);
    bool whole = *shared == wrote->n && *shared == read->n;
    if (!*shared && !named) return 0;
    return (whole ? UINT64_C(1) << 62 : 0) + ((uint64_t)*shared << 1) + named;
}

static int find_writer(struct account *a, size_t reader, struct account_input *in, const struct account_tallies *wrote,
                       struct err *err) {
    struct account_tallies read = {0};
    uint64_t best = 0;
    if (account_tallies_of_input(&a->runs[reader], in, &read, err)) return -1;
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

int account_find_writers(struct account *a, struct err *err) {
    struct account_tallies *wrote = calloc(a->n + 1, sizeof *wrote);
    int rc = wrote ? 0 : err_nomem(err, a->n * sizeof *wrote, "the account");
    for (size_t i = 0; !rc && i < a->n; i++) rc = account_tallies_of_files(a->runs[i].m, &wrote[i], err);
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
bool account_set_depths(struct account *a) {
    count_readers(a);
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
