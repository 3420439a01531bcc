/* A dataset as batches of load files. Text takes more room than a dataset, so only two batches of it are on disk at a time: a
 * batch holds whole partitions of a family, enough of them to make the fixed cost of a statement small, and few enough for the
 * disk. Batches depend on what is not loaded yet, load files on the dataset and on the moment at which cells are judged, which
 * the journal keeps: so a run that resumes makes the same files again and finds by their sums which of them are in. */
#include "cmd/load/load_dataset.h"
#include "cmd/load/load_batch.h"

#include "base/fd.h"
#include "base/fs.h"
#include "base/temp_dir.h"
#include "cmd/oceanbase/export_deletes.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/journal.h"
#include "cmd/oceanbase/kqvt.h"
#include "cmd/oceanbase/preflight_rows.h"
#include "cmd/text/export_files.h"
#include "cmd/text/export_probe.h"
#include "cmd/text/export_task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static const uint64_t batch_bytes_least = 1ull << 30;
static const double spare_share = 0.1; /* of the room: text is only estimated */

/* ---- its partitions ---- */

/* The files of the dataset from the first on that are of its partition. */
static size_t count_files(const struct manifest *m, size_t first) {
    const struct manifest_file *f = &m->files[first];
    size_t n = 1;
    while (first + n < m->n_files && f[n].family == f->family && f[n].partition == f->partition) n++;
    return n;
}

/* Rows are at most the cells, until they are loaded. */
static int add_partition(struct load_run *r, const struct manifest_file *files, size_t n, struct err *err) {
    const struct manifest *m = &r->dataset->task.m;
    const int family = table_family(&r->m.table, bytes_str(m->table.families[files->family].name));
    if (family < 0) return err_set(err, ERR_INTERNAL, "family %s has no table", m->table.families[files->family].name);
    const struct export_name name = {.directory = "data",
                                     .table = r->m.table.families[family].sql_table,
                                     .partition = r->m.table.partitioning.names[files->partition],
                                     .index = files->partition,
                                     .form = export_kqvt.name,
                                     .packed = ""};
    struct export_file part = {.family = (uint32_t)family, .partition = files->partition};
    for (size_t i = 0; i < n; i++) {
        part.text_bytes += files[i].kv_bytes;
        part.sums.rows += files[i].tally.cells;
    }
    part.file_bytes = part.text_bytes;
    memcpy(part.checksum, r->export_sum, sizeof part.checksum);
    part.path = export_name_make(&name, err);
    if (part.path && !export_manifest_add(&r->m, &part, err)) return 0;
    export_file_free(&part);
    return -1;
}

static int list_partitions(struct load_run *r, struct err *err) {
    const struct manifest *m = &r->dataset->task.m;
    int rc = 0;
    for (size_t i = 0, n; !rc && i < m->n_files; i += n) {
        n = count_files(m, i);
        rc = add_partition(r, &m->files[i], n, err);
    }
    export_manifest_sort(&r->m);
    return rc;
}

static int take_target(struct load_run *r, struct err *err) {
    struct load_dataset *d = r->dataset;
    struct export_task *e = &d->task;
    if (export_task_open(e, err)) return -1;
    if (export_target(e, err)) {
        if (strstr(err->text, "--ddl")) err_append(err, ": options of obkv-export; make an export with them, and load that");
        return err_prefix(err, "%s", r->env->o.inputs[0]);
    }
    r->m = e->made;
    e->made = (struct export_manifest){0};
    e->o.target = &r->m.table;
    return list_partitions(r, err);
}

int load_dataset_open(struct load_run *r, struct err *err) {
    static const struct reject_limit all = {.records = 0, .percent = 100};
    struct load_dataset *d = r->dataset = calloc(1, sizeof *d);
    if (!d) return err_nomem(err, sizeof *d, "the dataset");
    d->asked = (struct export_options)EXPORT_DEFAULTS;
    d->asked.on_duplicate = load_options(&r->env->o)->on_duplicate;
    d->asked.create = load_options(&r->env->o)->create;
    d->task = (struct export_task){.env = r->env, .asked = &d->asked, .dataset = r->env->o.inputs[0]};
    d->job = r->env->job;
    d->job.progress = (struct progress){0};
    if (take_target(r, err)) return -1;
    d->task.o.rejects = reject_log_new(&all, NULL, NULL, err);
    d->task.o.reject_limit = &all;
    return d->task.o.rejects ? 0 : -1;
}

/* ---- an earlier run ---- */

static int take_now(struct load_run *r, const struct load_journal *j, struct err *err) {
    struct load_dataset *d = r->dataset;
    const int64_t noted = journal_now(j);
    if (!noted) return 0;
    if (r->env->o.resources.now_given && noted != d->job.now_ms)
        return err_set(err, ERR_USAGE,
                       "--now: the load began with %" PRId64 " (%s); give the same or none, or --restart to begin anew", noted,
                       r->journal_path);
    d->job.now_ms = r->m.now_ms = noted;
    return 0;
}

static int write_probe(const struct load_dataset *d, struct err *err) {
    struct buf text = {0};
    struct cell_sums sums;
    char *path = fs_join(d->temp, "probe.kqvt", err);
    int rc = path && !export_probe_put(&text, &sums, err) ? fs_write_file(path, buf_bytes(&text), err) : -1;
    buf_free(&text);
    free(path);
    return rc;
}

/* The server, which has a user of its own, may read what others may. */
static int make_temp(struct load_run *r, struct err *err) {
    struct load_dataset *d = r->dataset;
    const mode_t mask = umask(0);
    umask(mask);
    if (temp_dir_make(temp_dir_of(d->job.temp_dir), "load", &d->temp, &d->temp_fd, err)) return -1;
    if (fchmod(d->temp_fd, 0777 & ~mask)) return err_sys(err, ERR_OUTPUT, errno, "%s", d->temp);
    const char *server = load_options(&r->env->o)->server_dir;
    d->server_temp = server ? fs_join(server, strrchr(d->temp, '/') + 1, err) : fs_printf(err, "%s", d->temp);
    return d->server_temp ? write_probe(d, err) : -1;
}

int load_dataset_begin(struct load_run *r, const struct load_journal *j, struct err *err) {
    if (take_now(r, j, err)) return -1;
    for (size_t i = 0; i < r->m.n_files; i++) {
        struct export_file *f = &r->m.files[i];
        if (journal_state_of(j, f->path, f->checksum) == JOURNAL_DONE) f->sums.rows = journal_rows(j, f->path);
    }
    return make_temp(r, err);
}

/* ---- batches ---- */

static uint64_t room_of(const struct load_dataset *d) {
    struct statvfs fs;
    uint64_t room = statvfs(d->temp, &fs) ? UINT64_MAX : (uint64_t)fs.f_bavail * fs.f_frsize;
    const uint64_t limit = d->job.quota->limit_bytes;
    return limit && limit < room ? limit : room;
}

static uint64_t batch_bytes_of(const struct load_run *r, const struct server_kind *server) {
    const uint64_t half = (uint64_t)((double)r->dataset->made.room * (1 - spare_share) / 2);
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->m.n_files; i++) bytes += r->m.files[i].text_bytes;
    bytes = load_batch_bytes(bytes, batch_bytes_least);
    const bool rewrites =
        server->is_oceanbase && !load_sql_has_inc(server->version); /* each statement, what those before loaded */
    return rewrites ? UINT64_MAX : bytes < half ? bytes : half;
}

static struct load_stage *add_stage(struct load_run *r, struct err *err) {
    struct load_dataset *d = r->dataset;
    if (grow_array(&d->stages, d->n, sizeof *d->stages, "batches", err)) return NULL;
    struct load_stage *g = &d->stages[d->n];
    *g = (struct load_stage){0};
    d->n++;
    g->dir = fs_printf(err, "%s/%05zu", d->temp, d->n);
    g->server_dir = fs_printf(err, "%s/%05zu", d->server_temp, d->n);
    return g->dir && g->server_dir ? g : NULL;
}

/* Partitions and files of the dataset are in one order: that of its families. */
static int add_to_stage(struct load_run *r, size_t part, size_t file, size_t n, uint64_t most, struct err *err) {
    struct load_dataset *d = r->dataset;
    const struct export_file *f = &r->m.files[part];
    struct load_stage *g = d->n ? &d->stages[d->n - 1] : NULL;
    if (!g || g->first + g->n != file || r->m.files[g->first_part].family != f->family || g->bytes + f->text_bytes > most) {
        if (!(g = add_stage(r, err))) return -1;
        g->first = file;
        g->first_part = part;
    }
    g->n += n;
    g->n_parts++;
    g->bytes += f->text_bytes;
    return 0;
}

static void free_stages(struct load_dataset *d) {
    for (size_t i = 0; i < d->n; i++) {
        struct load_stage *g = &d->stages[i];
        for (size_t k = 0; k < g->m.n_files; k++) export_file_free(&g->m.files[k]);
        free(g->m.files);
        export_deletes_free(&g->m.deletes);
        free(g->dir);
        free(g->server_dir);
    }
    free(d->stages);
    d->stages = NULL;
    d->n = 0;
}

/* ---- rows that live ---- */

struct live_rows {
    const struct family *family;
    uint64_t now_ms, n;
    struct buf scratch;
};

/* Pieces are whole lines. */
static int count_text(void *arg, struct bytes text, bool *enough, struct err *err) {
    struct live_rows *l = arg;
    struct kqvt_row row;
    (void)enough;
    for (const uint8_t *end; text.n && (end = memchr(text.p, '\n', text.n));) {
        const struct bytes line = {text.p, (size_t)(end - text.p)};
        l->scratch.n = 0;
        if (buf_reserve(&l->scratch, line.n + 1, err)) return -1;
        const char *wrong = kqvt_parse(line, l->family->has_ttl_column, l->scratch.p, &row);
        if (wrong) return err_set(err, ERR_INTERNAL, "a line of the load files cannot be read: %s", wrong);
        l->n += preflight_rows_live(l->family, l->now_ms, &row);
        text = (struct bytes){end + 1, text.n - line.n - 1};
    }
    return 0;
}

/* Exports n files of the dataset from the first on again, as they were for the load, into l. */
static int count_live(struct load_run *r, size_t first, size_t n, struct live_rows *l, struct err *err) {
    struct load_dataset *d = r->dataset;
    struct manifest part = d->task.m;
    struct export_opts o = d->task.o;
    struct export_manifest out = r->m;
    struct export_result result;
    part.files += first;
    part.n_files = n;
    o.m = &part;
    o.job = &d->job;
    o.dir = NULL;
    o.put = count_text;
    o.arg = l;
    out.files = NULL;
    out.n_files = 0;
    out.deletes = (struct export_deletes){0};
    return export_run(&o, &out, &result, err);
}

static bool is_of(const struct load_run *r, const struct manifest_file *file, const struct export_file *part) {
    const struct manifest *m = &r->dataset->task.m;
    return (uint32_t)table_family(&r->m.table, bytes_str(m->table.families[file->family].name)) == part->family &&
           file->partition == part->partition;
}

/* preflight_made.count_live; arg is the load_run. */
static int count_family(void *arg, const struct load_journal *j, uint32_t family, uint64_t now_ms, uint64_t *live,
                        struct err *err) {
    struct load_run *r = arg;
    const struct manifest *m = &r->dataset->task.m;
    struct live_rows l = {.family = &r->m.table.families[family], .now_ms = now_ms};
    int rc = 0;
    for (size_t i = 0, n, part = 0; !rc && i < m->n_files && part < r->m.n_files; i += n) {
        const struct export_file *f = &r->m.files[part];
        n = count_files(m, i);
        if (!is_of(r, &m->files[i], f)) continue;
        if (f->family == family && journal_state_of(j, f->path, f->checksum) == JOURNAL_DONE) rc = count_live(r, i, n, &l, err);
        part++;
    }
    buf_free(&l.scratch);
    *live = l.n;
    return rc;
}

int load_dataset_plan(struct load_run *r, const struct load_journal *j, const struct server_kind *server, struct err *err) {
    struct load_dataset *d = r->dataset;
    const struct manifest *m = &d->task.m;
    free_stages(d);
    d->made = (struct preflight_made){.room = room_of(d), .count_live = count_family, .arg = r};
    const uint64_t most = batch_bytes_of(r, server);
    for (size_t i = 0, n, part = 0; i < m->n_files && part < r->m.n_files; i += n) {
        const struct export_file *f = &r->m.files[part];
        n = count_files(m, i);
        if (!is_of(r, &m->files[i], f)) continue; /* of a partition that was not chosen */
        if (journal_state_of(j, f->path, f->checksum) != JOURNAL_DONE && add_to_stage(r, part, i, n, most, err)) return -1;
        part++;
    }
    d->made.batches = d->n;
    for (size_t i = 0; i < d->n; i++) {
        const uint64_t two = d->stages[i].bytes + (i + 1 < d->n ? d->stages[i + 1].bytes : 0);
        if (two > d->made.need) d->made.need = two;
    }
    return 0;
}

/* ---- the files of one ---- */

static int check_rejects(const struct load_run *r, const struct load_stage *g, struct err *err) {
    const uint64_t n = g->result.ledger.rejected.cells;
    if (!n) return 0;
    return err_set(err, ERR_REJECTS,
                   "%" PRIu64 " cell%s of %s rejected; first: %s; batches before this one are loaded. Widen the columns, "
                   "or make an export with obkv-export --max-rejects, and load that",
                   n, n == 1 ? " is" : "s are", r->dir, reject_log_first(r->dataset->task.o.rejects));
}

int load_dataset_export(struct load_run *r, struct load_stage *g, struct err *err) {
    struct load_dataset *d = r->dataset;
    struct manifest part = d->task.m;
    struct export_opts o = d->task.o;
    part.files += g->first;
    part.n_files = g->n;
    o.m = &part;
    o.job = &d->job;
    o.dir = g->dir;
    g->m = r->m;
    g->m.files = NULL;
    g->m.n_files = 0;
    g->m.deletes = (struct export_deletes){0};
    if (fs_mkdirs(g->dir, err) || export_task_run(&d->task, &o, &g->m, &g->result, err)) {
        if (strstr(err->text, "--delta")) err_append(err, " (of obkv-import and obkv-export)");
        return -1;
    }
    return check_rejects(r, g, err);
}

int load_dataset_drop(struct load_run *r, const struct load_stage *g, struct err *err) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < g->m.n_files; i++) bytes += g->m.files[i].file_bytes;
    for (size_t i = 0; i < g->m.deletes.n; i++) bytes += g->m.deletes.files[i].file_bytes;
    disk_quota_give(r->dataset->job.quota, bytes);
    return fs_remove_tree(g->dir, err);
}

void load_dataset_free(struct load_dataset *d) {
    struct err ignored = {0};
    if (!d) return;
    free_stages(d);
    if (d->temp) {
        (void)fs_remove_tree(d->temp, &ignored);
        fd_close(d->temp_fd);
    }
    free(d->temp);
    free(d->server_temp);
    export_task_free(&d->task);
    free(d);
}
