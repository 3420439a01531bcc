/* Writes HFiles into packs. An HFile that is longer than a buffer has a pack to itself while it is written; a short one is
 * written when it is complete, so short ones of all threads share the first pack:
 *
 *     thread 1: p00000 ──────────▶ w00000.pack: p00000 | p00002 | p00004 … | index
 *     thread 2: p00001 ──long────▶ w00001.pack: p00001 | index
 *
 * HFiles that are all open at once, as of stores that are read by rows, have files of their own until they end. */
#include "hfile/pack_files.h"

#include "base/fs.h"
#include "base/remote.h"
#include "hfile/pack_member.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An entry, and where its rows are in the pack's buffer. */
struct pack_listed {
    struct pack_entry e;
    size_t rows_at;
};

struct pack {
    char *path; /* below dir */
    uint32_t family;
    struct outfile *out;
    bool busy, is_short; /* being written to; by an HFile that is complete */
    bool torn;           /* has bytes of an HFile that was given up */
    struct pack_listed *list;
    size_t n;
    struct buf rows;
};

struct pack_files {
    const char *dir;
    struct disk_quota *quota;
    pthread_mutex_t lock;
    pthread_cond_t free_now;
    struct pack **packs;
    size_t n;
};

struct pack_put {
    struct pack_files *all;
    uint32_t family;
    const char *name;
    struct outfile *file;
    struct pack *in; /* NULL: nothing was written yet */
    uint64_t offset;
    bool ends, is_own; /* all bytes are known; they have a file of their own */
};

struct pack_files *pack_files_new(const char *dir, struct disk_quota *quota, struct err *err) {
    struct pack_files *l = calloc(1, sizeof *l);
    if (!l) {
        err_nomem(err, sizeof *l, "packs");
        return NULL;
    }
    l->dir = dir;
    l->quota = quota;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->free_now, NULL);
    return l;
}

/* ---- which pack ---- */

static void free_pack(struct pack *p) {
    if (!p) return;
    outfile_close(p->out);
    free(p->path);
    free(p->list);
    buf_free(&p->rows);
    free(p);
}

static struct pack *new_pack(struct pack_files *l, const struct pack_put *m, uint32_t number, struct err *err) {
    struct pack *p = calloc(1, sizeof *p);
    if (!p) {
        err_nomem(err, sizeof *p, "a pack");
        return NULL;
    }
    p->family = m->family;
    p->path = pack_member_pack_path(m->name, number, err);
    char *path = p->path ? fs_join(l->dir, p->path, err) : NULL;
    p->out = path ? outfile_create(path, l->quota, err) : NULL;
    free(path);
    if (p->out && !grow_array(&l->packs, l->n, sizeof(struct pack *), "packs", err)) return l->packs[l->n++] = p;
    free_pack(p);
    return NULL;
}

/* The first pack of the family that is free. A short HFile waits for another one: that takes no time. */
static struct pack *find_pack(struct pack_files *l, const struct pack_put *m, struct err *err) {
    for (;;) {
        uint32_t of_family = 0;
        bool waits = false;
        for (size_t i = 0; i < l->n; i++) {
            struct pack *p = l->packs[i];
            if (p->family != m->family) continue;
            if (!p->busy) return p;
            waits |= p->is_short && m->ends;
            of_family++;
        }
        if (!waits) return new_pack(l, m, of_family, err);
        pthread_cond_wait(&l->free_now, &l->lock);
    }
}

static int take_pack(struct pack_put *m, struct err *err) {
    struct pack_files *l = m->all;
    pthread_mutex_lock(&l->lock);
    struct pack *p = find_pack(l, m, err);
    if (p) {
        p->busy = true;
        p->is_short = m->ends;
        m->in = p;
        m->offset = outfile_size(p->out);
    }
    pthread_mutex_unlock(&l->lock);
    return p ? 0 : -1;
}

static void give_pack(struct pack_put *m) {
    struct pack_files *l = m->all;
    pthread_mutex_lock(&l->lock);
    m->in->busy = false;
    m->in = NULL;
    pthread_cond_broadcast(&l->free_now);
    pthread_mutex_unlock(&l->lock);
}

/* ---- an HFile ---- */

static int put_bytes(void *arg, const void *p, size_t n, struct err *err) {
    struct pack_put *m = arg;
    return (!m->in && take_pack(m, err)) || outfile_write(m->in->out, p, n, err) ? -1 : 0;
}

static int read_back(void *arg, uint64_t *base, struct err *err) {
    struct pack_put *m = arg;
    int fd = outfile_reopen(m->in->out, base, err);
    *base = m->offset;
    return fd;
}

struct pack_put *pack_files_begin(struct pack_files *l, uint32_t family, const char *name, const char *path, bool is_own,
                                  struct err *err) {
    struct pack_put *m = calloc(1, sizeof *m);
    if (!m) {
        err_nomem(err, sizeof *m, "an output");
        return NULL;
    }
    *m = (struct pack_put){.all = l, .family = family, .name = name, .is_own = is_own};
    const struct outfile_sink sink = {put_bytes, read_back, m};
    char *full = fs_join(l->dir, path, err);
    if (full) m->file = is_own ? outfile_create(full, l->quota, err) : outfile_of_sink(&sink, full, err);
    free(full);
    if (m->file) return m;
    free(m);
    return NULL;
}

struct outfile *pack_files_out(struct pack_put *m) {
    return m->file;
}

/* Moves the bytes of a finished file of its own into a pack. */
static int move_bytes(struct pack_put *m, struct err *err) {
    const char *path = outfile_path(m->file);
    if (fs_read_pieces(path, put_bytes, m, err)) return -1;
    if (unlink(path)) return err_sys(err, ERR_OUTPUT, errno, "%s: cannot remove", path);
    if (!remote_name(path)) disk_quota_give(m->all->quota, outfile_size(m->file));
    return 0;
}

static int add_entry(struct pack *p, const struct pack_entry *e, struct err *err) {
    struct pack_listed one = {.e = *e, .rows_at = p->rows.n};
    if (buf_put(&p->rows, e->first_row.p, e->first_row.n, err) || buf_put(&p->rows, e->last_row.p, e->last_row.n, err) ||
        grow_array(&p->list, p->n, sizeof *p->list, "the index of a pack", err))
        return -1;
    p->list[p->n++] = one;
    return 0;
}

int pack_files_end(struct pack_put *m, struct pack_entry *e, char checksum[17], char **path, struct err *err) {
    m->ends = true;
    if (outfile_finish(m->file, checksum, err) || (m->is_own && move_bytes(m, err))) return -1;
    if (!m->in) return err_set(err, ERR_INTERNAL, "%s: an HFile without bytes", outfile_path(m->file));
    e->offset = m->offset;
    e->bytes = outfile_size(m->file);
    e->checksum = strtoull(checksum, NULL, 16);
    if (add_entry(m->in, e, err)) return -1;
    *path = pack_member_path(m->in->path, e->partition, e->number, e->offset, e->bytes, err);
    give_pack(m);
    return *path ? 0 : -1;
}

void pack_files_free_put(struct pack_put *m) {
    if (!m) return;
    outfile_close(m->file);
    if (m->in) {
        m->in->torn = true;
        give_pack(m);
    }
    free(m);
}

/* ---- the end ---- */

/* Entries with their rows, which the pack keeps. */
static struct pack_entry *entries_of(const struct pack *p, struct err *err) {
    struct pack_entry *list = calloc(p->n + 1, sizeof *list);
    if (!list) {
        err_nomem(err, p->n * sizeof *list, "the index of a pack");
        return NULL;
    }
    for (size_t i = 0; i < p->n; i++) {
        struct pack_entry *e = &list[i];
        *e = p->list[i].e;
        e->first_row = bytes_of(p->rows.p + p->list[i].rows_at, e->first_row.n);
        e->last_row = bytes_of(e->first_row.p + e->first_row.n, e->last_row.n);
    }
    return list;
}

static int finish_pack(struct pack *p, struct pack_made *made, struct err *err) {
    struct buf index = {0};
    char checksum[17];
    if (p->torn) return err_set(err, ERR_INTERNAL, "%s: an HFile in it was given up", outfile_path(p->out));
    struct pack_entry *entries = entries_of(p, err);
    int rc = entries ? pack_index_put(&index, entries, p->n, outfile_size(p->out), made, err) : -1;
    if (!rc) rc = outfile_write(p->out, index.p, index.n, err);
    if (!rc) rc = outfile_finish(p->out, checksum, err);
    if (!rc) rc = remote_put(outfile_path(p->out), err);
    made->family = p->family;
    made->path = rc ? NULL : fs_printf(err, "%s", p->path);
    free(entries);
    buf_free(&index);
    return made->path ? 0 : -1;
}

static int by_family(const void *x, const void *y) {
    const struct pack_made *a = x, *b = y;
    if (a->family != b->family) return a->family < b->family ? -1 : 1;
    return strcmp(a->path, b->path);
}

int pack_files_finish(struct pack_files *l, struct pack_made **packs, size_t *n, struct err *err) {
    *n = 0;
    *packs = calloc(l->n + 1, sizeof **packs);
    if (!*packs) return err_nomem(err, l->n * sizeof **packs, "packs");
    for (size_t i = 0; i < l->n; i++) {
        if (finish_pack(l->packs[i], &(*packs)[i], err)) return -1;
        (*n)++;
    }
    if (*n) qsort(*packs, *n, sizeof **packs, by_family);
    return 0;
}

void pack_files_free(struct pack_files *l) {
    if (!l) return;
    for (size_t i = 0; i < l->n; i++) free_pack(l->packs[i]);
    free(l->packs);
    pthread_cond_destroy(&l->free_now);
    pthread_mutex_destroy(&l->lock);
    free(l);
}
