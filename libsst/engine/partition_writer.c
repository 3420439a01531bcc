/* Writes the sorted cells of a partition into HFiles, cut at rows once a file is large enough. Each file gets the earliest
 * moment at which time drops one of its own cells (OBKV.NEXT_DROP_MS). */
#include "engine/partition_writer.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "base/fs.h"
#include "base/outfile.h"
#include "base/remote.h"
#include "hfile/block_copy.h"
#include "hfile/block_span.h"
#include "hfile/copied_cells.h"
#include "hfile/hfile_writer.h"
#include "hfile/pack_files.h"
#include "hfile/put_rows.h"
#include "hfile/row_batch.h"
#include "sort/kept_run.h"
#include "sort/sorted.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

/* One output file being written. */
struct open_file {
    struct outfile *out;  /* NULL: of a run, which is one of many in its file */
    struct pack_put *put; /* has it; NULL: it is a file */
    struct hfile_writer *w;
    struct kept_run *run; /* instead of it */
    unsigned worker;      /* who writes it */
    uint32_t number;
    char label[400];
    int64_t next_drop_ms; /* of the cells in this file */
    uint8_t next_expiry[8], key_bytes[8];
    struct hfile_extra extra[4];
};

const struct hfile_write_opts *output_family_writer(const struct output_opts *o, const char *family) {
    for (uint32_t i = 0; i < o->n_by_family; i++)
        if (!strcmp(o->by_family[i].name, family)) return &o->by_family[i].hfile;
    return &o->hfile;
}

const struct hfile_write_opts *largest_writer(const struct output_opts *o) {
    const struct hfile_write_opts *largest = &o->hfile;
    for (uint32_t i = 0; i < o->n_by_family; i++)
        if (hfile_writer_memory(&o->by_family[i].hfile) > hfile_writer_memory(largest)) largest = &o->by_family[i].hfile;
    return largest;
}

int make_family_directory(const char *dir, const char *family, struct err *err) {
    char *p = fs_join(dir, family, err);
    int rc = p ? fs_mkdirs(p, err) : -1;
    free(p);
    return rc;
}

int make_family_directories(const char *dir, const struct table *t, struct err *err) {
    for (uint32_t i = 0; i < t->n_families; i++)
        if (make_family_directory(dir, t->families[i].name, err)) return -1;
    return 0;
}

char *partition_file_path(const struct output_slot *slot, uint32_t number, struct err *err) {
    return fs_printf(err, "%s/p%05u-%03u.hfile", slot->family_name, slot->partition, number);
}

static int open_hfile(const struct output_opts *o, const struct output_slot *slot, struct open_file *f, struct err *err) {
    struct hfile_write_opts w = *output_family_writer(o, slot->family_name);
    size_t n = 0;
    w.batch_blocks = o->batch_blocks;
    w.long_block_bytes = o->long_block_bytes;
    f->next_drop_ms = INT64_MAX;
    snprintf(f->label, sizeof f->label, "%u %s", slot->partition, slot->partition_name);
    f->extra[n++] = (struct hfile_extra){"OBKV.PARTITION", bytes_str(f->label)};
    if (o->rules_hash) {
        f->extra[n++] = (struct hfile_extra){"OBKV.NEXT_DROP_MS", bytes_of(f->next_expiry, 8)};
        f->extra[n++] = (struct hfile_extra){"OBKV.KEY_BYTES", bytes_of(f->key_bytes, 8)};
        f->extra[n++] = (struct hfile_extra){"OBKV.RULES", bytes_str(o->rules_hash)};
    }
    w.obkv = true;
    w.extra = f->extra;
    w.n_extra = n;
    f->w = hfile_writer_open(&w, f->out, err);
    return f->w ? 0 : -1;
}

int open_run_files(struct output_opts *o, unsigned workers, uint32_t families, struct err *err) {
    if (o->as_runs) o->runs = kept_run_files_new(o->dir, workers, families, o->quota, err);
    return o->as_runs && !o->runs ? -1 : 0;
}

int open_pack_files(struct output_opts *o, struct err *err) {
    if (o->as_packs) o->packs = pack_files_new(o->dir, o->quota, err);
    return o->as_packs && !o->packs ? -1 : 0;
}

static int open_run(const struct output_opts *o, const struct output_slot *slot, struct open_file *f, struct err *err) {
    f->worker = (unsigned)omp_get_thread_num();
    struct outfile *out = kept_run_file(o->runs, f->worker, slot->family, slot->family_name, err);
    f->run = out ? kept_run_create(out, err) : NULL;
    return f->run ? 0 : -1;
}

static int open_file(const struct output_opts *o, const struct output_slot *slot, struct open_file *f, uint32_t number,
                     struct err *err) {
    f->number = number;
    if (o->runs) return open_run(o, slot, f, err);
    char *name = partition_file_path(slot, number, err), *path = name ? fs_join(o->dir, name, err) : NULL;
    if (path && o->packs) {
        f->put = pack_files_begin(o->packs, slot->family, slot->family_name, name, o->all_open, err);
        f->out = f->put ? pack_files_out(f->put) : NULL;
    } else if (path) {
        f->out = outfile_create(path, o->quota, err);
    }
    free(name);
    free(path);
    return f->out ? open_hfile(o, slot, f, err) : -1;
}

static bool is_open(const struct open_file *f) {
    return f->w || f->run;
}

static void drop_file(struct open_file *f) {
    hfile_writer_close(f->w);
    kept_run_free(f->run);
    if (f->put)
        pack_files_free_put(f->put);
    else
        outfile_close(f->out);
    f->w = NULL;
    f->run = NULL;
    f->put = NULL;
    f->out = NULL;
}

/* Ends the bytes of an HFile: its name and checksum. */
static int end_bytes(const struct output_slot *slot, struct open_file *f, struct manifest_file *m, struct err *err) {
    if (f->put) {
        struct pack_entry e = {.partition = m->partition,
                               .number = m->number,
                               .kv_bytes = m->kv_bytes,
                               .tally = m->tally,
                               .ts_min = m->ts_min,
                               .ts_max = m->ts_max,
                               .first_row = buf_bytes(&m->first_row),
                               .last_row = buf_bytes(&m->last_row)};
        return pack_files_end(f->put, &e, m->checksum, &m->path, err);
    }
    m->path = partition_file_path(slot, f->number, err);
    return !m->path || outfile_finish(f->out, m->checksum, err) || remote_put(outfile_path(f->out), err) ? -1 : 0;
}

static int end_hfile(const struct output_slot *slot, struct open_file *f, struct manifest_file *m, struct file_counts *counts,
                     struct err *err) {
    struct hfile_write_stats st;
    put_be64(f->next_expiry, (uint64_t)f->next_drop_ms);
    put_be64(f->key_bytes, hfile_writer_key_bytes(f->w));
    if (hfile_writer_finish(f->w, &st, err)) return -1;
    m->tally = st.tally;
    m->file_bytes = st.file_bytes;
    m->kv_bytes = st.kv_bytes;
    *counts = (struct file_counts){st.deletes, st.duplicates, st.ts_min, st.ts_max};
    m->ts_min = st.ts_min;
    m->ts_max = st.ts_max;
    if (buf_copy(&m->first_row, st.first_row, err) || buf_copy(&m->last_row, st.last_row, err)) return -1;
    return end_bytes(slot, f, m, err);
}

/* Nobody asks how many cells of a run have one key, and it has no digest. */
static int end_run(const struct output_slot *slot, struct open_file *f, struct manifest_file *m, struct file_counts *counts,
                   struct err *err) {
    struct kept_run_stats st;
    if (kept_run_finish(f->run, &st, err)) return -1;
    m->tally.cells = st.cells;
    m->offset = st.offset;
    m->file_bytes = st.bytes;
    m->kv_bytes = st.kv_bytes;
    *counts = (struct file_counts){st.deletes, 0, st.ts_min, st.ts_max};
    m->ts_min = st.ts_min;
    m->ts_max = st.ts_max;
    m->path = kept_run_file_path(f->worker, slot->family_name, err);
    if (!m->path) return -1;
    snprintf(m->checksum, sizeof m->checksum, "%016llx", (unsigned long long)st.sum);
    return buf_copy(&m->first_row, st.first_row, err) || buf_copy(&m->last_row, st.last_row, err) ? -1 : 0;
}

static int finish_file(const struct output_slot *slot, struct open_file *f, struct written_files *files, struct tally *written,
                       struct err *err) {
    struct manifest_file m = {.family = slot->family, .partition = slot->partition, .number = f->number};
    struct file_counts counts = NO_FILE_COUNTS;
    if ((f->run ? end_run : end_hfile)(slot, f, &m, &counts, err) || written_files_add(files, &m, err)) {
        manifest_file_free(&m);
        return -1;
    }
    written_files_count(files, &counts);
    tally_add(written, m.tally);
    drop_file(f);
    return 0;
}

/* Takes the moment that src has set for the part just handed out. The source looks no further than that, so each file gets the
 * moment of its own cells, however src cuts rows into parts. */
static void take_moment(struct open_file *f, int64_t *next_drop_ms) {
    if (!next_drop_ms) return;
    if (*next_drop_ms < f->next_drop_ms) f->next_drop_ms = *next_drop_ms;
    *next_drop_ms = INT64_MAX;
}

struct partition_writer {
    struct output_opts o;
    struct output_slot slot;
    struct open_file file;
    struct written_files *files;
    struct tally *written;
    bool in_background;    /* files are written so */
    uint32_t number;       /* of the next file */
    uint64_t cells, bytes; /* since they were last reported; bytes: about */
};

struct partition_writer *partition_writer_open(const struct output_opts *o, const struct output_slot *slot, uint32_t number,
                                               struct written_files *files, struct tally *written, struct err *err) {
    struct partition_writer *s = malloc(sizeof *s);
    if (!s) {
        err_nomem(err, sizeof *s, "an output");
        return NULL;
    }
    *s = (struct partition_writer){.o = *o, .slot = *slot, .files = files, .written = written, .number = number};
    return s;
}

static void pass_on(struct partition_writer *s) {
    if (s->o.passed.add && s->cells) s->o.passed.add(s->o.passed.arg, s->cells);
    s->cells = s->bytes = 0;
}

/* Values of a part are about as long as its first one. */
static inline void count_passed(struct partition_writer *s, const struct row_part *part) {
    enum { CELLS_EVERY = 1 << 14, BYTES_EVERY = 4 << 20 };
    s->cells += part->n_cells;
    s->bytes += part->cells[0].value.n * part->n_cells;
    if (s->cells >= CELLS_EVERY || s->bytes >= BYTES_EVERY) pass_on(s);
}

static int end_file(struct partition_writer *s, struct err *err) {
    return finish_file(&s->slot, &s->file, s->files, s->written, err);
}

static int begin_file(struct partition_writer *s, struct err *err) {
    if (open_file(&s->o, &s->slot, &s->file, s->number++, err)) return -1;
    return s->in_background ? outfile_in_background(s->file.out, true, err) : 0;
}

static int write_parts(struct partition_writer *s, struct source *src, int64_t *next_drop_ms, struct err *err) {
    struct open_file *f = &s->file;
    struct row_part part;
    int more;
    while ((more = source_next(src, &part, err)) == 1) {
        if (f->w && part.first && hfile_writer_kv_bytes(f->w) >= s->o.target_file_bytes && end_file(s, err)) return -1;
        if (!is_open(f) && begin_file(s, err)) return -1;
        take_moment(f, next_drop_ms);
        if (f->run ? kept_run_put(f->run, &part, err) : hfile_writer_put(f->w, &part, err)) return -1;
        count_passed(s, &part);
    }
    return more;
}

static int name_place(const struct partition_writer *s, struct err *err) {
    return err_prefix(err, "family %s, partition %s", s->slot.family_name, s->slot.partition_name);
}

int partition_writer_put(struct partition_writer *s, struct source *src, int64_t *next_drop_ms, struct err *err) {
    return write_parts(s, src, next_drop_ms, err) ? name_place(s, err) : 0;
}

/* ---- out of blocks ---- */

int partition_writer_copy(struct partition_writer *s, const struct hfile *h, const struct block_span *span, struct err *err) {
    if (!is_open(&s->file) && begin_file(s, err)) return -1;
    return hfile_writer_copy(s->file.w, h, span, err) ? name_place(s, err) : 0;
}

const struct hfile_writer *partition_writer_file(const struct partition_writer *s) {
    return s->file.w;
}

int partition_writer_count_copied(struct partition_writer *s, const struct copied_cells *c, int64_t next_drop_ms,
                                  struct err *err) {
    take_moment(&s->file, &next_drop_ms);
    s->cells += c->sums.tally.cells;
    return copied_cells_count(s->file.w, c, err) ? name_place(s, err) : 0;
}

/* ---- out of batches ---- */

/* Rows [from, result) go into the open file, which ends at the first row, that may be `from`, where it is large enough. */
static size_t rows_of_file(const struct partition_writer *s, const struct row_batch *b, size_t from, bool cut_first) {
    uint64_t has = s->file.w ? hfile_writer_kv_bytes(s->file.w) : 0, first = b->rows[from].bytes_before;
    size_t r = cut_first && s->file.w ? from : from + 1;
    if (has + b->sums.kv_bytes - first < s->o.target_file_bytes) return b->n_rows;
    while (r < b->n_rows && has + b->rows[r].bytes_before - first < s->o.target_file_bytes) r++;
    return r;
}

static void take_moments(struct open_file *f, const struct row_batch *b, size_t from, size_t to) {
    for (size_t i = 0; i < b->n_moments; i++) {
        const struct batch_moment *m = &b->moments[i];
        if (m->cell >= b->rows[from].cell && m->cell < batch_row_end(b, to - 1) && m->ms < f->next_drop_ms)
            f->next_drop_ms = m->ms;
    }
}

static int put_rows(struct partition_writer *s, const struct row_batch *b, size_t from, size_t to, struct err *err) {
    struct writer_sums part;
    const struct writer_sums *sums = &b->sums;
    size_t biggest = b->biggest;
    if (to - from < b->n_rows) {
        if (row_batch_sum(b, from, to, &part, &biggest, err)) return -1;
        sums = &part;
    }
    take_moments(&s->file, b, from, to);
    return hfile_writer_put_rows(s->file.w, b, from, to, sums, biggest, err);
}

static int put_batch(struct partition_writer *s, const struct row_batch *b, struct err *err) {
    for (size_t from = 0, to; from < b->n_rows; from = to) {
        to = rows_of_file(s, b, from, from || !b->continues);
        if (to == from ? end_file(s, err) : 0) return -1;
        if (to == from) continue;
        if (!s->file.w && begin_file(s, err)) return -1;
        if (put_rows(s, b, from, to, err)) return -1;
    }
    s->cells += b->n_cells;
    pass_on(s);
    return 0;
}

int partition_writer_put_batch(struct partition_writer *s, const struct row_batch *b, struct err *err) {
    return put_batch(s, b, err) ? name_place(s, err) : 0;
}

void partition_writer_release_batches(struct partition_writer *s) {
#pragma omp taskwait
    if (s->file.w) hfile_writer_release_batches(s->file.w);
}

int partition_writer_in_background(struct partition_writer *s, bool on, struct err *err) {
    s->in_background = on;
    return s->file.out && outfile_in_background(s->file.out, on, err) ? name_place(s, err) : 0;
}

void partition_writer_batch(const struct partition_writer *s, struct row_batch *b) {
    row_batch_init(b, output_family_writer(&s->o, s->slot.family_name), s->slot.partition_name);
}

int partition_writer_pause(struct partition_writer *s, struct err *err) {
    return s->file.w && hfile_writer_pause(s->file.w, err) ? name_place(s, err) : 0;
}

int partition_writer_finish(struct partition_writer *s, struct err *err) {
    pass_on(s);
    return is_open(&s->file) && end_file(s, err) ? name_place(s, err) : 0;
}

uint32_t partition_writer_close(struct partition_writer *s) {
    if (!s) return 0;
    uint32_t number = s->number;
    drop_file(&s->file);
    free(s);
    return number;
}

int write_partition(const struct output_opts *o, const struct output_slot *slot, uint32_t *number, struct source *src,
                    int64_t *next_drop_ms, struct written_files *files, struct tally *written, struct err *err) {
    struct partition_writer *s = partition_writer_open(o, slot, *number, files, written, err);
    if (!s) return -1;
    int rc = partition_writer_put(s, src, next_drop_ms, err);
    if (!rc) rc = partition_writer_finish(s, err);
    *number = partition_writer_close(s);
    return rc;
}
