/* Datasets for callers: the manifest as plain fields, and scans along its files. Files of one family and partition ascend and
 * do not overlap, so a scan of them is a chain: one file open at a time, the next where it ends.
 *
 *   family 0: p00000-000 -> p00000-001 | p00001-000 | …     a chain each; the whole dataset is the chain of them all
 *
 * Relies on the manifest's files being sorted by family, partition and number. */
#include "api/api.h"
#include "api/api_file.h"

#include "api/api_scan.h"
#include "base/fs.h"
#include "base/json.h"
#include "dataset/dataset_open.h"
#include "dataset/manifest.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_scan.h"
#include "sst/dataset.h"
#include "table/placement.h"

#include <errno.h>
#include <stdlib.h>

static const char manifest_name[] = "MANIFEST.json";
enum { MANIFEST_MOST_BYTES = 1 << 30 };

struct sst_dataset {
    struct manifest manifest;
    sst_partitioning partitioning; /* its own copy, so that it is one like any other */
    sst_dataset_info info;
    sst_dataset_file *files;
    sst_dataset_ops ops; /* open NULL: it lies in a directory */
    void *context;
};

/* ---- opening ---- */

static int list_files(sst_dataset *d, const char *directory, struct err *err) {
    const struct manifest *m = &d->manifest;
    d->files = calloc(m->n_files + 1, sizeof *d->files);
    if (!d->files) return err_nomem(err, (m->n_files + 1) * sizeof *d->files, "the list of files");
    for (size_t i = 0; i < m->n_files; i++) {
        const struct manifest_file *f = &m->files[i];
        char *path = fs_join(directory, f->path, err);
        if (!path) return -1;
        d->files[i] = (sst_dataset_file){.size = sizeof d->files[i],
                                         .path = path,
                                         .family = f->family,
                                         .partition = f->partition,
                                         .number = f->number,
                                         .file_bytes = f->file_bytes,
                                         .key_value_bytes = f->kv_bytes,
                                         .cells = f->tally.cells,
                                         .digest = {f->tally.digest.lo, f->tally.digest.hi},
                                         .first_row = api_bytes(buf_bytes(&f->first_row)),
                                         .last_row = api_bytes(buf_bytes(&f->last_row)),
                                         .time_min = f->ts_min,
                                         .time_max = f->ts_max};
        d->info.file_bytes += f->file_bytes;
        d->info.key_value_bytes += f->kv_bytes;
        d->info.cells += f->tally.cells;
        sst_digest_add(&d->info.digest, &d->files[i].digest);
    }
    return 0;
}

static void fill_info(sst_dataset *d) {
    const struct manifest *m = &d->manifest;
    d->info.size = sizeof d->info;
    d->info.tool = m->tool;
    d->info.table = m->table.name;
    d->info.rules = m->rules;
    d->info.now = m->now_ms;
    d->info.families = m->table.n_families;
    d->info.partitions = m->table.partitioning.count;
    d->info.files = m->n_files;
}

static sst_dataset *dataset_new(struct err *err) {
    sst_dataset *d = calloc(1, sizeof *d);
    json_memory_forgive();
    if (!d) err_nomem(err, sizeof *d, "a dataset");
    return d;
}

/* rc: whether the manifest was read. */
static sst_dataset *prepared(sst_dataset *d, int rc, const char *name, struct err *err) {
    if (!rc) fill_info(d);
    if (!rc && !partitioning_copy(&d->manifest.table.partitioning, &d->partitioning.table.partitioning, err) &&
        !api_partitioning_prepare(&d->partitioning, err) && !list_files(d, name, err))
        return d;
    sst_dataset_close(d);
    return NULL;
}

sst_dataset *sst_dataset_open(const char *directory, sst_error *error) {
    struct err *err = api_begin(error);
    sst_dataset *d = dataset_new(err);
    return d ? prepared(d, dataset_open(directory, &d->manifest, err), directory, err) : NULL;
}

/* All of a file. */
static int read_whole(const sst_read_ops *ops, void *file, const char *name, struct buf *out, struct err *err) {
    errno = 0;
    const int64_t size = ops->file_size ? ops->file_size(file) : -1;
    if (size < 0 || !ops->pread) return err_sys(err, ERR_INPUT, errno ? errno : EIO, "%s: cannot determine its size", name);
    if (size > MANIFEST_MOST_BYTES) return err_set(err, ERR_LIMIT, "%s: %lld bytes are too many", name, (long long)size);
    if (buf_reserve(out, (size_t)size + 1, err)) return -1;
    while (out->n < (size_t)size) {
        errno = 0;
        const int64_t got = ops->pread(file, out->p + out->n, (size_t)size - out->n, out->n);
        if (got <= 0 || got > size - (int64_t)out->n)
            return err_sys(err, ERR_INPUT, errno ? errno : EIO, "%s: cannot read at %zu of %lld", name, out->n, (long long)size);
        out->n += (size_t)got;
    }
    return 0;
}

static int call_open(const sst_dataset *d, const char *path, const char *name, sst_read_ops *ops, void **file, struct err *err) {
    *ops = (sst_read_ops){.size = sizeof *ops};
    errno = 0;
    if (!d->ops.open(d->context, name, ops, file)) return 0;
    return err_sys(err, ERR_INPUT, errno ? errno : EIO, "%s: cannot open", path);
}

static int read_manifest(sst_dataset *d, const char *name, struct err *err) {
    sst_read_ops ops;
    void *file = NULL;
    struct buf text = {0};
    if (!d->ops.open) return err_set(err, ERR_USAGE, "sst_dataset_ops: open is needed");
    if (call_open(d, name, manifest_name, &ops, &file, err)) return -1;
    int rc = read_whole(&ops, file, name, &text, err);
    if (ops.close) ops.close(file);
    if (!rc) rc = dataset_of_text(name, (const char *)text.p, text.n, &d->manifest, err);
    buf_free(&text);
    return rc;
}

sst_dataset *sst_dataset_open_callbacks(const sst_dataset_ops *ops, void *context, const char *name, sst_error *error) {
    struct err *err = api_begin(error);
    sst_dataset *d = dataset_new(err);
    if (!d) {
        if (ops && ops->close) ops->close(context);
        return NULL;
    }
    d->context = context;
    int rc = api_options(&d->ops, sizeof d->ops, ops, "sst_dataset_ops", err);
    return prepared(d, rc ? rc : read_manifest(d, name, err), name, err);
}

void sst_dataset_close(sst_dataset *dataset) {
    if (!dataset) return;
    for (size_t i = 0; dataset->files && i < dataset->manifest.n_files; i++) free((char *)dataset->files[i].path);
    free(dataset->files);
    placement_free(dataset->partitioning.placement);
    table_free(&dataset->partitioning.table);
    buf_free(&dataset->partitioning.text);
    manifest_free(&dataset->manifest);
    if (dataset->ops.close) dataset->ops.close(dataset->context);
    free(dataset);
}

/* ---- what it holds ---- */

const sst_dataset_info *sst_dataset_get_info(const sst_dataset *dataset) {
    return &dataset->info;
}

const char *sst_dataset_family(const sst_dataset *dataset, uint32_t index) {
    return index < dataset->info.families ? dataset->manifest.table.families[index].name : NULL;
}

const sst_partitioning *sst_dataset_partitioning(const sst_dataset *dataset) {
    return &dataset->partitioning;
}

const sst_dataset_file *sst_dataset_get_file(const sst_dataset *dataset, size_t index) {
    return index < dataset->info.files ? &dataset->files[index] : NULL;
}

static struct hfile *open_hfile(const sst_dataset *d, const sst_dataset_file *f, size_t max_block_bytes, struct err *err) {
    sst_read_ops ops;
    void *file = NULL;
    if (!d->ops.open) return hfile_open(f->path, max_block_bytes, err);
    if (call_open(d, f->path, d->manifest.files[f - d->files].path, &ops, &file, err)) return NULL;
    return api_open_hfile(&ops, file, f->path, max_block_bytes, err);
}

sst_file *sst_dataset_open_file(const sst_dataset *dataset, size_t index, const sst_file_options *options, sst_error *error) {
    struct err *err = api_begin(error);
    sst_file_options o;
    if (api_options(&o, sizeof o, options, "sst_file_options", err)) return NULL;
    if (index < dataset->info.files) return api_file_of(open_hfile(dataset, &dataset->files[index], o.max_block_bytes, err), err);
    err_set(err, ERR_USAGE, "the dataset has %zu files: there is no file %zu", dataset->info.files, index);
    return NULL;
}

static bool comes_before(const sst_dataset_file *f, uint32_t family, uint32_t partition) {
    return f->family != family ? f->family < family : f->partition < partition;
}

void sst_dataset_files_of(const sst_dataset *dataset, uint32_t family, uint32_t partition, size_t *first, size_t *n) {
    size_t lo = 0, hi = dataset->info.files;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (comes_before(&dataset->files[mid], family, partition))
            lo = mid + 1;
        else
            hi = mid;
    }
    *first = lo;
    while (hi < dataset->info.files && dataset->files[hi].family == family && dataset->files[hi].partition == partition) hi++;
    *n = hi - lo;
}

/* ---- a chain of files ---- */

struct chain_source {
    struct source base;
    const sst_dataset *dataset;
    const sst_dataset_file *next, *end;
    struct hfile *hfile;
    struct source *scan;
    struct bytes start, stop; /* borrowed from the public scan, start copied below */
    struct buf start_copy, last_row;
    const sst_dataset_file *before; /* in which last_row is; NULL: none */
    bool fresh;                     /* the next part is the first of its file */
    uint32_t input;
};

static void close_file(struct chain_source *c) {
    source_close(c->scan);
    hfile_close(c->hfile);
    c->scan = NULL;
    c->hfile = NULL;
}

static bool is_outside(const struct chain_source *c, const sst_dataset_file *f) {
    if (!f->cells) return true;
    if (c->start.p && bytes_cmp(api_taken(f->last_row), c->start) < 0) return true;
    return c->stop.p && bytes_cmp(api_taken(f->first_row), c->stop) >= 0;
}

static int open_next(struct chain_source *c, struct err *err) {
    const sst_dataset_file *f = c->next++;
    struct hfile_scan_opts o = {.start_row = c->start, .stop_row = c->stop, .input = c->input};
    if (is_outside(c, f)) return 0;
    c->fresh = true;
    c->hfile = open_hfile(c->dataset, f, 0, err);
    if (c->hfile) c->scan = hfile_scan_open(c->hfile, &o, err);
    return c->scan ? 0 : -1;
}

/* Checks that, within one family and partition, a file begins after the row that the one before ends with. */
static int check_start(struct chain_source *c, const struct row_part *part, struct err *err) {
    const sst_dataset_file *f = c->next - 1, *before = c->before;
    if (c->fresh && before && before->family == f->family && before->partition == f->partition &&
        bytes_cmp(part->row, buf_bytes(&c->last_row)) <= 0)
        return err_set(err, ERR_INPUT, "%s: overlaps the file before it", f->path);
    c->fresh = false;
    c->before = f;
    return part->first ? buf_copy(&c->last_row, part->row, err) : 0;
}

static int chain_next(struct source *base, struct row_part *part, struct err *err) {
    struct chain_source *c = (struct chain_source *)base;
    for (;;) {
        if (!c->scan && c->next == c->end) return 0;
        if (!c->scan && open_next(c, err)) return -1;
        if (!c->scan) continue;
        int more = source_next(c->scan, part, err);
        if (more < 0) return -1;
        if (more) return check_start(c, part, err) ? -1 : 1;
        close_file(c);
    }
}

static void chain_close(struct source *base) {
    struct chain_source *c = (struct chain_source *)base;
    close_file(c);
    buf_free(&c->start_copy);
    buf_free(&c->last_row);
    free(c);
}

static const struct source_ops chain_ops = {chain_next, chain_close};

static struct source *open_chain(sst_scan *s, struct bytes start, uint32_t input, struct err *err) {
    struct chain_source *c = calloc(1, sizeof *c);
    if (!c) {
        err_nomem(err, sizeof *c, "a scan");
        return NULL;
    }
    struct bytes from = scan_start(s, start);
    c->base.ops = &chain_ops;
    c->dataset = s->dataset;
    c->next = s->files;
    c->end = s->files + s->n_files;
    c->stop = scan_stop(s);
    c->input = input;
    if (from.p && buf_reserve(&c->start_copy, from.n + 1, err)) {
        chain_close(&c->base);
        return NULL;
    }
    if (from.p && buf_copy(&c->start_copy, from, err) == 0) c->start = bytes_of(c->start_copy.p, from.n);
    return &c->base;
}

static int earliest_put_of_chain(sst_scan *s, int64_t *ms, struct err *err) {
    *ms = INT64_MAX;
    for (size_t i = 0; i < s->n_files; i++) {
        struct hfile *h = open_hfile(s->dataset, &s->files[i], 0, err);
        if (!h) return -1;
        const struct hfile_info *info = hfile_info(h);
        int64_t one = !info->cells ? INT64_MAX : info->has_earliest_put ? info->earliest_put_ms : INT64_MIN;
        if (one < *ms) *ms = one;
        hfile_close(h);
    }
    return 0;
}

static const struct scan_recipe partition_recipe = {.open = open_chain, .earliest_put = earliest_put_of_chain};
static const struct scan_recipe dataset_recipe = {.open = open_chain,
                                                  .earliest_put = earliest_put_of_chain,
                                                  .alone = "the scan of a whole dataset, of which partitions can be scanned"};

/* n files from this one on. */
static sst_scan *scan_files(const struct scan_recipe *recipe, const sst_dataset *dataset, size_t first, size_t n,
                            const sst_scan_options *given, struct err *err) {
    sst_scan *s = scan_new(recipe, given, err);
    if (!s) return NULL;
    if (s->range.end) {
        err_set(err, ERR_USAGE, "sst_scan_options: a range is for the scan of one file");
        sst_scan_close(s);
        return NULL;
    }
    s->dataset = dataset;
    s->files = dataset->files + first;
    s->n_files = n;
    return s;
}

sst_scan *sst_dataset_scan_partition(const sst_dataset *dataset, uint32_t family, uint32_t partition,
                                     const sst_scan_options *options, sst_error *error) {
    struct err *err = api_begin(error);
    size_t first, n;
    if (family >= dataset->info.families || partition >= dataset->info.partitions) {
        err_set(err, ERR_USAGE, "the dataset has %u families and %u partitions: there is no family %u, partition %u",
                dataset->info.families, dataset->info.partitions, family, partition);
        return NULL;
    }
    sst_dataset_files_of(dataset, family, partition, &first, &n);
    sst_scan *s = scan_files(&partition_recipe, dataset, first, n, options, err);
    if (s && buf_copy(&s->family, bytes_str(sst_dataset_family(dataset, family)), err)) {
        sst_scan_close(s);
        return NULL;
    }
    return s;
}

sst_scan *sst_dataset_scan(const sst_dataset *dataset, const sst_scan_options *options, sst_error *error) {
    return scan_files(&dataset_recipe, dataset, 0, dataset->info.files, options, api_begin(error));
}
