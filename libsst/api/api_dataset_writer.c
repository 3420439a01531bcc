/* A dataset out of cells that a caller puts: the run of an import whose input is the caller (engine/build_put.h), and the
 * publication of a program (dataset/dataset_publish.h).
 *
 *   put -> checks, placement -> sorter, spilled when full -> { each partition merged, written } -> manifest -> published
 *
 * The writer's structs are what that run borrows, so all of it lives until it is closed. */
#include "api/api.h"

#include "api/api_put.h"
#include "api/api_write_opts.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/json.h"
#include "dataset/dataset_publish.h"
#include "engine/build_put.h"
#include "engine/build_run.h"
#include "hfile/hfile_writer.h"
#include "sst/dataset_writer.h"
#include "table/placement.h"

#include <stdlib.h>

enum { DEFAULT_MEMORY_BYTES = 1 << 30 };
static const uint64_t default_file_bytes = UINT64_C(4) << 30;

struct sst_dataset_writer {
    struct api_put put;
    char *directory, *temp_dir, *tool;
    struct outdir out;
    struct table table;
    struct placement *placement;
    bool open_families, now_given;
    struct job job;
    struct build_opts opts;
    struct build *build;
    struct build_put *into;
    struct build_result result;
    json_t *settings;
    bool failed, finished;
    sst_dataset_written written;
};

/* ---- options ---- */

/* Takes all of the table from DDL; a word says only where rows go. */
static int take_table(sst_dataset_writer *w, const sst_partitioning *given, struct err *err) {
    if (!given) return err_set(err, ERR_USAGE, "sst_dataset_writer_options: a partitioning is needed");
    w->open_families = !given->table.n_families;
    if (!w->open_families) {
        if (table_copy(&given->table, &w->table, err)) return -1;
    } else {
        if (table_handmade(&w->table, err)) return -1;
        partitioning_free(&w->table.partitioning);
        if (partitioning_copy(&given->table.partitioning, &w->table.partitioning, err)) return -1;
    }
    w->table.client_order_differs = partitioning_client_differs(&w->table.partitioning);
    w->placement = placement_new(&w->table.partitioning, err);
    return w->placement ? 0 : -1;
}

static int take_files(const sst_dataset_writer *w, const sst_writer_options *given, struct hfile_write_opts *h, struct err *err) {
    sst_writer_options o;
    if (api_options(&o, sizeof o, given, "sst_writer_options", err)) return -1;
    if (o.n_pairs) return err_set(err, ERR_USAGE, "sst_writer_options: files of a dataset take no pairs");
    if (!o.encoding) o.encoding = "FAST_DIFF";
    if (api_write_opts(&o, h, err)) return -1;
    h->create_ms = h->bulkload_ms = w->job.now_ms;
    h->bulkload = true;
    h->bulkload_task = w->tool;
    return 0;
}

static int take_limits(sst_dataset_writer *w, const sst_dataset_writer_options *o, struct err *err) {
    if (!(w->tool = fs_printf(err, "%s", o->tool ? o->tool : "libsst " SST_VERSION))) return -1;
    if (o->temp_directory && !(w->temp_dir = fs_printf(err, "%s", o->temp_directory))) return -1;
    w->now_given = o->now != 0;
    w->job = (struct job){.memory_bytes = o->memory_bytes ? o->memory_bytes : DEFAULT_MEMORY_BYTES,
                          .threads = o->threads ? o->threads : 1,
                          .now_ms = o->now ? o->now : clock_now_ms()};
    return api_job_check(&w->job, err);
}

/* ---- opening ---- */

static int open_directory(sst_dataset_writer *w, bool overwrite, struct err *err) {
    enum outdir_state state;
    bool cleaned;
    if (outdir_look(w->directory, &state, err)) return -1;
    if (state == OUTDIR_FINISHED && !overwrite)
        return err_set(err, ERR_USAGE, "%s holds a finished dataset; set overwrite to replace it", w->directory);
    if (outdir_open(&w->out, w->directory, &cleaned, err)) {
        if (err->code == ERR_BUSY) err->code = ERR_OUTPUT;
        return -1;
    }
    w->job.temp_dir = w->temp_dir ? w->temp_dir : w->out.tmp;
    return 0;
}

static int open_run(sst_dataset_writer *w, uint64_t target_file_bytes, const struct hfile_write_opts *files, struct err *err) {
    w->opts = (struct build_opts){.job = &w->job,
                                  .n_groups = 1,
                                  .read = {.table = &w->table, .open_families = w->open_families, .default_ts_ms = w->job.now_ms},
                                  .placement = w->placement,
                                  .tie = TIE_BY_SEQUENCE,
                                  .output = {.dir = w->out.tmp,
                                             .hfile = *files,
                                             .target_file_bytes = target_file_bytes ? target_file_bytes : default_file_bytes}};
    if (!(w->build = build_open(&w->opts, &w->result, err))) return -1;
    w->into = build_put_open(w->build, &w->opts, err);
    return w->into ? 0 : -1;
}

sst_dataset_writer *sst_dataset_writer_open(const char *directory, const sst_dataset_writer_options *options, sst_error *error) {
    struct err *err = api_begin(error);
    sst_dataset_writer_options o;
    struct hfile_write_opts files;
    if (api_options(&o, sizeof o, options, "sst_dataset_writer_options", err)) return NULL;
    sst_dataset_writer *w = calloc(1, sizeof *w);
    if (!w) {
        err_nomem(err, sizeof *w, "a writer");
        return NULL;
    }
    w->out.lock_fd = -1;
    w->directory = fs_printf(err, "%s", directory);
    int rc =
        !w->directory || take_table(w, o.partitioning, err) || take_limits(w, &o, err) || take_files(w, o.files, &files, err);
    if (!rc) rc = open_directory(w, o.overwrite, err) || open_run(w, o.target_file_bytes, &files, err);
    if (!rc) return w;
    sst_dataset_writer_close(w);
    return NULL;
}

/* ---- cells ---- */

static int take_part(void *arg, const struct row_part *part, struct err *err) {
    sst_dataset_writer *w = arg;
    if (!build_put(w->into, part, err)) return 0;
    return err->code == ERR_INPUT ? err_prefix(err, "cell %llu", (unsigned long long)w->put.n + 1) : -1;
}

static int refuse_more(const sst_dataset_writer *w, struct err *err) {
    return err_set(err, ERR_USAGE, "%s: the writer has %s", w->directory, w->failed ? "failed before" : "finished");
}

int sst_dataset_writer_put(sst_dataset_writer *writer, const sst_cell *cell, sst_error *error) {
    struct err *err = api_begin(error);
    if (writer->failed || writer->finished) return refuse_more(writer, err);
    writer->failed = api_put_cell(&writer->put, cell, take_part, writer, err) != 0;
    return writer->failed ? -1 : 0;
}

int sst_dataset_writer_put_part(sst_dataset_writer *writer, const sst_part *part, sst_error *error) {
    struct err *err = api_begin(error);
    if (writer->failed || writer->finished) return refuse_more(writer, err);
    writer->failed = api_put_part(&writer->put, part, take_part, writer, err) != 0;
    return writer->failed ? -1 : 0;
}

/* ---- the end ---- */

static void fill_written(sst_dataset_writer *w, const struct manifest *m) {
    const struct tally *all = ledger_written(&m->ledger);
    w->written = (sst_dataset_written){.size = sizeof w->written,
                                       .cells = all->cells,
                                       .files = m->n_files,
                                       .spilled_bytes = w->result.sort.spilled_bytes,
                                       .digest = {all->digest.lo, all->digest.hi}};
    for (size_t i = 0; i < m->n_files; i++) {
        w->written.key_value_bytes += m->files[i].kv_bytes;
        w->written.file_bytes += m->files[i].file_bytes;
    }
}

static int publish(sst_dataset_writer *w, struct err *err) {
    struct manifest_input caller = {.path = (char *)(uintptr_t) "-", /* as standard input is called */
                                    .format = "put",
                                    .records = w->result.ledger.records_read,
                                    .tally = w->result.ledger.in};
    struct manifest m = {.tool = w->tool,
                         .settings = w->settings,
                         .now_ms = w->job.now_ms,
                         .now_given = w->now_given,
                         .table = w->table,
                         .inputs = &caller,
                         .n_inputs = 1,
                         .ledger = w->result.ledger,
                         .files = w->result.files.files,
                         .n_files = w->result.files.n};
    m.share.counts = w->result.files.counts;
    if (w->open_families && manifest_sort_families(&m, err)) return -1;
    if (dataset_publish(&w->out, &m, w->job.threads, NULL, err)) return -1;
    fill_written(w, &m);
    return 0;
}

static int finish(sst_dataset_writer *w, struct err *err) {
    build_put_end(w->into);
    if (build_finish(w->build, err)) return -1;
    build_close(w->build); /* its memory goes before the manifest is made */
    w->build = NULL;
    w->settings = json_new(JSON("command", "put"));
    return w->settings ? publish(w, err) : err_nomem(err, 0, "the manifest");
}

int sst_dataset_writer_finish(sst_dataset_writer *writer, sst_error *error) {
    struct err *err = api_begin(error);
    if (writer->failed || writer->finished) return refuse_more(writer, err);
    json_memory_forgive();
    writer->failed = finish(writer, err) != 0;
    writer->finished = !writer->failed;
    return writer->failed ? -1 : 0;
}

const sst_dataset_written *sst_dataset_writer_get_written(const sst_dataset_writer *writer) {
    return writer->finished ? &writer->written : NULL;
}

void sst_dataset_writer_close(sst_dataset_writer *writer) {
    if (!writer) return;
    build_put_close(writer->into);
    build_close(writer->build);
    if (writer->opts.job) build_result_free(&writer->result);
    if (writer->out.path) outdir_close(&writer->out);
    json_decref(writer->settings);
    placement_free(writer->placement);
    table_free(&writer->table);
    api_put_free(&writer->put);
    free(writer->directory);
    free(writer->temp_dir);
    free(writer->tool);
    free(writer);
}
