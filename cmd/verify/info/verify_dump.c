/* `obkv-verify dump`: the cells of HFiles, datasets, directories of HBase and text files, a line each. HFiles are read through
 * the public library: cut into ranges of blocks, printed into memory by all threads, and written in the order of the file. Other
 * inputs go through the engine, in one thread. */
#include "cmd/common/report_figures.h"
#include "base/plain.h"
#include "cell/cell.h"
#include "cmd/common/input_list.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/selection_options.h"
#include "cmd/common/target.h"
#include "cmd/common/table_options.h"
#include "cmd/common/output_text.h"
#include "cmd/common/unmet.h"
#include "cmd/common/warnings.h"
#include "cmd/verify/info/info.h"
#include "cmd/verify/verify.h"
#include "dataset/dataset_open.h"
#include "engine/input_reader.h"
#include "engine/memory_plan.h"
#include "formats/text/text_input.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RANGE_BYTES = 256 * 1024, RANGES_PER_THREAD = 4, WRITE_BYTES = 64 * 1024 };

struct dump {
    struct environment *env;
    struct intake *intake;
    struct read_opts read;
    struct placement *placement;
    uint64_t left;                  /* cells still to be printed */
    const struct row_range *ranges; /* of an HFile, found through its index; n_ranges 0: all of it */
    size_t n_ranges;
    struct buf lines;   /* of inputs that are no HFiles: printed, and not written yet */
    bool gone, any;     /* any: there was a cell */
    uint64_t *negative; /* cells before 1970 that were printed, by all threads */
};

/* One range of blocks, printed into memory. */
struct dump_slot {
    uint64_t start, end;
    struct buf text;
    struct err err;
};

/* --raw: a comment in front of the cells of each block. */
static int print_place(const sst_file *f, const sst_scan *scan, uint64_t *last, struct buf *out, struct err *err) {
    uint64_t at = sst_scan_block_offset(scan);
    if (at == *last) return 0;
    *last = at;
    if (buf_printf(out, err, "# ")) return -1;
    for (const char *p = sst_file_get_info(f)->name; *p; p++) /* a line end in a name must not end the comment */
        if (buf_put_byte(out, *p == '\n' || *p == '\r' ? '?' : (uint8_t)*p, err)) return -1;
    return buf_printf(out, err, ": block at %llu\n", (unsigned long long)at);
}

/* --plain: for people; what is not text is escaped. */
static int print_plain(struct buf *out, const struct row_part *part, struct err *err) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        if (plain_put(out, part->row, err) || buf_put_byte(out, '\t', err) || plain_put(out, part->family, err) ||
            buf_put_byte(out, ':', err) || plain_put(out, c->qualifier, err) ||
            buf_printf(out, err, "\t%lld%s\t%s\t", (long long)c->ts_ms, c->ts_ms < 0 ? " (negative)" : "",
                       cell_type_name(c->type)) ||
            plain_put(out, c->value, err) || buf_put_byte(out, '\n', err))
            return -1;
    }
    return 0;
}

static int print_cells(const struct dump *d, struct buf *out, const struct row_part *part, struct err *err) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        if (part->cells[i].ts_ms >= 0) continue;
#pragma omp atomic
        ++*d->negative;
    }
    return verify_options(&d->env->o)->dump.plain ? print_plain(out, part, err) : cells_print(out, part, err);
}

static int print_cell(const struct dump *d, const sst_part *p, const sst_part_cell *c, struct buf *out, struct err *err) {
    struct cell one = {.qualifier = info_bytes(c->qualifier),
                       .value = info_bytes(c->value),
                       .tags = info_bytes(c->tags),
                       .ts_ms = c->timestamp,
                       .seq = c->sequence,
                       .type = c->type};
    struct row_part part = {.row = info_bytes(p->row), .family = info_bytes(p->family), .cells = &one, .n_cells = 1};
    return print_cells(d, out, &part, err);
}

/* 1 = a part is printed into out, 0 = end, -1. last: offset of the block before. */
static int print_next(const struct dump *d, const sst_file *f, sst_scan *scan, uint64_t *last, struct buf *out, struct err *err) {
    const sst_part *p;
    sst_error error;
    int more = sst_scan_next_part(scan, &p, &error);
    if (more < 0) return info_error(err, &error);
    if (more && verify_options(&d->env->o)->dump.raw && print_place(f, scan, last, out, err)) return -1;
    for (size_t i = 0; more && i < p->n; i++)
        if (print_cell(d, p, &p->cells[i], out, err)) return -1;
    return more;
}

static sst_scan *open_scan(const sst_file *f, const sst_scan_options *o, struct err *err) {
    sst_error error;
    sst_scan *scan = sst_scan_open(f, o, &error);
    if (!scan) info_error(err, &error);
    return scan;
}

static void print_range(const struct dump *d, const sst_file *f, struct dump_slot *slot) {
    sst_scan_options o = {.size = sizeof o, .range_start = slot->start, .range_end = slot->end};
    sst_scan *scan = open_scan(f, &o, &slot->err);
    uint64_t last = UINT64_MAX;
    slot->text.n = 0;
    while (scan && print_next(d, f, scan, &last, &slot->text, &slot->err) == 1) continue;
    sst_scan_close(scan);
}

/* Text of whole lines, cut at the limit. */
static int put_lines(struct dump *d, struct bytes text, struct err *err) {
    size_t n = text.n;
    d->any |= n > 0;
    if (d->left != UINT64_MAX) {
        n = 0;
        while (n < text.n && d->left) {
            const uint8_t *nl = memchr(text.p + n, '\n', text.n - n);
            d->left -= !verify_options(&d->env->o)->dump.raw || text.p[n] != '#'; /* a comment is no cell */
            n = nl ? (size_t)(nl - text.p) + 1 : text.n;
        }
    }
    return stdout_write(text.p, n, &d->gone, err);
}

/* Rounds of ranges: printed by all threads, written in order. */
static int dump_ranges(struct dump *d, const sst_file *f, struct dump_slot *slots, unsigned n_slots, struct err *err) {
    sst_error error;
    uint64_t cursor = 0;
    for (;;) {
        unsigned n = 0;
        int more = 1;
        while (n < n_slots && (more = sst_file_next_range(f, &cursor, RANGE_BYTES, &slots[n].start, &slots[n].end, &error)) == 1)
            n++;
        if (more < 0) return info_error(err, &error);
        if (stop_check(&d->env->stop, err)) return -1;
#pragma omp parallel for schedule(dynamic, 1) num_threads(d->env->job.threads)
        for (unsigned i = 0; i < n; i++) print_range(d, f, &slots[i]);
        for (unsigned i = 0; i < n && !d->gone && d->left; i++) {
            if (slots[i].err.code) {
                err_keep(err, &slots[i].err);
                return -1;
            }
            if (put_lines(d, buf_bytes(&slots[i].text), err)) return -1;
        }
        if (more != 1 || d->gone || !d->left) return 0;
    }
}

static int dump_range(struct dump *d, const sst_file *f, const struct row_range *r, struct err *err) {
    sst_scan_options o = {.size = sizeof o,
                          .start_row = {r->start.n ? r->start.p : NULL, r->start.n},
                          .stop_row = {r->stop.n ? r->stop.p : NULL, r->stop.n}};
    sst_scan *scan = open_scan(f, &o, err);
    struct buf text = {0};
    uint64_t last = UINT64_MAX;
    int more = scan ? 1 : -1;
    while (more == 1 && d->left && !d->gone) {
        text.n = 0;
        more = print_next(d, f, scan, &last, &text, err);
        if (more == 1 && put_lines(d, buf_bytes(&text), err)) more = -1;
    }
    sst_scan_close(scan);
    buf_free(&text);
    return more < 0 ? -1 : 0;
}

static sst_file *open_hfile(const char *path, size_t block_limit, struct err *err) {
    const sst_file_options o = {sizeof o, block_limit};
    sst_error error;
    sst_file *f = sst_file_open(path, &o, &error);
    if (!f) info_error(err, &error);
    return f;
}

static int dump_hfile(struct dump *d, const char *path, struct err *err) {
    unsigned n = d->env->job.threads * RANGES_PER_THREAD;
    struct dump_slot *slots = calloc(n, sizeof *slots);
    if (!slots) return err_nomem(err, n * sizeof *slots, "dumping");
    sst_file *f = open_hfile(path, job_block_limit(&d->env->job, d->env->job.threads), err);
    int rc = !f ? -1 : d->n_ranges ? 0 : dump_ranges(d, f, slots, n, err);
    for (size_t i = 0; !rc && i < d->n_ranges && d->left && !d->gone; i++) rc = dump_range(d, f, &d->ranges[i], err);
    for (unsigned i = 0; i < n; i++) buf_free(&slots[i].text);
    free(slots);
    sst_file_close(f);
    return rc;
}

static int put_gathered(struct dump *d, struct err *err) {
    int rc = put_lines(d, buf_bytes(&d->lines), err);
    buf_clear(&d->lines);
    return rc;
}

/* Text inputs: in input order, one thread. Parts are short: their lines are written together. */
static int print_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                      struct err *err) {
    struct dump *d = arg;
    (void)thread;
    (void)family;
    (void)partition;
    if (d->gone || !d->left) return 0;
    if (print_cells(d, &d->lines, part, err)) return -1;
    return d->lines.n < WRITE_BYTES && d->left == UINT64_MAX ? 0 : put_gathered(d, err);
}

static bool seen_enough(void *arg) {
    const struct dump *d = arg;
    return d->gone || !d->left;
}

static int dump_loaded(struct dump *d, struct input_list *in, struct err *err) {
    struct shape_set shapes = {0};
    struct input_reader_opts l = {.job = &d->env->job,
                                  .threads = 1,
                                  .inputs = in->inputs,
                                  .n_inputs = in->n,
                                  .read = d->read,
                                  .placement = d->placement,
                                  .consumer = {print_part, seen_enough, d, NULL},
                                  .skip_client_check = true,
                                  .any_time = true};
    l.read.shapes = &shapes;
    l.read.memory.chunk = 1 << 20;
    l.read.memory.unpack = memory_share(&d->env->job, MEMORY_UNPACK);
    if (!l.read.memory.max_cell) l.read.memory.max_cell = job_block_limit(&d->env->job, l.threads);
    struct input_reader *loader = input_reader_new(&l, err);
    struct err unwritten = {0};
    int rc = loader && input_reader_run(loader, err) >= 0 ? 0 : -1;
    if (put_gathered(d, rc ? &unwritten : err)) rc = -1; /* also the cells before an error */
    input_reader_free(loader);
    shape_set_free(&shapes);
    return rc;
}

/* Text, and what HBase left on disk: file by file, as its regions would show it. */
static int dump_any(struct dump *d, const char *path, struct err *err) {
    struct input_list in = {0};
    int rc = intake_add(d->env, &in, path, err);
    if (!rc && d->env->o.in.snapshot && !in.n_stores) rc = target_refuse_snapshot(d->env, err);
    if (!rc) rc = input_list_survey(&in, &d->env->job, &d->intake->input_warnings, err);
    if (!rc && verify_options(&d->env->o)->dump.raw)
        rc = err_set(err, ERR_USAGE, "%s: --raw needs an HFile or a dataset; this input has no blocks", path);
    if (!rc) rc = input_watch_end(&in.watch, dump_loaded(d, &in, err), err);
    input_list_free(&in);
    return rc;
}

/* Finds out whether the path is an HFile. Only a file on disk, or inside of a pack, can be one: a pipe must not even be opened
 * twice. */
static int is_hfile(const struct job *job, const char *path, bool *yes, struct err *err) {
    struct err e = {0};
    struct stat st;
    const int failed = stat(path, &st);
    if (failed && errno != ENOTDIR) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
    if (!failed && !S_ISREG(st.st_mode)) return 0;
    sst_file *f = open_hfile(path, job_block_limit(job, 1), &e);
    *yes = f || e.code == ERR_UNSUPPORTED || e.code == ERR_LIMIT;
    sst_file_close(f);
    if (e.sys) err_keep(err, &e);
    return e.sys ? -1 : 0;
}

static int dump_dataset(struct dump *d, const char *dir, struct err *err) {
    struct manifest m;
    struct input_list files = {0};
    if (dataset_open_waiting(dir, &m, err)) return -1;
    int rc = input_list_add_dataset(&files, dir, &m, err);
    for (uint32_t i = 0; !rc && i < files.n && !d->gone && d->left; i++) rc = dump_hfile(d, files.inputs[i].path, err);
    rc = input_watch_end(&files.watch, rc, err);
    input_list_free(&files);
    manifest_free(&m);
    return rc;
}

static int dump_file(struct dump *d, const char *path, struct err *err) {
    struct input_watch watch = {0};
    int rc = input_watch_add(&watch, path, WATCH_FILE, err);
    if (!rc) rc = input_watch_end(&watch, dump_hfile(d, path, err), err);
    input_watch_free(&watch);
    return rc;
}

/* Options without effect on a file of cells. */
static int refuse_for_cells(const struct environment *env, const char *path, const char *what, struct err *err) {
    const char *text = column_options_given(&env->o);
    if (env->o.in.snapshot) return target_refuse_snapshot(env, err);
    return text ? err_set(err, ERR_USAGE, "%s applies to text, but %s is %s", text, path, what) : 0;
}

static int dump_one(struct dump *d, const char *path, struct err *err) {
    int dataset = strcmp(path, "-") ? dataset_is(path, err) : 0;
    if (dataset < 0) return -1;
    if (d->intake->selection && !d->n_ranges) return dump_any(d, path, err);
    if (dataset) return refuse_for_cells(d->env, path, "a dataset", err) ? -1 : dump_dataset(d, path, err);
    bool hfile = d->env->o.in.format && !strcmp(d->env->o.in.format, "hfile");
    if (!d->env->o.in.format && strcmp(path, "-") && is_hfile(&d->env->job, path, &hfile, err)) return -1;
    if (!hfile) return dump_any(d, path, err);
    return refuse_for_cells(d->env, path, "an HFile", err) ? -1 : dump_file(d, path, err);
}

int verify_dump(struct environment *env, struct intake *intake, int *code, struct err *err) {
    uint64_t negative = 0;
    struct target target = {0};
    struct dump d = {.env = env,
                     .intake = intake,
                     .left = verify_options(&env->o)->limit ? verify_options(&env->o)->limit : UINT64_MAX,
                     .negative = &negative};
    int rc = 0;
    *code = 0;
    env->job.threads = memory_plan_describers(&env->job); /* the text of a block is printed into memory */
    if (target_open(env, &target, err)) rc = -1;
    d.read = intake_read_opts(env, intake, &target);
    d.placement = target.placement;
    d.n_ranges = selection_options_ranges(&env->o.selection, intake->selection, &d.ranges);
    for (int i = 0; !rc && i < env->o.n_inputs && !d.gone && d.left; i++) rc = dump_one(&d, env->o.inputs[i], err);
    intake_warn(env, intake);
    if (negative)
        report_warn(&env->reporter, WARN_TIMESTAMP_NEGATIVE, negative,
                    "%s cell%s before 1970, which OceanBase cannot hold: an import rejects them", REPORT_COUNT(negative),
                    negative == 1 ? " has a timestamp" : "s have timestamps");
    if (!rc && !d.any && intake->selection) unmet_warn_unselected(env, intake, 1, "rows");
    buf_free(&d.lines);
    target_close(env, &target);
    return rc;
}
