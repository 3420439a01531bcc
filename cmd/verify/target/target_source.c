/* The rows as they should be: an export as it is on disk, or a dataset that is exported on the fly, of which only partitions
 * that differ are written to temporary load files. */
#include "cmd/common/report_figures.h"
#include "cmd/common/output.h"
#include "cmd/common/warnings.h"
#include "cmd/oceanbase/export_deletes.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/verify/target/target_source.h"

#include "cmd/common/table_options.h"
#include "cmd/verify/verify.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/fs.h"
#include "base/temp_dir.h"
#include "cmd/oceanbase/kqvt.h"
#include "dataset/dataset_open.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a dataset, exported on the fly ---- */

/* The files of the dataset that make up one partition of the target's family. */
struct partition_files {
    size_t first, n;
    uint32_t family, partition; /* of the target */
};

static bool next_stretch(const struct target_source *t, struct partition_files *s) {
    const struct manifest *m = &t->tool.m;
    s->first += s->n;
    if (s->first >= m->n_files) return false;
    const struct manifest_file *f = &m->files[s->first];
    for (s->n = 1; s->first + s->n < m->n_files; s->n++)
        if (f[s->n].family != f->family || f[s->n].partition != f->partition) break;
    s->family = (uint32_t)table_family(&t->tool.made.table, bytes_str(m->table.families[f->family].name));
    s->partition = f->partition;
    return true;
}

struct adder {
    struct cell_sums sums;
    struct cell_sums_opts opts;
    struct buf scratch, first, last; /* keys */
};

static int add_line(struct adder *a, struct bytes line, struct err *err) {
    struct kqvt_row row;
    a->scratch.n = 0;
    if (buf_reserve(&a->scratch, line.n + 1, err)) return -1;
    const char *wrong = kqvt_parse(line, a->opts.ttl_column, a->scratch.p, &row);
    if (wrong) return err_set(err, ERR_INTERNAL, "a line of the load files cannot be read: %s", wrong);
    if (!a->sums.rows && buf_copy(&a->first, row.k, err)) return -1;
    cell_sums_row(&a->sums, &row, &a->opts);
    return buf_copy(&a->last, row.k, err);
}

/* Pieces are whole lines. */
static int add_text(void *arg, struct bytes text, bool *enough, struct err *err) {
    struct adder *a = arg;
    (void)enough;
    for (const uint8_t *end; text.n && (end = memchr(text.p, '\n', text.n));) {
        size_t n = (size_t)(end - text.p);
        if (add_line(a, (struct bytes){text.p, n}, err)) return -1;
        text = (struct bytes){end + 1, text.n - n - 1};
    }
    return text.n ? err_set(err, ERR_INTERNAL, "a piece of load files ends inside a line") : 0;
}

static int export_stretch(struct target_source *t, const struct partition_files *s, const struct export_opts *how,
                          struct export_manifest *out, struct err *err) {
    struct export_opts o = *how;
    struct export_result result;
    struct manifest part = t->tool.m;
    part.files += s->first;
    part.n_files = s->n;
    o.m = &part;
    o.job = &t->job;
    int rc = export_run(&o, out, &result, err);
    t->tool.result.ledger.rejected.cells += result.ledger.rejected.cells;
    return rc;
}

static int sum_stretch(struct target_source *t, const struct partition_files *s, struct err *err) {
    struct adder a = {.opts = {.strong = verify_options(&t->env->o)->strong,
                               .ttl_column = t->tool.made.table.families[s->family].has_ttl_column}};
    struct export_opts o = t->tool.o;
    o.put = add_text;
    o.arg = &a;
    int rc = export_stretch(t, s, &o, &t->tool.made, err);
    struct export_file f = {.path = strdup(""), .family = s->family, .partition = s->partition, .sums = a.sums};
    f.first_key = a.first;
    f.last_key = a.last;
    if (!rc && !f.path) rc = err_nomem(err, 1, "a path");
    if (!rc && export_manifest_add(&t->tool.made, &f, err)) rc = -1;
    if (rc) export_file_free(&f);
    buf_free(&a.scratch);
    return rc;
}

/* Stretches are read one after the other; the database is asked when all are. */
static void report_read(void *arg, const char *phase, uint64_t done, uint64_t total) {
    const struct target_source *t = arg;
    const struct progress *p = &t->env->job.progress;
    (void)phase;
    (void)total;
    p->report(p->arg, "read", t->read + done, t->read_of);
}

static uint64_t stretch_bytes(const struct target_source *t, const struct partition_files *s) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->n; i++) bytes += t->tool.m.files[s->first + i].file_bytes;
    return bytes;
}

static bool is_chosen(const struct target_source *t, const struct partition_files *s) {
    return !t->chosen || t->chosen[s->partition];
}

static int sum_stretches(struct target_source *t, struct err *err) {
    for (struct partition_files at = {0}; next_stretch(t, &at);)
        if (is_chosen(t, &at)) t->read_of += stretch_bytes(t, &at);
    if (t->env->job.progress.report) t->job.progress = (struct progress){report_read, t};
    for (struct partition_files at = {0}; next_stretch(t, &at);) {
        if (!is_chosen(t, &at)) continue;
        if (sum_stretch(t, &at, err)) return -1;
        t->read += stretch_bytes(t, &at);
    }
    t->job.progress = (struct progress){0}; /* what differs is read again, while the database is asked */
    return 0;
}

static int choose_partitions(struct target_source *t, const struct table *table, struct err *err) {
    return partition_options_choose(&verify_options(&t->env->o)->partitions, &table->partitioning, t->dir, &t->chosen, err);
}

static int open_dataset(struct target_source *t, struct err *err) {
    struct export_task *e = &t->tool;
    static const struct reject_limit all = {.records = 0, .percent = 100};
    *e = (struct export_task){.env = t->env, .asked = &t->asked, .dataset = t->dir};
    if (dataset_open(t->dir, &e->m, err)) return -1;
    e->o = (struct export_opts){.job = &t->env->job,
                                .dataset = t->dir,
                                .m = &e->m,
                                .target = &e->made.table,
                                .form = &export_kqvt,
                                .strong = verify_options(&t->env->o)->strong,
                                .target_bytes = t->env->o.write.target_file_size,
                                .reject_limit = &all};
    e->made.strong = verify_options(&t->env->o)->strong;
    if (export_target(e, err)) return -1;
    if (!(e->o.rejects = reject_log_new(&all, NULL, NULL, err))) return -1;
    if (choose_partitions(t, &e->made.table, err)) return -1;
    if (sum_stretches(t, err)) return -1;
    export_manifest_sort(&e->made);
    if (e->result.ledger.rejected.cells)
        report_warn(&t->env->reporter, WARN_CELLS_DO_NOT_FIT, e->result.ledger.rejected.cells,
                    "%s: %s cell%s too long for the tables or out of range, and not expected there", t->dir,
                    REPORT_COUNT(e->result.ledger.rejected.cells), e->result.ledger.rejected.cells == 1 ? " is" : "s are");
    return 0;
}

static int make_temp(struct target_source *t, struct err *err) {
    if (t->temp) return 0;
    return temp_dir_make(temp_dir_of(t->env->job.temp_dir), "verify", &t->temp, &t->temp_fd, err);
}

/* Adds a part with its directory. */
static struct target_part *add_part(struct target_source *t, struct err *err) {
    if (grow_array(&t->parts, t->n_parts, sizeof(struct target_part *), "lists of files", err)) return NULL;
    struct target_part *part = calloc(1, sizeof *part);
    if (!part) {
        err_nomem(err, sizeof *part, "lists of files");
        return NULL;
    }
    t->parts[t->n_parts++] = part;
    part->m = t->tool.made;
    part->m.files = NULL;
    part->m.deletes = (struct export_deletes){0};
    part->m.n_files = 0;
    part->dir = fs_printf(err, "%s/%zu", t->temp, t->n_parts);
    return part->dir && !fs_mkdirs(part->dir, err) ? part : NULL;
}

/* Load files are only made of what differs. */
static int make_part(struct target_source *t, const struct partition_files *s, const char **dir, const struct export_manifest **m,
                     struct err *err) {
    struct target_part *part = make_temp(t, err) ? NULL : add_part(t, err);
    if (!part) return -1;
    struct export_opts o = t->tool.o;
    *dir = o.dir = part->dir;
    *m = &part->m;
    if (export_stretch(t, s, &o, &part->m, err)) return -1;
    export_manifest_sort(&part->m);
    return 0;
}

static void free_part(struct target_part *part) {
    for (size_t k = 0; k < part->m.n_files; k++) export_file_free(&part->m.files[k]);
    free(part->m.files);
    export_deletes_free(&part->m.deletes);
    free(part->dir);
    free(part);
}

/* ---- both ---- */

int target_source_open(struct target_source *t, struct environment *env, const char *path, struct err *err) {
    *t = (struct target_source){.env = env, .dir = path, .asked = EXPORT_DEFAULTS, .job = env->job};
    t->job.progress = (struct progress){0};
    t->asked.delta = verify_options(&env->o)->delta;
    if (environment_dataset_room(env, path, err)) return -1;
    int is = export_is(path, err);
    if (is < 0) return -1;
    if (is) {
        if (export_manifest_open(path, &t->export, err) || choose_partitions(t, &t->export.table, err)) return -1;
        const struct signed_list files = export_signed_list(&t->export);
        return signature_demand(&env->o.trust, path, &files, &env->job, err);
    }
    is = dataset_is(path, err);
    if (is < 0) return -1;
    if (!is) return err_set(err, ERR_INPUT, "%s is neither a finished export nor a dataset", path);
    t->is_dataset = true;
    return intake_demand_signatures(env, env->o.inputs, env->o.n_inputs, err) ? -1 : open_dataset(t, err);
}

const struct export_manifest *target_source_manifest(const struct target_source *t) {
    return t->is_dataset ? &t->tool.made : &t->export;
}

int target_source_files(struct target_source *t, uint32_t family, uint32_t partition, const char **dir,
                        const struct export_manifest **m, struct err *err) {
    *dir = t->dir;
    *m = &t->export;
    if (!t->is_dataset) return 0;
    *m = &t->tool.made;
    struct partition_files s = {0};
    while (next_stretch(t, &s))
        if (s.family == family && s.partition == partition) return make_part(t, &s, dir, m, err);
    return 0; /* nothing should be there: no file of the manifest is of this partition */
}

void target_source_close(struct target_source *t) {
    struct err ignored = {0};
    for (size_t i = 0; i < t->n_parts; i++) free_part(t->parts[i]);
    free(t->parts);
    free(t->chosen);
    if (t->temp) {
        (void)fs_remove_tree(t->temp, &ignored);
        fd_close(t->temp_fd); /* its lock */
    }
    free(t->temp);
    export_manifest_free(&t->export);
    export_manifest_free(&t->tool.made);
    reject_log_free(t->tool.o.rejects);
    if (t->is_dataset) manifest_free(&t->tool.m);
}
