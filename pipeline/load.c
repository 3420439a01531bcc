#include "pipeline/load.h"

#include "formats/cells_text.h"
#include "formats/hfile_view.h"
#include "pipeline/whole_files.h"

#include <errno.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/* An input while it is being read: readers outlive their last chunk until it has been parsed. */
struct open_input {
    struct open_input *next;
    struct reader *reader;
    const char *path; /* borrowed */
    uint64_t file_bytes;
    uint32_t index, in_flight;
    bool exhausted;
};

/* As one thread knows it: families of a table without DDL are found while reading, under the lock. */
struct known_family {
    uint32_t index;
    struct family limits; /* shallow: the strings stay with the table */
};

/* One thread's end of the pipeline. */
struct emitter {
    struct emit base;
    struct loader *l;
    unsigned thread;
    struct ledger ledger; /* of the current chunk */
    uint64_t client_rows;
    struct reject_batch rejects;
    struct buf scratch;
    struct chunk chunk;
    const char *path; /* of its records, for messages; valid while it is parsed */
    bool is_text;     /* of its format */
    struct known_family known[LOAD_FAMILIES_MOST];
    uint32_t n_known;
    struct cell good[PART_MAX_CELLS];
};

struct loader {
    struct load_opts o;
    omp_lock_t lock;
    struct open_input *open;    /* all that are not retired */
    struct open_input *current; /* being handed out; NULL = open the next one */
    uint32_t next_input;
    size_t next_file; /* of it, where it has many */
    uint64_t next_seq;
    uint64_t next_data_block, next_block; /* the number of the next input's first one: see read_opts.blocks */
    struct emitter *emitters;
    struct ledger ledger;
    uint64_t client_rows, done_bytes, total_bytes;
    struct whole_files *whole; /* DAMAGE_SKIPS_FILE */
    struct err err;
    bool stop;
};

static struct emitter *emitter_of(struct emit *e) {
    return (struct emitter *)e;
}
static void why_set(struct reason *why, uint32_t column, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void why_set(struct reason *why, uint32_t column, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why->text, sizeof why->text, fmt, ap);
    va_end(ap);
    why->column = column;
}

/* ---- checks against the table ---- */

/* A family nobody declared: added, or refused for what its name is. Under the lock. 1, 0 (*why) or -1. */
static int new_family(struct table *t, struct bytes name, struct reason *why, struct err *err) {
    struct err bad = {0};
    if (t->n_families == LOAD_FAMILIES_MAX)
        return err_set(err, ERR_LIMIT, "'%.*s' is a family more than the %d that are taken as data names them: give --ddl",
                       (int)name.n, (const char *)name.p, LOAD_FAMILIES_MAX);
    if (table_add_family(t, name, &bad) == 0) return 1;
    if (bad.code != ERR_USAGE) return err_keep(err, &bad), -1;
    why_set(why, 0, "%.200s", bad.text);
    return 0;
}

/* 1 = *out is the family, 0 = the table has none of this name (why), -1 = error. */
static int find_family(struct emitter *e, struct bytes name, const struct known_family **out, struct reason *why,
                       struct err *err) {
    for (uint32_t i = 0; i < e->n_known; i++) {
        *out = &e->known[i];
        if (bytes_eq(bytes_str(e->known[i].limits.name), name)) return 1;
    }
    if (e->n_known == LOAD_FAMILIES_MOST) return err_set(err, ERR_LIMIT, "more than %d families in one run", LOAD_FAMILIES_MOST);
    struct table *t = e->l->o.read.table;
    omp_set_lock(&e->l->lock);
    int i = table_family(t, name), rc = i >= 0;
    if (i < 0 && e->l->o.read.open_families)
        rc = new_family(t, name, why, err);
    else if (i < 0)
        why_set(why, 0, "the table has no family '%.*s'", (int)(name.n > 100 ? 100 : name.n), (const char *)name.p);
    if (rc == 1) {
        if (i < 0) i = (int)t->n_families - 1;
        *out = &e->known[e->n_known++];
        e->known[e->n_known - 1] = (struct known_family){(uint32_t)i, t->families[i]};
    }
    omp_unset_lock(&e->l->lock);
    return rc;
}

static bool row_fits(const struct family *f, struct bytes row, struct reason *why) {
    if (row.n == 0)
        why_set(why, 0, "row key is empty");
    else if (row.n > f->k_max)
        why_set(why, 0, "row key of %zu bytes, column K of family %s holds %u", row.n, f->name, f->k_max);
    else
        return true;
    return false;
}

static bool cell_fits(const struct emitter *e, const struct family *f, const struct cell *c, struct reason *why) {
    uint64_t most = e->l->o.max_value_bytes;
    if (c->qualifier.n > f->q_max)
        why_set(why, 0, "qualifier of %zu bytes, column Q of family %s holds %u", c->qualifier.n, f->name, f->q_max);
    else if (c->value.n > f->v_max)
        why_set(why, 0, "value of %zu bytes, column V of family %s holds %llu", c->value.n, f->name,
                (unsigned long long)f->v_max);
    else if (most && c->value.n > most)
        why_set(why, 0, "value of %zu bytes, --max-cell-size allows %llu", c->value.n, (unsigned long long)most);
    else if (c->ts_ms < 0)
        why_set(why, 0, "timestamp %lld is negative", (long long)c->ts_ms);
    else if (c->seq > INT64_MAX)
        why_set(why, 0, "sequence id %llu does not fit a signed 64-bit number", (unsigned long long)c->seq);
    else if (c->tags.n && !tags_valid(c->tags))
        why_set(why, 0, "tags are malformed");
    else
        return true;
    return false;
}

/* A partition for every cell: of one, or of the row where that decides. */
static bool place(struct emitter *e, const struct row_part *part, struct reason *why) {
    const struct load_opts *o = &e->l->o;
    uint32_t partition, n;
    for (uint32_t i = 0; i < part->n_cells; i += n) {
        enum place_result r = placement_run(o->placement, part, i, &n, &partition);
        if (r == PLACE_OK) continue;
        why_set(why, 0, "%s", placement_why(r));
        return false;
    }
    if (!o->skip_client_check && placement_client_differs(o->placement, part->row)) e->client_rows++;
    return true;
}

/* Of a part that has been placed. Where partitions depend on qualifier or timestamp it is divided, its order kept. */
static int deliver(struct emitter *e, uint32_t family, const struct row_part *part, struct err *err) {
    const struct load_opts *o = &e->l->o;
    uint32_t partition, n;
    for (uint32_t i = 0; i < part->n_cells; i += n) {
        struct row_part piece = *part;
        placement_run(o->placement, part, i, &n, &partition);
        piece.cells += i;
        piece.n_cells = n;
        if (n != part->n_cells) piece.shape = 0;
        if (o->consumer.put(o->consumer.arg, e->thread, family, partition, &piece, err)) return -1;
    }
    return 0;
}

/* ---- emit: text records ---- */

/* 1 fits, 0 refused, -1 error. */
static int part_fits(struct emitter *e, const struct row_part *part, uint32_t *family, struct reason *why, struct err *err) {
    const struct known_family *f;
    int rc = find_family(e, part->family, &f, why, err);
    if (rc != 1) return rc;
    *family = f->index;
    if (!row_fits(&f->limits, part->row, why)) return 0;
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (!cell_fits(e, &f->limits, &part->cells[i], why)) return 0;
    return 1;
}

static int emit_record(struct emit *base, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err) {
    struct emitter *e = emitter_of(base);
    uint32_t families[LOAD_FAMILIES_MOST];
    if (n > LOAD_FAMILIES_MOST)
        return err_set(err, ERR_LIMIT, "a record with %u families: at most %d fit", n, LOAD_FAMILIES_MOST);
    for (uint32_t i = 0; i < n; i++) {
        int rc = part_fits(e, &parts[i], &families[i], why, err);
        if (rc != 1) return rc;
        bool same = i && bytes_eq(parts[i].row, parts[i - 1].row);
        if (!same || placement_splits_rows(e->l->o.placement)) rc = place(e, &parts[i], why);
        if (rc != 1) return rc;
    }
    e->ledger.records_read++;
    e->ledger.records_accepted++;
    for (uint32_t i = 0; i < n; i++) {
        if (digest_part(&e->scratch, &parts[i], &e->ledger.in, err)) return -1;
        if (deliver(e, families[i], &parts[i], err)) return -1;
    }
    return 1;
}

/* Rejects are written in input order, so a chunk waits for those before it: other threads have them in hand. Where a run
 * is ending anyway, those behind are not needed any more. */
static int flush_rejects(struct emitter *e, struct err *err) {
    struct loader *l = e->l;
    for (;;) {
        struct timespec moment = {.tv_nsec = 500000};
        omp_set_lock(&l->lock);
        bool turn = reject_log_has_turn(l->o.rejects, e->chunk.seq), stop = l->stop;
        int rc = turn ? reject_log_flush(l->o.rejects, e->is_text, &e->rejects, err) : 0;
        omp_unset_lock(&l->lock);
        if (stop && !turn) reject_batch_clear(&e->rejects);
        if (turn || stop) return rc;
        if (stop_check(l->o.job->stop, err)) return -1;
        nanosleep(&moment, NULL);
    }
}

static int emit_reject(struct emit *base, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why,
                       struct err *err) {
    struct emitter *e = emitter_of(base);
    e->ledger.records_read++;
    e->ledger.records_rejected++;
    if (!e->l->o.rejects) {
        char at[32] = "";
        if (line) snprintf(at, sizeof at, "%llu:", (unsigned long long)line);
        err_set(err, ERR_INPUT, "%s:%s byte %llu: %s", e->path, at, (unsigned long long)offset, why->text);
        return -1;
    }
    if (reject_batch_add(&e->rejects, e->path, raw, line, offset, why->column, why->text, err)) return -1;
    return reject_batch_is_large(&e->rejects) ? flush_rejects(e, err) : 0;
}

static void emit_skip(struct emit *base, uint64_t records) {
    struct emitter *e = emitter_of(base);
    e->ledger.records_read += records;
    e->ledger.records_skipped += records;
}

/* ---- emit: cells of binary inputs ---- */

static int reject_cell(struct emitter *e, const struct row_part *part, const struct cell *c, const struct reason *why,
                       struct err *err) {
    struct row_part one = *part;
    struct digest d;
    struct buf text = {0};
    one.cells = c;
    one.n_cells = 1;
    if (digest_cell(&e->scratch, &one, c, &d, err)) return -1;
    tally_one(&e->ledger.in, d);
    tally_one(&e->ledger.rejected, d);
    int rc = cells_print(&text, &one, err);
    if (!rc && text.n && text.p[text.n - 1] == '\n') text.n--;
    if (!rc) rc = emit_reject(&e->base, buf_bytes(&text), 0, 0, why, err);
    buf_free(&text);
    return rc;
}

static bool place_one(struct emitter *e, const struct row_part *part, const struct cell *c, struct reason *why) {
    struct row_part one = *part;
    one.cells = c;
    one.n_cells = 1;
    return !placement_splits_rows(e->l->o.placement) || place(e, &one, why);
}

/* The slow path: some cell is bad or says "latest". The good ones go on as one part. */
static int sift_cells(struct emitter *e, const struct row_part *part, const struct known_family *f, const struct reason *row_why,
                      struct err *err) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        struct cell c = part->cells[i];
        struct reason why = *row_why;
        if (c.ts_ms == INT64_MAX) c.ts_ms = e->l->o.read.default_ts_ms;
        if (row_why->text[0] || !cell_fits(e, &f->limits, &c, &why) || !place_one(e, part, &c, &why)) {
            if (reject_cell(e, part, &c, &why, err)) return -1;
            continue;
        }
        e->good[n++] = c;
    }
    if (!n) return 0;
    struct row_part good = *part;
    good.cells = e->good;
    good.n_cells = n;
    e->ledger.records_read += n;
    e->ledger.records_accepted += n;
    if (digest_part(&e->scratch, &good, &e->ledger.in, err)) return -1;
    good.n_cells = 1; /* "latest" may have moved a cell behind its neighbours: one record each keeps the order contract */
    for (uint32_t i = 0; i < n; i++) {
        good.cells = &e->good[i];
        if (deliver(e, f->index, &good, err)) return -1;
    }
    return 0;
}

static bool cells_plain(const struct emitter *e, const struct family *f, const struct row_part *part) {
    struct reason why;
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (part->cells[i].ts_ms == INT64_MAX || !cell_fits(e, f, &part->cells[i], &why)) return false;
    return true;
}

static int emit_cells(struct emit *base, const struct row_part *part, const struct tally *tally, struct err *err) {
    struct emitter *e = emitter_of(base);
    struct reason why;
    bool splits = placement_splits_rows(e->l->o.placement);
    const struct known_family *f = NULL;
    reason_clear(&why);
    int rc = find_family(e, part->family, &f, &why, err);
    if (rc < 0) return -1;
    bool sound = rc && row_fits(&f->limits, part->row, &why) && (splits || place(e, part, &why));
    if (!sound || !cells_plain(e, &f->limits, part) || (splits && !place(e, part, &(struct reason){0})))
        return sift_cells(e, part, f, &why, err);
    e->ledger.records_read += part->n_cells;
    e->ledger.records_accepted += part->n_cells;
    if (tally)
        tally_add(&e->ledger.in, *tally);
    else if (digest_part(&e->scratch, part, &e->ledger.in, err))
        return -1;
    return deliver(e, f->index, part, err);
}

/* ---- emit: what is missing ---- */

static int emit_lost(struct emit *base, const struct lost *lost, struct err *err) {
    struct emitter *e = emitter_of(base);
    e->ledger.lost.places++;
    if (!e->l->o.rejects) return err_set(err, ERR_INPUT, "%s: %s", e->path, lost->reason);
    if (reject_batch_add_lost(&e->rejects, e->path, lost, err)) return -1;
    return reject_batch_is_large(&e->rejects) ? flush_rejects(e, err) : 0;
}

static void emit_lost_cells(struct emit *base, uint64_t cells) {
    struct lost_count *lost = &emitter_of(base)->ledger.lost;
    if (cells == LOST_UNKNOWN)
        lost->uncounted++;
    else
        lost->cells += cells;
}

static const struct emit_ops emitter_ops = {.record = emit_record,
                                            .cells = emit_cells,
                                            .reject = emit_reject,
                                            .skip = emit_skip,
                                            .lost = emit_lost,
                                            .lost_cells = emit_lost_cells};

/* ---- handing out chunks (under the lock) ---- */

static void skip_empty(struct loader *l) {
    while (l->next_input < l->o.n_inputs && l->o.inputs[l->next_input].files && !l->o.inputs[l->next_input].files->n)
        l->next_input++;
}

static void step(struct loader *l, uint64_t file_bytes) {
    l->next_block += block_choice_count(&l->o.read.blocks, file_bytes);
    const struct load_files *files = l->o.inputs[l->next_input].files;
    if (files && ++l->next_file < files->n) return;
    l->next_file = 0;
    l->next_input++;
    skip_empty(l);
}

/* What comes next: path, and how a store sees it. */
static const char *peek_next(const struct loader *l, struct hfile_view *view) {
    const struct load_input *in = &l->o.inputs[l->next_input];
    *view = (struct hfile_view){.file_bytes = in->file_bytes};
    return in->files ? in->files->at(in->files->arg, l->next_file, view) : in->path;
}

static int open_next(struct loader *l, struct err *err) {
    struct load_input *in = &l->o.inputs[l->next_input];
    struct open_input *cur = calloc(1, sizeof *cur);
    struct read_opts o = l->o.read;
    struct hfile_view view;
    if (!cur) return err_nomem(err, sizeof *cur, "an input");
    cur->index = l->next_input;
    cur->path = peek_next(l, &view);
    cur->file_bytes = view.file_bytes;
    o.view = in->files ? &view : NULL;
    o.blocks.first = l->next_block;
    o.blocks.data_blocks = &l->next_data_block;
    if (!(cur->reader = format_open(cur->path, in->format_name, &o, &in->format, err))) {
        free(cur);
        return -1;
    }
    step(l, view.file_bytes);
    cur->next = l->open;
    l->open = l->current = cur;
    return 0;
}

/* The next file is left out as a whole. damage names it, perhaps. */
static int lose_next(struct loader *l, struct emitter *e, const char *damage, uint64_t cells, struct err *err) {
    struct load_input *in = &l->o.inputs[l->next_input];
    struct hfile_view view;
    const char *path = peek_next(l, &view);
    size_t n = strlen(path);
    bool named = !strncmp(damage, path, n) && damage[n] == ':';
    struct lost lost = {.reason = named ? damage + n + 2 : damage, .cells = cells};
    if (!l->o.rejects) return err_set(err, ERR_INPUT, "%s", damage);
    if (!in->format) in->format = format_by_name("hfile");
    l->done_bytes += view.file_bytes;
    e->ledger.lost.places++;
    emit_lost_cells(&e->base, cells);
    step(l, view.file_bytes);
    return reject_batch_add_lost(&e->rejects, path, &lost, err);
}

/* Opens the next file that is not left out. 1, 0 = there is none, -1. */
static int open_some(struct loader *l, struct emitter *e, struct err *err) {
    while (l->next_input < l->o.n_inputs) {
        const struct file_verdict *v = l->whole ? whole_files_verdict(l->whole, l->next_input, l->next_file) : NULL;
        if (!v || !v->damage) return open_next(l, err) ? -1 : 1;
        if (lose_next(l, e, v->damage, v->cells, err)) return -1;
    }
    return 0;
}

/* All chunks of the input are parsed: its totals must hold. */
static int retire(struct loader *l, struct open_input *in, struct err *err) {
    int rc = in->reader->ops->finish ? in->reader->ops->finish(in->reader, err) : 0;
    if (rc) err_prefix(err, "%s", in->path);
    if (in->reader->ops->checksum) in->reader->ops->checksum(in->reader, l->o.inputs[in->index].checksum);
    l->done_bytes += in->file_bytes;
    struct open_input **at = &l->open;
    while (*at != in) at = &(*at)->next;
    *at = in->next;
    in->reader->ops->close(in->reader);
    free(in);
    return rc;
}

static int hand_out(struct loader *l, struct emitter *e, struct open_input **from, struct err *err) {
    for (;;) {
        if (!l->current) {
            int rc = open_some(l, e, err);
            if (rc <= 0) return rc;
        }
        struct open_input *in = l->current;
        e->chunk.rank_base = 0;
        e->chunk.origin = NULL;
        int more = in->reader->ops->next(in->reader, &e->chunk, err);
        if (more < 0) return -1;
        if (more) {
            in->in_flight++;
            e->chunk.seq = l->next_seq++;
            *from = in;
            return 1;
        }
        in->exhausted = true;
        l->current = NULL;
        if (!in->in_flight && retire(l, in, err)) return -1;
    }
}

static void tell_progress(struct loader *l) {
    const struct progress *p = &l->o.job->progress;
    uint64_t done = l->done_bytes;
    if (!p->report) return;
    if (l->current) done += l->current->reader->ops->input_bytes(l->current->reader);
    p->report(p->arg, "read", done, l->total_bytes);
}

/* What was left out behind the last chunk is a chunk of its own. */
static int settle_lost(struct loader *l, struct emitter *e, struct err *err) {
    if (!e->ledger.lost.places) return 0;
    ledger_add(&l->ledger, &e->ledger);
    return reject_log_submit(l->o.rejects, l->next_seq++, false, &e->rejects, err);
}

/* Books a parsed chunk. */
static int settle(struct loader *l, struct emitter *e, struct open_input *from, int rc, struct err *err) {
    struct load_input *in = &l->o.inputs[from->index];
    ledger_add(&l->ledger, &e->ledger);
    in->records += e->ledger.records_read;
    tally_add(&in->tally, e->ledger.in);
    l->client_rows += e->client_rows;
    e->client_rows = 0;
    if (l->o.rejects && reject_log_submit(l->o.rejects, e->chunk.seq, e->is_text, &e->rejects, err)) rc = -1;
    if (l->o.rejects && reject_log_hopeless(l->o.rejects)) l->stop = true;
    from->in_flight--;
    if (from->exhausted && !from->in_flight && !rc) rc = retire(l, from, err);
    tell_progress(l);
    return rc;
}

static int work(struct loader *l, struct emitter *e, struct err *err) {
    for (;;) {
        struct open_input *from = NULL;
        if (stop_check(l->o.job->stop, err)) return -1;
        e->ledger = (struct ledger){0};
        omp_set_lock(&l->lock);
        bool go = !l->stop && !(l->o.consumer.full && l->o.consumer.full(l->o.consumer.arg));
        int more = go ? hand_out(l, e, &from, err) : 0;
        if (!more && settle_lost(l, e, err)) more = -1;
        omp_unset_lock(&l->lock);
        if (more <= 0) return more;
        e->path = e->chunk.origin ? e->chunk.origin->path : from->path;
        e->is_text = (e->chunk.origin ? e->chunk.origin->format : l->o.inputs[from->index].format)->is_text;
        if (l->o.begin) l->o.begin(l->o.consumer.arg, e->thread, e->chunk.seq);
        int rc = from->reader->ops->parse(from->reader, &e->chunk, l->o.inputs[from->index].group, &e->base, err);
        omp_set_lock(&l->lock);
        rc = settle(l, e, from, rc, err);
        omp_unset_lock(&l->lock);
        if (rc) return rc;
    }
}

int loader_run(struct loader *l, struct err *err) {
    if (l->o.read.on_damage == DAMAGE_SKIPS_FILE && !l->whole && !(l->whole = whole_files_check(&l->o, err))) return -1;
#pragma omp parallel num_threads(l->o.threads)
    {
        struct err mine = {0};
        if (work(l, &l->emitters[omp_get_thread_num()], &mine)) {
            omp_set_lock(&l->lock);
            err_keep(&l->err, &mine);
            l->stop = true;
            omp_unset_lock(&l->lock);
        }
    }
    if (l->err.code) {
        err_keep(err, &l->err);
        return -1;
    }
    return !l->stop && (l->current || l->next_input < l->o.n_inputs);
}

/* ---- life ---- */

int load_input_look(struct load_input *in, struct err *err) {
    struct stat st;
    if (in->files || !strcmp(in->path, "-")) return 0;
    if (stat(in->path, &st)) return err_sys(err, ERR_INPUT, errno, "%s", in->path);
    if (S_ISDIR(st.st_mode)) return err_set(err, ERR_UNSUPPORTED, "%s is a directory, a file is expected", in->path);
    in->file_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    in->mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    return 0;
}

struct loader *loader_new(const struct load_opts *o, struct err *err) {
    struct loader *l = calloc(1, sizeof *l);
    if (!l) return err_nomem(err, sizeof *l, "reading"), NULL;
    l->o = *o;
    omp_init_lock(&l->lock);
    if (o->n_inputs > RANK_INPUTS_MAX) {
        err_set(err, ERR_LIMIT, "%u inputs: at most %d fit one run", o->n_inputs, RANK_INPUTS_MAX);
        goto fail;
    }
    if (!(l->emitters = calloc(o->threads, sizeof *l->emitters))) {
        err_nomem(err, o->threads * sizeof *l->emitters, "reading");
        goto fail;
    }
    for (unsigned t = 0; t < o->threads; t++) {
        l->emitters[t].base.ops = &emitter_ops;
        l->emitters[t].l = l;
        l->emitters[t].thread = t;
    }
    for (uint32_t i = 0; i < o->n_inputs; i++) {
        if (load_input_look(&o->inputs[i], err)) goto fail;
        l->total_bytes += o->inputs[i].file_bytes;
    }
    skip_empty(l);
    return l;
fail:
    loader_free(l);
    return NULL;
}

const struct ledger *loader_ledger(const struct loader *l) {
    return &l->ledger;
}

uint64_t loader_client_rows(const struct loader *l) {
    return l->client_rows;
}

void loader_free(struct loader *l) {
    if (!l) return;
    for (struct open_input *in; (in = l->open);) {
        l->open = in->next;
        in->reader->ops->close(in->reader);
        free(in);
    }
    for (unsigned t = 0; l->emitters && t < l->o.threads; t++) {
        reject_batch_free(&l->emitters[t].rejects);
        buf_free(&l->emitters[t].scratch);
        buf_free(&l->emitters[t].chunk.data);
    }
    free(l->emitters);
    whole_files_free(l->whole);
    omp_destroy_lock(&l->lock);
    free(l);
}
