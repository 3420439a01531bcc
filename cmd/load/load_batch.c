/* Chooses the files that go into one statement. A direct load takes half a second and more whatever it holds, so files of a table
 * go together: as many as make the fixed cost small, and not so many that an interruption costs much of the whole. Everything
 * else, also what is sent from here, is a batch of one file. */
#include "cmd/load/load_batch.h"
#include "cmd/load/load_external.h"
#include "cmd/load/load_files.h"

#include "base/fs.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/journal.h"
#include "cmd/oceanbase/statements.h"

#include <stdlib.h>

enum { SMALL_TABLE_ROWS = 40000, SMALL_TABLE_BYTES = 16 << 20, NAMES_BYTES = 1 << 20, BATCHES = 16 };
static const uint64_t batch_bytes_least = 2ull << 30, transaction_bytes = 512ull << 20, side_by_side_bytes = 64ull << 20;

/* ---- the list ---- */

static bool is_direct(const struct load_files_opts *o, const struct export_file *f) {
    struct load_source s = export_load_source(o->m, f, "");
    return o->is_oceanbase && load_sql_is_direct(&s);
}

/* Chooses the tables and files that are sent as statements of rows: where rows are replaced, these can be sent again. They are
 * sooner done where there are few rows: of a table, if these would make one direct load; of a file, where each is a statement. */
static void choose_small(struct load_list *l) {
    const struct load_files_opts *o = l->o;
    if (o->target.on_duplicate != ON_DUPLICATE_REPLACE) return;
    for (size_t i = 0, next; i < l->n; i = next) {
        uint64_t rows = 0, bytes = 0;
        for (next = i; next < l->n && l->files[next].file->family == l->files[i].file->family; next++) {
            const struct load_file *f = &l->files[next];
            if (f->state == LOAD_IN || f->file->big) continue;
            rows += f->file->sums.rows;
            bytes += f->file->text_bytes;
        }
        bool few = rows <= SMALL_TABLE_ROWS && bytes <= SMALL_TABLE_BYTES;
        for (; i < next; i++)
            l->files[i].small = export_file_is_small(l->files[i].file) && (few || o->local || !is_direct(o, l->files[i].file));
    }
}

static bool is_external(const struct load_file *f) {
    return f->external && !f->replace && !f->small;
}

/* Returns whether f goes into a statement that locks its table, or that takes many files. */
static bool locks_table(const struct load_list *l, const struct load_file *f) {
    return f->external || (is_direct(l->o, f->file) && !f->small);
}

/* 0: of small tables, one after the other; then one of each large table, then one of each partition. What is sent to a table as
 * rows waits for the statements that lock it. */
static void set_lanes(struct load_list *l) {
    const struct table *t = &l->o->m->table;
    for (size_t i = 0, next; i < l->n; i = next) {
        const uint32_t family = l->files[i].file->family;
        uint64_t bytes = 0;
        bool external = false, locks = false;
        for (next = i; next < l->n && l->files[next].file->family == family; next++) {
            bytes += l->files[next].file->text_bytes;
            external = external || l->files[next].external;
            locks = locks || locks_table(l, &l->files[next]);
        }
        const uint32_t of_table = external || bytes >= side_by_side_bytes ? 1 + family : 0;
        for (; i < next; i++)
            l->files[i].lane =
                locks ? of_table : 1 + t->n_families + family * t->partitioning.count + l->files[i].file->partition;
    }
}

uint64_t load_batch_bytes(uint64_t all, uint64_t least) {
    const uint64_t share = all / BATCHES, most = 64ull << 30;
    return share < least ? least : share > most ? most : share;
}

int load_list_make(struct load_list *l, const struct load_files_opts *o, struct err *err) {
    uint64_t bytes = 0;
    *l = (struct load_list){.o = o, .n = o->m->n_files};
    l->files = calloc(l->n ? l->n : 1, sizeof *l->files);
    if (!l->files) return err_nomem(err, l->n * sizeof *l->files, "the list of files");
    for (size_t i = 0; i < l->n; i++) {
        const struct export_file *f = &o->m->files[i];
        enum journal_state state = journal_state_of(o->journal, f->path, f->checksum);
        l->files[i] = (struct load_file){.file = f, .state = state == JOURNAL_DONE ? LOAD_IN : LOAD_WAITS};
        l->files[i].interrupted = state == JOURNAL_STARTED;
        l->files[i].external = load_external_takes(o, f);
        bytes += f->text_bytes;
    }
    /* Before 'inc', every statement would rewrite what the ones before it loaded. */
    l->batch_bytes = load_sql_has_inc(o->target.version) ? load_batch_bytes(bytes, batch_bytes_least) : UINT64_MAX;
    choose_small(l);
    set_lanes(l);
    return 0;
}

void load_list_free(struct load_list *l) {
    free(l->files);
    l->files = NULL;
}

/* ---- a batch ---- */

static bool lane_runs(const struct load_list *l, uint32_t lane) {
    for (size_t i = l->first; i < l->n; i++)
        if (l->files[i].state == LOAD_RUNS && l->files[i].lane == lane) return true;
    return false;
}

static bool goes_together(const struct load_files_opts *o, const struct load_file *f) {
    return is_external(f) || (!f->small && !o->local && is_direct(o, f->file));
}

static int add_file(struct load_batch *b, struct load_file *f, struct err *err) {
    if (grow_array(&b->files, b->n, sizeof *b->files, "a batch of files", err)) return -1;
    b->files[b->n++] = f;
    f->state = LOAD_RUNS;
    return 0;
}

/* Files of a partition stay together where they can. */
static int fill_batch(struct load_list *l, struct load_batch *b, size_t at, struct err *err) {
    const struct load_files_opts *o = l->o;
    uint64_t bytes = 0, names = 0, most = l->batch_bytes;
    if (is_external(&l->files[at]) && most > transaction_bytes) most = transaction_bytes;
    if (!goes_together(o, &l->files[at])) return add_file(b, &l->files[at], err);
    for (size_t i = at; i < l->n && l->files[i].file->family == l->files[at].file->family; i++) {
        struct load_file *f = &l->files[i];
        if (f->state != LOAD_WAITS || !goes_together(o, f)) continue;
        bytes += f->file->text_bytes;
        names += strlen(o->server_dir) + strlen(f->file->path) + strlen(o->m->table.partitioning.names[f->file->partition]) + 8;
        if (b->n && (bytes > most || names > NAMES_BYTES)) break;
        if (add_file(b, f, err)) return -1;
    }
    return 0;
}

int load_batch_pick(struct load_list *l, struct load_batch *b, bool *more, struct err *err) {
    *more = false;
    *b = (struct load_batch){0};
    while (l->first < l->n && l->files[l->first].state == LOAD_IN) l->first++;
    for (size_t i = l->first; i < l->n; i++) {
        if (l->files[i].state == LOAD_IN) continue;
        *more = true;
        if (l->files[i].state == LOAD_RUNS || lane_runs(l, l->files[i].lane)) continue;
        return fill_batch(l, b, i, err) || load_batch_count(l, b, err) ? -1 : 1;
    }
    return 0;
}

static int add_part(const struct load_list *l, struct load_batch *b, const struct load_file *f, struct err *err) {
    const struct load_files_opts *o = l->o;
    const struct export_file *e = f->file;
    if (grow_array(&b->parts, b->n_parts, sizeof *b->parts, "partitions of a batch", err)) return -1;
    struct load_part *p = &b->parts[b->n_parts++];
    *p = (struct load_part){.family = e->family, .partition = e->partition};
    if (journal_base(o->journal, o->m->table.families[e->family].sql_table, export_partition_name(o->m, e->partition), &p->before,
                     err))
        return -1;
    p->base_empty = !p->before.rows;
    size_t i = (size_t)(f - l->files);
    while (i && l->files[i - 1].file->family == e->family && l->files[i - 1].file->partition == e->partition) i--;
    for (; i < l->n && l->files[i].file->family == e->family && l->files[i].file->partition == e->partition; i++)
        if (l->files[i].state == LOAD_IN)
            cell_sums_add(&p->before, &l->files[i].file->sums);
        else
            p->left++;
    return 0;
}

int load_batch_count(const struct load_list *l, struct load_batch *b, struct err *err) {
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->files[i]->state != LOAD_IN) b->files[n++] = b->files[i];
    b->n = n;
    b->n_parts = 0;
    b->rows = b->file_bytes = b->kept = 0;
    for (size_t i = 0; i < b->n; i++) {
        const struct export_file *f = b->files[i]->file, *last = i ? b->files[i - 1]->file : NULL;
        if ((!last || last->partition != f->partition) && add_part(l, b, b->files[i], err)) return -1;
        cell_sums_add(&b->parts[b->n_parts - 1].batch, &f->sums);
        b->parts[b->n_parts - 1].n++;
        b->rows += f->sums.rows;
        b->file_bytes += f->file_bytes;
    }
    return 0;
}

void load_batch_free(struct load_batch *b) {
    free(b->files);
    free(b->parts);
    *b = (struct load_batch){0};
}

struct load_files_event load_batch_event(const struct load_batch *b, enum load_files_step step) {
    return (struct load_files_event){
        .step = step, .file = b->files[0]->file, .files = b->n, .file_bytes = b->file_bytes, .rows = b->rows};
}

/* ---- its statement ---- */

static int put_paths(struct buf *out, const struct load_files_opts *o, const struct load_batch *b, struct err *err) {
    for (size_t i = 0; i < b->n; i++) {
        char *path = fs_join(o->local ? o->dir : o->server_dir, b->files[i]->file->path, err);
        int rc = path ? buf_printf(out, err, "%s%s", i ? "," : "", path) : -1;
        free(path);
        if (rc) return -1;
    }
    return buf_put_byte(out, 0, err);
}

bool load_batch_is_external(const struct load_batch *b) {
    bool external = b->n > 0;
    for (size_t i = 0; i < b->n; i++) external = external && is_external(b->files[i]);
    return external;
}

static int put_external(struct buf *out, const struct load_files_opts *o, const struct load_batch *b, struct err *err) {
    struct load_external_sql s;
    int rc = load_external_put(&s, o, b, err);
    if (!rc) rc = buf_printf(out, err, "%s;\n%s;\n%s", (char *)s.create.p, (char *)s.insert.p, (char *)s.drop.p);
    load_external_free(&s);
    return rc;
}

int load_batch_put_statement(struct buf *out, const struct load_files_opts *o, const struct load_batch *b, struct err *err) {
    const struct export_file *f = b->files[0]->file;
    struct load_target t = o->target;
    struct buf paths = {0};
    if (load_batch_is_external(b)) return put_external(out, o, b, err);
    if (b->files[0]->small)
        return buf_printf(out, err, "-- %llu rows of %s by REPLACE", (unsigned long long)f->sums.rows, f->path);
    const char **names = calloc(b->n_parts, sizeof *names);
    int rc = names ? put_paths(&paths, o, b, err) : err_nomem(err, b->n_parts * sizeof *names, "names of partitions");
    struct load_source s = export_load_source(o->m, f, (const char *)paths.p);
    s.local = o->local;
    s.partitions = o->is_oceanbase && s.n_partitions ? names : NULL;
    s.n_partitions = b->n_parts;
    for (size_t i = 0; !rc && i < b->n_parts; i++) names[i] = export_partition_name(o->m, b->parts[i].partition);
    for (size_t i = 0; i < b->n; i++)
        if (b->files[i]->replace) t.on_duplicate = ON_DUPLICATE_REPLACE;
    if (!rc) rc = load_sql_put(out, &t, &s, err);
    free(names);
    buf_free(&paths);
    return rc;
}
