/* Checks what a manifest says of the nightly run it was made in (docs/compaction.md): which files are reused from the base,
 * and for which cells of which deltas the dataset waits. Compares it with its own inputs only, because base and deltas may be
 * gone. */
#include "cmd/verify/check/check.h"

#include "base/fs.h"

#include <stdlib.h>
#include <string.h>

struct input_place {
    uint32_t family, partition; /* of the manifest's table; family UINT32_MAX: the input is no file of a dataset */
};

struct night {
    const char *name;
    const struct manifest *m;
    struct check_findings *findings;
    const struct manifest_input **by_digest;
    struct input_place *places; /* of the inputs */
};

/* …/family/p00017-000.hfile */
static struct input_place place_of(const struct table *t, const struct manifest_input *in) {
    struct input_place none = {.family = UINT32_MAX};
    const char *file = strrchr(in->path, '/');
    if (strcmp(in->format, "dataset") || !file || file == in->path || file[1] != 'p') return none;
    const char *family = memrchr(in->path, '/', (size_t)(file - in->path));
    char *end;
    unsigned long partition = strtoul(file + 2, &end, 10);
    int at = family ? table_family(t, bytes_of(family + 1, (size_t)(file - family - 1))) : -1;
    return at < 0 || *end != '-' ? none : (struct input_place){(uint32_t)at, (uint32_t)partition};
}

/* ---- reused files ---- */

static int digest_cmp(struct digest a, struct digest b) {
    if (a.hi != b.hi) return a.hi < b.hi ? -1 : 1;
    return (a.lo > b.lo) - (a.lo < b.lo);
}

static int by_digest(const void *pa, const void *pb) {
    const struct manifest_input *const *a = pa, *const *b = pb;
    return digest_cmp((*a)->tally.digest, (*b)->tally.digest);
}

static bool is_input(const struct night *k, const struct manifest_file *f) {
    size_t lo = 0, hi = k->m->n_inputs;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (digest_cmp(k->by_digest[mid]->tally.digest, f->tally.digest) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < k->m->n_inputs && digest_eq(k->by_digest[lo]->tally.digest, f->tally.digest); lo++) {
        const struct manifest_input *in = k->by_digest[lo];
        const struct input_place *at = &k->places[in - k->m->inputs];
        if (in->tally.cells == f->tally.cells && in->file_bytes == f->file_bytes && at->family == f->family &&
            at->partition == f->partition)
            return true;
    }
    return false;
}

static void check_taken(const struct night *k) {
    bool has_base = json_object_get(k->m->settings, "base") != NULL;
    for (size_t i = 0; i < k->m->n_files; i++) {
        const struct manifest_file *f = &k->m->files[i];
        if (!f->taken) continue;
        if (!has_base)
            check_findings_add(k->findings, FINDING_METADATA, k->name, "%s is listed as reused, but the run had no base",
                               f->path);
        else if (!is_input(k, f))
            check_findings_add(k->findings, FINDING_METADATA, k->name,
                               "%s is listed as reused, but no input in its partition has its size, cells and digest", f->path);
    }
}

/* ---- cells that wait ---- */

static bool is_of(const struct manifest_input *in, const char *dataset) {
    size_t n = strlen(dataset);
    return !strncmp(in->path, dataset, n) && in->path[n] == '/';
}

static const struct manifest_partition *waits(const struct night *k, const struct manifest_pending *w, size_t input) {
    const struct manifest_partition key = {k->places[input].family, k->places[input].partition};
    return w->n ? bsearch(&key, w->partitions, w->n, sizeof key, manifest_partition_cmp) : NULL;
}

/* Partitions that it waits for rise, none is said twice, and the delta has a file in each (found). */
static void check_waiting(const struct night *k, const struct manifest_pending *w, const bool *found) {
    for (size_t i = 0; i < w->n; i++) {
        const struct manifest_partition *s = &w->partitions[i];
        if (i && manifest_partition_cmp(s - 1, s) >= 0)
            check_findings_add(k->findings, FINDING_METADATA, k->name, "waits for %s: its partitions do not rise", w->path);
        else if (!found[i])
            check_findings_add(k->findings, FINDING_METADATA, k->name,
                               "waits for cells of %s in partition %u of %s, where it has no file", w->path, s->partition,
                               k->m->table.families[s->family].name);
    }
}

static int check_delta(const struct night *k, const struct manifest_pending *w, struct err *err) {
    uint64_t files = 0, read = 0, waiting = 0;
    bool *found = calloc(w->n + 1, sizeof *found);
    if (!found) return err_nomem(err, w->n, "what a dataset waits for");
    for (size_t i = 0; i < k->m->n_inputs; i++) {
        const struct manifest_input *in = &k->m->inputs[i];
        const struct manifest_partition *s = is_of(in, w->path) ? waits(k, w, i) : NULL;
        files += is_of(in, w->path);
        read += is_of(in, w->path) ? in->tally.cells : 0;
        if (!s) continue;
        found[s - w->partitions] = true;
        waiting++;
        if (in->tally.cells)
            check_findings_add(k->findings, FINDING_COUNT, k->name,
                               "waits for the cells of %s, and %llu of them were merged already", in->path,
                               (unsigned long long)in->tally.cells);
    }
    if (files != w->files)
        check_findings_add(k->findings, FINDING_METADATA, k->name, "waits for %s with %llu files, its inputs name %llu of them",
                           w->path, (unsigned long long)w->files, (unsigned long long)files);
    if (!waiting || read + waiting > w->tally.cells) /* a file has a cell at least */
        check_findings_add(k->findings, FINDING_COUNT, k->name,
                           "waits for %s with %llu cells: %llu were read, and %llu of its files are to be", w->path,
                           (unsigned long long)w->tally.cells, (unsigned long long)read, (unsigned long long)waiting);
    check_waiting(k, w, found);
    free(found);
    return 0;
}

/* A file of a dataset has a cell at least: where none was read, an earlier night has merged them, or a later one has to. */
static void check_unread(const struct night *k) {
    for (size_t i = 0; i < k->m->n_inputs; i++) {
        const struct manifest_input *in = &k->m->inputs[i];
        bool known = in->earlier;
        if (strcmp(in->format, "dataset") || in->tally.cells) continue;
        for (size_t n = 0; !known && n < k->m->n_pending; n++)
            known = is_of(in, k->m->pending[n].path) && waits(k, &k->m->pending[n], i);
        if (!known)
            check_findings_add(k->findings, FINDING_COUNT, k->name,
                               "nothing was read of %s, and the dataset does not wait for it: its cells are missing", in->path);
    }
}

static int check_all(const struct night *k, struct err *err) {
    const struct manifest *m = k->m;
    if (!k->by_digest || !k->places || !k->name) return err_nomem(err, m->n_inputs * sizeof *k->places, "the list of inputs");
    for (size_t i = 0; i < m->n_inputs; i++) {
        k->by_digest[i] = &m->inputs[i];
        k->places[i] = place_of(&m->table, &m->inputs[i]);
    }
    qsort(k->by_digest, m->n_inputs, sizeof *k->by_digest, by_digest);
    check_taken(k);
    for (size_t i = 0; i < m->n_pending; i++)
        if (check_delta(k, &m->pending[i], err)) return -1;
    check_unread(k);
    return 0;
}

int check_night(const char *dir, const struct manifest *m, struct check_findings *findings, struct err *err) {
    char *name = fs_join(dir, "MANIFEST.json", err);
    struct night k = {.name = name, .m = m, .findings = findings};
    k.by_digest = calloc(m->n_inputs + 1, sizeof *k.by_digest);
    k.places = calloc(m->n_inputs + 1, sizeof *k.places);
    int rc = check_all(&k, err);
    free(k.by_digest);
    free(k.places);
    free(name);
    return rc;
}
