/* The images below the directory that `hbase backup` was given, and the chain of images that a table is read from: the image
 * asked for, and its ancestors back to the last full one, as RestoreTablesClient takes them
 * (BackupManifest.getDependentListByTable). */
#include "base/fs.h"
#include "base/near_name.h"
#include "formats/hbase/backup_images.h"

#include <errno.h>
#include <stdlib.h>

/* ---- the images of a root ---- */

struct backup_gathering {
    struct backup_images *out;
    const char *root;
};

/* backup_1396650096738, or with the name of a set before it. */
static bool is_image_name(const char *name) {
    const char *at = strrchr(name, '_');
    return name[0] != '.' && at && at[1] && at[1 + strspn(at + 1, "0123456789")] == 0;
}

static int add_problem(struct backup_images *b, const char *text, struct err *err) {
    b->n_problems++;
    return buf_printf(&b->problems, err, "%s\n", text);
}

static int add_image(struct backup_images *b, const char *dir, struct err *err) {
    struct err damage = {0};
    if (grow_array(&b->images, b->n, sizeof *b->images, "the list of backups", err)) return -1;
    if (!backup_image_read(dir, &b->images[b->n], &damage)) {
        b->n++;
        return 0;
    }
    if (damage.code == ERR_INPUT) return add_problem(b, damage.text, err);
    err_keep(err, &damage);
    return -1;
}

static int visit_image(void *arg, const char *name, bool is_dir, struct err *err) {
    struct backup_gathering *g = arg;
    if (!is_dir) return 0;
    char *dir = fs_join(g->root, name, err);
    int there = dir ? fs_exists_in(dir, BACKUP_MANIFEST, err) : -1;
    char *lost =
        there || !is_image_name(name)
            ? NULL
            : fs_printf(err, "%s: holds no %s: the backup did not finish, or hidden files were not copied", dir, BACKUP_MANIFEST);
    if (there == 1) there = add_image(g->out, dir, err);
    if (lost) there = add_problem(g->out, lost, err);
    free(lost);
    free(dir);
    return there || err->code ? -1 : 0;
}

static int by_time(const void *a, const void *b) {
    const struct backup_image *x = a, *y = b;
    return x->start_ms != y->start_ms ? (x->start_ms < y->start_ms ? -1 : 1) : strcmp(x->id, y->id);
}

int backup_images_read(const char *root, struct backup_images *out, struct err *err) {
    *out = (struct backup_images){.root = realpath(root, NULL)};
    if (!out->root) return err_sys(err, ERR_INPUT, errno, "%s", root);
    struct backup_gathering g = {out, out->root};
    int rc = directory_each(out->root, visit_image, &g, err) < 0 ? -1 : 0;
    if (out->n) qsort(out->images, out->n, sizeof *out->images, by_time);
    if (rc) backup_images_free(out);
    return rc;
}

void backup_images_free(struct backup_images *b) {
    for (size_t i = 0; i < b->n; i++) backup_image_free(&b->images[i]);
    free(b->images);
    free(b->root);
    buf_free(&b->problems);
    *b = (struct backup_images){0};
}

static const struct backup_image *refuse_newest(const struct backup_images *b, struct err *err) {
    const char *end = b->n_problems ? memchr(b->problems.p, '\n', b->problems.n) : NULL;
    if (end)
        err_set(err, ERR_INPUT, "%.*s%s; give --config backup=ID for another image", (int)(end - (const char *)b->problems.p),
                (const char *)b->problems.p, b->n_problems > 1 ? " (and others)" : "");
    else
        err_set(err, ERR_INPUT, "%s holds no image of a backup", b->root);
    return NULL;
}

static const struct backup_image *no_such_image(const struct backup_images *b, const char *id, struct err *err) {
    enum { SAID_MAX = 20 };
    struct buf text = {0};
    struct near_name near = near_name_to(bytes_str(id));
    char meant[NEAR_NAME_MAX + 48];
    int rc = 0;
    for (size_t i = 0; i < b->n && !rc; i++) {
        near_name_offer(&near, bytes_str(b->images[i].id));
        if (i < SAID_MAX) rc = buf_printf(&text, err, "%s%s", i ? ", " : "", b->images[i].id);
    }
    if (!rc && b->n_problems) { /* it may be one of those that cannot be read */
        buf_free(&text);
        return refuse_newest(b, err);
    }
    if (!rc && b->n > SAID_MAX) rc = buf_printf(&text, err, " and %zu more", b->n - SAID_MAX);
    if (!rc)
        err_set(err, ERR_USAGE, "%s holds no backup image %s; it holds: %.*s%s", b->root, id, (int)text.n, (const char *)text.p,
                near_name_text(&near, "", meant));
    buf_free(&text);
    return NULL;
}

const struct backup_image *backup_images_find(const struct backup_images *b, const char *id, struct err *err) {
    if (!id) return b->n && !b->n_problems ? &b->images[b->n - 1] : refuse_newest(b, err);
    for (size_t i = 0; i < b->n; i++)
        if (strcmp(b->images[i].id, id) == 0) return &b->images[i];
    return no_such_image(b, id, err);
}

/* ---- the chain of a table ---- */

struct linking {
    const char *root;
    const struct backup_image *image;
    const struct backup_table *table;
    const struct backup_image **taken; /* newest first */
    size_t n;
    struct buf missing;
};

/* Orders images from the newest, by time, then by id. */
static int newest_first(const void *a, const void *b) {
    return by_time(*(const struct backup_image *const *)b, *(const struct backup_image *const *)a);
}

static int take_images(struct linking *l, struct err *err) {
    const struct backup_image *b = l->image;
    l->taken = calloc(b->n_ancestors + 1, sizeof *l->taken);
    if (!l->taken) return err_nomem(err, b->n_ancestors * sizeof *l->taken, "the ancestors of a backup");
    l->taken[l->n++] = b;
    for (size_t i = 0; i < b->n_ancestors && !b->is_full; i++)
        if (backup_image_has(&b->ancestors[i], l->table->ns, l->table->name)) l->taken[l->n++] = &b->ancestors[i];
    if (l->n > 1) qsort(l->taken + 1, l->n - 1, sizeof *l->taken, newest_first);
    size_t kept = 0;
    bool full = false;
    for (size_t i = 0; i < l->n && !full; i++) {
        if (kept && strcmp(l->taken[kept - 1]->id, l->taken[i]->id) == 0) continue;
        full = l->taken[i]->is_full;
        l->taken[kept++] = l->taken[i];
    }
    l->n = kept;
    if (full) return 0;
    return err_set(err, ERR_INPUT, "backup image %s of table %s:%s: none of its %zu ancestors is full", b->id, l->table->ns,
                   l->table->name, b->n_ancestors);
}

static int add_directory(struct linking *l, const struct backup_image *b, struct backup_chain *out, struct err *err) {
    char *dir = fs_printf(err, "%s/%s/%s/%s", l->root, b->id, l->table->ns, l->table->name);
    int there = dir ? fs_exists(dir, err) : -1;
    if (there == 0)
        there = buf_printf(&l->missing, err, "%s%s (%s)", l->missing.n ? ", " : "", b->id, b->is_full ? "full" : "incremental");
    out->dirs[out->n++] = dir;
    return there < 0 ? -1 : 0;
}

static int find_directories(struct linking *l, struct backup_chain *out, struct err *err) {
    out->dirs = calloc(l->n + 1, sizeof *out->dirs);
    if (!out->dirs) return err_nomem(err, l->n * sizeof *out->dirs, "the ancestors of a backup");
    for (size_t i = l->n; i-- > 0;)
        if (add_directory(l, l->taken[i], out, err)) return -1;
    if (!l->missing.n) return 0;
    return err_set(err, ERR_INPUT,
                   "backup image %s of table %s:%s is read with its ancestors, of which are missing in %s: %.*s; copy them there",
                   l->image->id, l->table->ns, l->table->name, l->root, (int)l->missing.n, (const char *)l->missing.p);
}

static int choose_table(const struct backup_image *b, const char *ns, const char *table, const struct backup_table **out,
                        struct err *err) {
    enum { SAID_MAX = 20 };
    struct buf text = {0};
    int rc = 0;
    *out = !table && b->n_tables == 1 ? b->tables : NULL;
    for (size_t i = 0; table && i < b->n_tables && !*out; i++)
        if (!strcmp(b->tables[i].ns, ns) && !strcmp(b->tables[i].name, table)) *out = &b->tables[i];
    if (*out) return 0;
    for (size_t i = 0; i < b->n_tables && i < SAID_MAX && !rc; i++)
        rc = buf_printf(&text, err, "%s%s:%s", i ? ", " : "", b->tables[i].ns, b->tables[i].name);
    if (!rc && table)
        err_set(err, ERR_USAGE, "backup image %s has no table %s:%s; it has: %.*s", b->id, ns, table, (int)text.n,
                (const char *)text.p);
    else if (!rc)
        err_set(err, ERR_USAGE,
                "backup image %s has several tables; give --table NAME (obkv-import), or the directory of one, "
                "ROOT/%s/NAMESPACE/TABLE, with --config backup=%s; it has: %.*s",
                b->id, b->id, b->id, (int)text.n, (const char *)text.p);
    buf_free(&text);
    return -1;
}

int backup_chain_make(const struct backup_images *b, const struct backup_image *image, const char *ns, const char *table,
                      struct backup_chain *out, struct err *err) {
    struct linking l = {.root = b->root, .image = image};
    *out = (struct backup_chain){0};
    int rc = choose_table(image, ns, table, &l.table, err);
    if (!rc) rc = take_images(&l, err);
    if (!rc) rc = find_directories(&l, out, err);
    free(l.taken);
    buf_free(&l.missing);
    return rc;
}

int backup_chain_alone(const char *dir, const struct backup_image *image, struct backup_chain *out, struct err *err) {
    const struct backup_table *table;
    *out = (struct backup_chain){0};
    if (choose_table(image, NULL, NULL, &table, err)) return -1;
    out->dirs = calloc(1, sizeof *out->dirs);
    if (!out->dirs) return err_nomem(err, sizeof *out->dirs, "the directories of a backup");
    out->dirs[out->n++] = fs_printf(err, "%s/%s/%s", dir, table->ns, table->name);
    return out->dirs[0] ? 0 : -1;
}

void backup_chain_free(struct backup_chain *c) {
    for (size_t i = 0; i < c->n; i++) free(c->dirs[i]);
    free(c->dirs);
    *c = (struct backup_chain){0};
}
