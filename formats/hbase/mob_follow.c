/* Finds the mob files that a table needs, and those of them that are missing, before its cells are read, so that all can be said
 * at once; or, for a check, whether every value is there. Store files are scanned side by side. Those that list their mob files
 * in file info (MOB_FILE_REFS, since HBase 2.5) need no scan where all of these are there and values are not asked for. */
#include "formats/hbase/mob_follow.h"

#include "base/bytes.h"
#include "base/fs.h"
#include "base/stop.h"
#include "base/warning.h"
#include "engine/memory_plan.h"
#include "formats/hbase/mob_files.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_scan.h"
#include "select/selection_make.h"
#include "select/selector.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A mob file that references name. */
struct known_file {
    struct mob_lack lack; /* lack.values 0: nothing is missing so far */
    bool there;
    uint64_t *rows; /* hashes */
    size_t n_rows;
};

struct follow {
    const struct mob_follow_opts *o;
    pthread_mutex_t lock;
    void *known; /* tree of tsearch() */
    size_t n, bytes;
    uint64_t values;
};

enum { SHOWN = 1000 };

/* State of one thread while it scans one store file. */
struct scanned {
    struct follow *f;
    struct known_file *last;
    struct buf row, value; /* row: of the last value that is missing */
    struct known_file *row_of;
    uint64_t values;
};

/* ---- files that are known ---- */

static int by_reference(const void *pa, const void *pb) {
    const struct mob_lack *a = &((const struct known_file *)pa)->lack, *b = &((const struct known_file *)pb)->lack;
    int c = bytes_cmp(buf_bytes(&a->ns), buf_bytes(&b->ns));
    if (!c) c = bytes_cmp(buf_bytes(&a->table), buf_bytes(&b->table));
    if (!c) c = bytes_cmp(buf_bytes(&a->file), buf_bytes(&b->file));
    return c ? c : (a->family > b->family) - (a->family < b->family);
}

static void free_known(void *p) {
    struct known_file *k = p;
    buf_free(&k->lack.file);
    buf_free(&k->lack.ns);
    buf_free(&k->lack.table);
    free(k->lack.reason);
    free(k->rows);
    free(k);
}

static struct known_file *new_file(struct follow *f, const struct mob_reference *ref, uint32_t family, struct err *err) {
    enum { ENTRY_BYTES = 200 };
    struct known_file *k = calloc(1, sizeof *k);
    char *path = NULL;
    if (!k) {
        err_nomem(err, sizeof *k, "the list of mob files");
        return NULL;
    }
    k->lack.family = family;
    int rc = buf_copy(&k->lack.file, ref->file, err) || buf_copy(&k->lack.ns, ref->ns, err) ||
             buf_copy(&k->lack.table, ref->table, err);
    int there = rc ? -1 : mob_files_find(f->o->stores, ref, family, &path, err);
    free(path);
    k->there = there == 1;
    k->lack.missing = !there;
    if (there >= 0 && tsearch(k, &f->known, by_reference)) {
        f->n++;
        f->bytes += sizeof *k + ENTRY_BYTES;
        return k;
    }
    if (there >= 0) err_nomem(err, sizeof *k, "the list of mob files");
    free_known(k);
    return NULL;
}

/* Returns what is known of a mob file, with the lock. */
static struct known_file *file_of(struct follow *f, const struct mob_reference *ref, uint32_t family, struct err *err) {
    struct known_file key = {.lack = {.family = family,
                                      .file = {.p = (uint8_t *)(uintptr_t)ref->file.p, .n = ref->file.n},
                                      .ns = {.p = (uint8_t *)(uintptr_t)ref->ns.p, .n = ref->ns.n},
                                      .table = {.p = (uint8_t *)(uintptr_t)ref->table.p, .n = ref->table.n}}};
    struct known_file *const *at = tfind(&key, &f->known, by_reference);
    return at ? *at : new_file(f, ref, family, err);
}

static bool is_file_of(const struct known_file *k, const struct mob_reference *ref, uint32_t family) {
    return k && k->lack.family == family && bytes_eq(buf_bytes(&k->lack.file), ref->file) &&
           bytes_eq(buf_bytes(&k->lack.table), ref->table) && bytes_eq(buf_bytes(&k->lack.ns), ref->ns);
}

/* ---- values that are not there ---- */

/* Notes a row, with the lock. Rows of one store file ascend, so each is noted once; those of others are distinguished by their
 * hashes. */
static void note_row(struct scanned *s, struct known_file *k, struct bytes row) {
    struct err ignored = {0};
    if (s->row_of == k && bytes_eq(buf_bytes(&s->row), row)) return;
    s->row_of = buf_copy(&s->row, row, &ignored) ? NULL : k;
    bool room = s->f->bytes + 2 * sizeof *k->rows <= s->f->o->memory_bytes;
    if (!k->lack.more_rows && room && !grow_array(&k->rows, k->n_rows, sizeof *k->rows, "rows", &ignored)) {
        k->rows[k->n_rows++] = XXH3_64bits(row.p, row.n);
        s->f->bytes += 2 * sizeof *k->rows;
    } else {
        k->lack.more_rows = true;
    }
    k->lack.rows++;
}

static int note_lack(struct scanned *s, struct known_file *k, struct bytes row, const char *reason, struct err *err) {
    int rc = 0;
    pthread_mutex_lock(&s->f->lock);
    k->lack.values++;
    note_row(s, k, row);
    if (reason && !k->lack.reason && !k->lack.missing) rc = (k->lack.reason = fs_printf(err, "%s", reason)) ? 0 : -1;
    pthread_mutex_unlock(&s->f->lock);
    return rc;
}

/* ---- references ---- */

static int read_value(struct scanned *s, struct known_file *k, const struct row_part *part, const struct cell *c,
                      struct err *err) {
    struct err why = {0};
    buf_clear(&s->value);
    if (mob_value_try(s->f->o->values, part, c, &s->value, &why) == 0) {
        s->values++;
        return 0;
    }
    if (why.code == ERR_INPUT && !why.sys) return note_lack(s, k, part->row, why.text, err);
    err_keep(err, &why);
    return -1;
}

static int follow_cell(struct scanned *s, const struct row_part *part, const struct cell *c, uint32_t family, struct err *err) {
    struct mob_reference ref = {0};
    struct err why = {0};
    bool is_one = !mob_cell_parse(c, &ref, &why);
    if (!is_one) ref = (struct mob_reference){.file = bytes_str("-")};
    if (!is_file_of(s->last, &ref, family)) {
        pthread_mutex_lock(&s->f->lock);
        s->last = file_of(s->f, &ref, family, err);
        if (s->last && !is_one) s->last->lack.missing = false;
        pthread_mutex_unlock(&s->f->lock);
        if (!s->last) return -1;
    }
    if (!is_one) return note_lack(s, s->last, part->row, why.text, err);
    if (s->last->lack.missing) return note_lack(s, s->last, part->row, NULL, err);
    return s->f->o->values ? read_value(s, s->last, part, c, err) : 0;
}

/* Returns whether all mob files are there that the file's info lists: table/file,file//table/file. */
static bool has_listed_files(struct follow *f, const struct hfile *h, uint32_t family) {
    struct bytes list = hfile_find(h, "MOB_FILE_REFS");
    bool all = list.p != NULL;
    while (all && list.n) {
        const uint8_t *end = memmem(list.p, list.n, "//", 2), *slash = memchr(list.p, '/', list.n);
        struct bytes one = bytes_of(list.p, end ? (size_t)(end - list.p) : list.n);
        list = end ? bytes_of(end + 2, list.n - one.n - 2) : bytes_of(list.p + list.n, 0);
        if (!slash || slash >= one.p + one.n) return false;
        struct bytes table = bytes_of(one.p, (size_t)(slash - one.p)), names = bytes_of(slash + 1, one.n - table.n - 1);
        while (all && names.n) {
            const uint8_t *comma = memchr(names.p, ',', names.n);
            struct mob_reference ref = {.file = bytes_of(names.p, comma ? (size_t)(comma - names.p) : names.n)};
            struct err ignored = {0};
            mob_cell_table(table, &ref);
            names = bytes_of(names.p + ref.file.n + !!comma, names.n - ref.file.n - !!comma);
            if (!mob_cell_names_file(ref.file)) return false;
            pthread_mutex_lock(&f->lock);
            struct known_file *k = file_of(f, &ref, family, &ignored);
            all = k && k->there;
            pthread_mutex_unlock(&f->lock);
        }
    }
    return all;
}

/* Returns whether cells of the file have tags, as references have. */
static bool has_tags(const struct hfile *h) {
    const struct bytes longest = hfile_find(h, "hfile.MAX_TAGS_LEN");
    return longest.n == 4 && be32(longest.p);
}

static int scan_file(struct scanned *s, const struct hfile *h, const struct hfile_view *v, uint32_t family, struct err *err) {
    const struct hfile_scan_opts o = {.start_row = v->start_row, .stop_row = v->stop_row};
    struct source *scan = hfile_scan_open(h, &o, err);
    struct row_part part;
    int rc = scan ? 1 : -1;
    while (rc == 1 && (rc = source_next(scan, &part, err)) == 1) {
        for (uint32_t i = 0; i < part.n_cells && rc == 1; i++) {
            const struct cell *c = &part.cells[i];
            if (mob_cell_is_reference(c) && selection_takes(s->f->o->selection, &part, c) &&
                follow_cell(s, &part, c, family, err))
                rc = -1;
        }
        if (stop_check(s->f->o->job->stop, err)) rc = -1;
    }
    source_close(scan);
    return rc;
}

/* A store file that is damaged is not reported here. */
static int follow_file(struct follow *f, size_t i, struct err *err) {
    struct hfile_view v;
    struct err why = {0};
    const uint32_t family = f->o->stores->files[i].family;
    const char *path = f->o->files->at(f->o->files->arg, i, &v);
    struct bytes now;
    const char *name = f->o->stores->table.families[family].name;
    if (!v.mob || v.left_out || !selection_family(f->o->selection, bytes_str(name), &now)) return 0;
    struct hfile *h = hfile_open(path, f->o->block_limit, &why);
    struct scanned s = {.f = f};
    if (h && has_tags(h) && (f->o->values || !has_listed_files(f, h, family))) (void)scan_file(&s, h, &v, family, &why);
    hfile_close(h);
    buf_free(&s.row);
    buf_free(&s.value);
#pragma omp atomic
    f->values += s.values;
    if (!why.code || why.code == ERR_INPUT || why.code == ERR_UNSUPPORTED) return 0;
    err_keep(err, &why);
    return -1;
}

static int follow_all(struct follow *f, struct err *err) {
    bool failed = false;
#pragma omp parallel for schedule(dynamic, 1) num_threads(job_readers(f->o->job))
    for (size_t i = 0; i < f->o->files->n; i++) {
        struct err mine = {0};
        bool skip;
#pragma omp atomic read
        skip = failed;
        if (skip || (!stop_check(f->o->job->stop, &mine) && !follow_file(f, i, &mine))) continue;
        pthread_mutex_lock(&f->lock);
        err_keep(err, &mine);
        pthread_mutex_unlock(&f->lock);
#pragma omp atomic write
        failed = true;
    }
    return failed ? -1 : 0;
}

/* ---- the result ---- */

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void count_rows(struct known_file *k) {
    if (k->lack.more_rows || !k->n_rows) return;
    qsort(k->rows, k->n_rows, sizeof *k->rows, by_number);
    k->lack.rows = 1;
    for (size_t i = 1; i < k->n_rows; i++) k->lack.rows += k->rows[i] != k->rows[i - 1];
}

/* Takes the file. */
static void take_known(struct mob_follow_result *out, struct known_file *k) {
    count_rows(k);
    out->lost_values += k->lack.values;
    if (k->lack.values) {
        out->lacks[out->n++] = k->lack;
        k->lack = (struct mob_lack){0};
    }
    free_known(k);
}

/* Empties the tree from its least file on. */
static int take_all(struct follow *f, struct mob_follow_result *out, struct err *err) {
    out->lacks = calloc(f->n + 1, sizeof *out->lacks);
    if (!out->lacks) {
        tdestroy(f->known, free_known);
        return err_nomem(err, f->n * sizeof *out->lacks, "the list of mob files");
    }
    while (f->known) {
        struct known_file *k = *(struct known_file *const *)f->known;
        tdelete(k, &f->known, by_reference);
        take_known(out, k);
    }
    return 0;
}

static int by_name(const void *a, const void *b) {
    const struct mob_lack *x = a, *y = b;
    int c = bytes_cmp(buf_bytes(&x->ns), buf_bytes(&y->ns));
    if (!c) c = bytes_cmp(buf_bytes(&x->table), buf_bytes(&y->table));
    if (!c) c = bytes_cmp(buf_bytes(&x->file), buf_bytes(&y->file));
    return c ? c : (x->family > y->family) - (x->family < y->family);
}

int mob_follow(const struct mob_follow_opts *o, struct mob_follow_result *out, struct err *err) {
    struct follow f = {.o = o, .lock = PTHREAD_MUTEX_INITIALIZER};
    *out = (struct mob_follow_result){0};
    int rc = follow_all(&f, err);
    if (take_all(&f, out, err)) rc = -1;
    if (out->n) qsort(out->lacks, out->n, sizeof *out->lacks, by_name);
    out->values = f.values;
    pthread_mutex_destroy(&f.lock);
    return rc;
}

bool mob_follow_wanted(const struct store_files *s, uint32_t family) {
    for (size_t i = 0; i < s->n_mob; i++)
        if (s->mob[i].family == family) return true;
    return s->table.families[family].is_mob || s->table.families[family].may_be_mob;
}

void mob_follow_free(struct mob_follow_result *r) {
    for (size_t i = 0; i < r->n; i++) {
        buf_free(&r->lacks[i].file);
        buf_free(&r->lacks[i].ns);
        buf_free(&r->lacks[i].table);
        free(r->lacks[i].reason);
    }
    free(r->lacks);
    *r = (struct mob_follow_result){0};
}

int mob_follow_put(const struct mob_lack *l, const struct store_files *stores, struct buf *out, struct err *err) {
    const struct mob_reference ref = {
        .file = buf_bytes(&l->file), .ns = buf_bytes(&l->ns), .table = l->table.n ? buf_bytes(&l->table) : (struct bytes){0}};
    if (buf_printf(out, err, "mob file %.*s%s: %llu value%s in %s%llu row%s of family %s", (int)l->file.n,
                   (const char *)l->file.p, l->missing ? " is missing" : "", (unsigned long long)l->values,
                   l->values == 1 ? "" : "s", l->more_rows ? "up to " : "", (unsigned long long)l->rows, l->rows == 1 ? "" : "s",
                   stores->table.families[l->family].name))
        return -1;
    if (!l->missing) return buf_printf(out, err, " cannot be read, the first: %s", l->reason ? l->reason : "damaged");
    return buf_printf(out, err, ", written by ") || mob_files_put_remedy(stores, &ref, l->family, out, err) ? -1 : 0;
}

/* ---- what is missing, for people ---- */

static int warn_of_lacks(const struct mob_follow_result *r, const struct store_files *s, struct buf *first, struct buf *warnings,
                         struct err *err) {
    struct buf line = {0};
    int rc = 0;
    for (size_t i = 0; i < r->n && i < SHOWN && warnings && !rc; i++) {
        buf_clear(&line);
        rc = mob_follow_put(&r->lacks[i], s, &line, err);
        if (!rc && i == 0) rc = buf_copy(first, buf_bytes(&line), err);
        if (!rc)
            rc = warning_add(warnings, WARN_MOB_MISSING, r->lacks[i].values, err, "%s: %.*s", s->what, (int)line.n,
                             (const char *)line.p);
    }
    if (!rc && r->n > SHOWN)
        rc = warning_add(warnings, WARN_MOB_MISSING, 0, err, "%s: and %zu more mob files are missing", s->what, r->n - SHOWN);
    buf_free(&line);
    return rc;
}

int mob_follow_report(const struct mob_follow_result *r, const struct store_files *s, bool lost, struct buf *warnings,
                      struct err *err) {
    struct buf first = {0};
    int rc = warn_of_lacks(r, s, &first, warnings, err);
    if (!rc && r->n && !lost)
        rc = err_set(err, ERR_INPUT,
                     "%s: %zu mob file%s missing, with %llu value%s; copy what the warnings name, or leave these values out with "
                     "--on-damage skip-block; the first: %.*s",
                     s->what, r->n, r->n == 1 ? " is" : "s are", (unsigned long long)r->lost_values,
                     r->lost_values == 1 ? "" : "s", (int)first.n, (const char *)first.p);
    buf_free(&first);
    return rc;
}
