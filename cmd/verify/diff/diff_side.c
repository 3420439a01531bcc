/* One side of obkv-verify diff: operands opened with the options of both sides and those of its own (--a, --b); files of
 * datasets keep the partition that they stand for, so that misplaced rows are found. */
#include "cmd/common/input_list.h"
#include "cmd/common/opt_given.h"
#include "cmd/verify/diff/diff_side.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/instream.h"
#include "base/outfile.h"
#include "cmd/common/table_options.h"
#include "cmd/verify/verify.h"
#include "dataset/dataset_open.h"
#include "engine/memory_plan.h"
#include "formats/archive/archive_tree_open.h"
#include "formats/mapping/mapping_tables.h"
#include "table/placement.h"

#include <stdlib.h>
#include <string.h>

/* ---- standard input: it is read twice, so it goes to a file first ---- */

static int copy_stdin(struct tempfile *to, struct environment *env, struct err *err) {
    enum { STEP = 256 * 1024 };
    struct instream *in = instream_open("-", &env->stop, memory_share(&env->job, MEMORY_UNPACK), err);
    char *buf = in ? malloc(STEP) : NULL;
    ssize_t n = -1;
    if (in && !buf) err_nomem(err, STEP, "standard input");
    while (buf && (n = instream_read(in, buf, STEP, err)) > 0)
        if (tempfile_append(to, buf, (size_t)n, err)) n = -1;
    free(buf);
    instream_close(in);
    return n < 0 || err->code ? -1 : 0;
}

static int spool(struct side *x, struct environment *env, struct err *err) {
    if (x->spooled) return err_set(err, ERR_USAGE, "standard input ('-') can be read only once");
    x->spool = calloc(1, sizeof *x->spool);
    if (!x->spool) return err_nomem(err, sizeof *x->spool, "standard input");
    if (tempfile_open(x->spool, env->job.temp_dir, &env->quota, err)) {
        free(x->spool);
        x->spool = NULL;
        return -1;
    }
    x->spooled = fs_printf(err, "/proc/self/fd/%d", x->spool->fd);
    return x->spooled ? copy_stdin(x->spool, env, err) : -1;
}

/* ---- datasets ---- */

/* Room for what is known of the inputs listed so far. */
static int grow_files(struct side *x, struct err *err) {
    if (x->in.n <= x->cap_files) return 0;
    if (grow_to(&x->files, x->in.n, sizeof *x->files, "the list of inputs", err)) return -1;
    memset(x->files + x->cap_files, 0, (x->in.n - x->cap_files) * sizeof *x->files);
    x->cap_files = x->in.n;
    return 0;
}

static int add_dataset(struct side *x, struct environment *env, const char *dir, struct err *err) {
    if (grow_array(&x->datasets, x->n_datasets, sizeof(struct side_dataset *), "the list of inputs", err)) return -1;
    struct side_dataset *d = calloc(1, sizeof *d);
    if (!d) return err_nomem(err, sizeof *d, "the list of inputs");
    if (environment_dataset_room(env, dir, err) || dataset_open(dir, &d->manifest, err)) {
        free(d);
        return -1;
    }
    x->datasets[x->n_datasets++] = d;
    const struct manifest *m = &d->manifest;
    uint32_t first = x->in.n;
    d->placement = placement_new(&m->table.partitioning, err);
    if (!d->placement || input_list_add_dataset(&x->in, dir, m, err) || grow_files(x, err)) return -1;
    for (size_t i = 0; i < m->n_files; i++)
        x->files[first + i] = (struct diff_file){d->placement, &m->table.partitioning, m->files[i].partition, {0}, {0}};
    return 0;
}

static bool same_partition(const struct manifest_file *a, const struct manifest_file *b) {
    return a->family == b->family && a->partition == b->partition;
}

/* Files are listed by family and partition. Where a partition has several, each must begin after the one before it; that their
 * rows are those of the manifest is checked when they are read. */
static bool note_order(struct side *x, const struct manifest *m) {
    for (size_t i = 1; i < m->n_files; i++) {
        const struct manifest_file *a = &m->files[i - 1], *b = &m->files[i];
        if (a->family != b->family ? a->family > b->family : a->partition > b->partition) return false;
        if (!same_partition(a, b)) continue;
        if (!a->last_row.n || bytes_cmp(buf_bytes(&a->last_row), buf_bytes(&b->first_row)) >= 0) return false;
        for (size_t k = i - 1; k <= i; k++) {
            x->files[k].first_row = buf_bytes(&m->files[k].first_row);
            x->files[k].last_row = buf_bytes(&m->files[k].last_row);
        }
    }
    return true;
}

static int add_operand(struct side *x, struct environment *env, const char *path, struct err *err) {
    bool is_stdin = !strcmp(path, "-");
    int is = is_stdin ? 0 : dataset_is(path, err);
    if (is < 0 || (is_stdin && spool(x, env, err))) return -1;
    return is ? add_dataset(x, env, path, err) : intake_add(env, &x->in, is_stdin ? x->spooled : path, err);
}

/* Chooses the columns of a side: its own columns or mapping take the place of those that both sides were given. */
static int choose_columns(struct side *x, struct environment *env, const struct options *both, struct err *err) {
    bool own_map = x->options.in.map != both->in.map, own_columns = x->options.in.columns != both->in.columns;
    if (own_map && !own_columns) x->options.in.columns = x->options.in.key = NULL;
    if (own_columns && !own_map) x->options.in.map = NULL;
    if (!own_map) return 0;
    x->mapping = column_options_mapping(&x->options, err);
    if (!x->mapping) return -1;
    env->job.resident_bytes += mapping_tables_bytes(x->mapping);
    return 0;
}

/* Returns whether the side has nulls of its own, which take the place of those that both sides were given. */
static bool says_null(const struct opt_list *own) {
    for (unsigned i = 0; i < own->n; i++)
        if (!strncmp(own->item[i], "null=", 5)) return true;
    return false;
}

int side_open(struct side *x, struct environment *env, unsigned side, char **paths, unsigned n, struct err *err) {
    struct options all = env->o;
    static const char *const own[] = {"format",  "snapshot",  "backup", "columns", "key",        "map",       "header",
                                      "dialect", "delimiter", "quote",  "null",    "skip-empty", "timestamp", NULL};
    x->options = env->o;
    if (says_null(&verify_options(&env->o)->diff.side[side])) x->options.in.nulls.n = 0;
    if (opt_override(&x->options, &verify_options(&env->o)->diff.side[side], own, side ? "--b" : "--a", err)) return -1;
    if (choose_columns(x, env, &all, err)) return -1;
    if (column_options_dialect(&x->options, &x->dialect, err)) return err_prefix(err, side ? "--b" : "--a");
    int rc = 0;
    env->o = x->options;
    x->n_given = n;
    for (unsigned i = 0; !rc && i < n; i++) rc = add_operand(x, env, paths[i], err);
    env->o = all;
    return rc ? -1 : grow_files(x, err);
}

int side_survey(struct side *x, struct environment *env, struct intake *intake, struct err *err) {
    return input_list_survey(&x->in, &env->job, &intake->input_warnings, err);
}

/* ---- what others want of it ---- */

/* A diff knows inputs by their place in the list. */
static int number_stores(struct side *x, struct err *err) {
    x->stores = calloc(x->in.n_stores + 1, sizeof *x->stores);
    if (!x->stores) return err_nomem(err, x->in.n_stores * sizeof *x->stores, "the list of inputs");
    for (uint32_t k = 0; k < x->in.n_stores; k++) {
        x->stores[k] = x->in.store_inputs[k];
        for (uint32_t i = 0; i < x->in.n; i++)
            if (x->in.inputs[i].files == &x->in.stores[k]->as_input) x->stores[k].group = i;
    }
    return 0;
}

int side_of(struct side *x, struct environment *env, struct intake *intake, struct target *target, struct diff_side *out,
            struct err *err) {
    struct options all = env->o;
    env->o = x->options;
    struct read_opts read = intake_read_opts(env, intake, target);
    read.text.dialect = &x->dialect;
    read.text.first_header = NULL; /* the sides may differ */
    env->o = all;
    if (x->mapping || !x->options.in.map) read.text.mapping = x->mapping;
    read.selection = x->selection;
    if (number_stores(x, err)) return -1;
    const struct manifest *m = side_manifest(x);
    *out = (struct diff_side){.inputs = x->in.inputs,
                              .n_inputs = x->in.n,
                              .read = read,
                              .files = x->n_datasets ? x->files : NULL,
                              .in_order = m && note_order(x, m),
                              .stores = x->stores,
                              .n_stores = x->in.n_stores};
    return 0;
}

const char *side_path(const struct side *x, const char *path) {
    if (x->spooled && !strcmp(path, x->spooled)) return "-";
    for (uint32_t i = 0; i < x->in.n_stores; i++) {
        const char *member = x->in.stores[i]->tree ? archive_tree_member(x->in.stores[i]->tree, path) : NULL;
        if (member) return member;
    }
    return path;
}

const struct manifest *side_manifest(const struct side *x) {
    return x->n_datasets == 1 && x->n_given == 1 ? &x->datasets[0]->manifest : NULL;
}

void side_close(struct side *x) {
    mapping_free(x->mapping);
    for (unsigned i = 0; i < x->n_datasets; i++) {
        placement_free(x->datasets[i]->placement);
        manifest_free(&x->datasets[i]->manifest);
        free(x->datasets[i]);
    }
    free(x->datasets);
    free(x->files);
    free(x->stores);
    if (x->spool) tempfile_close(x->spool);
    free(x->spool);
    free(x->spooled);
    input_list_free(&x->in);
}
