/* Finds where in an archive the directories of HBase begin, by the names of its members alone. A root is known by
 * .hbase-snapshot, hbase.version or data/NAMESPACE/TABLE; tables, regions or snapshots on their own by what only they hold. */
#include "base/fs.h"
#include "formats/archive/archive_kind.h"
#include "formats/archive/archive_tree_state.h"
#include "formats/archive/tree_signs.h"

#include <stdlib.h>

struct steps {
    struct bytes s[MEMBER_STEPS_MAX];
    size_t n;
};

static struct steps steps_of(const char *name) {
    struct steps x = {.n = 0};
    while (x.n < MEMBER_STEPS_MAX && member_name_step(&name, &x.s[x.n])) x.n++;
    return x;
}

static bool is(const struct steps *x, size_t i, const char *text) {
    return i < x->n && bytes_eq(x->s[i], bytes_str(text));
}

/* data/<namespace>/<table> is in a root, or in its archive, mobdir or .tmp. */
static bool root_of_table(const struct steps *x, size_t table, size_t *root) {
    if (table < 3 || !is(x, table - 3, "data")) return false;
    *root = table - 3;
    while (*root && (is(x, *root - 1, "archive") || is(x, *root - 1, "mobdir") || is(x, *root - 1, ".tmp"))) --*root;
    return true;
}

enum sign { SIGN_NONE, SIGN_ROOT, SIGN_TABLE };

/* Returns the sign of the directory that a member reveals: the first *at steps of its name. */
static enum sign sign_of(const struct steps *x, size_t *at) {
    size_t last = x->n - 1, table;
    for (size_t i = 0; i < x->n; i++) {
        *at = i;
        if (is(x, i, ".hbase-snapshot")) return SIGN_ROOT;
    }
    *at = last;
    if (is(x, last, "hbase.version")) return SIGN_ROOT;
    if (is(x, last, ".snapshotinfo") || is(x, last, "data.manifest")) return SIGN_TABLE;
    if (is(x, last, ".regioninfo")) {
        table = last ? last - 1 : 0;
    } else {
        size_t i = 0;
        while (i < x->n && !is(x, i, ".tabledesc") && !is(x, i, ".filelist")) i++;
        if (i == x->n) return SIGN_NONE;
        table = is(x, i, ".tabledesc") || i < 2 ? i : i - 2; /* a list is in a family of a region */
    }
    if (root_of_table(x, table, at)) return SIGN_ROOT;
    *at = table;
    return SIGN_TABLE;
}

static char *first_steps(const struct steps *x, size_t n, struct err *err) {
    struct buf b = {0};
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) {
        if (i) rc = buf_put_byte(&b, '/', err);
        if (!rc) rc = buf_put(&b, x->s[i].p, x->s[i].n, err);
    }
    if (!rc) rc = buf_put_byte(&b, 0, err);
    if (rc) buf_free(&b);
    return (char *)b.p;
}

/* Takes ownership of root. */
static void add_root(struct tree_signs *s, char *root) {
    for (unsigned i = 0; i < s->n_roots; i++)
        if (!strcmp(s->roots[i], root)) return free(root);
    if (s->n_roots < TREE_ROOTS_MAX) {
        s->roots[s->n_roots++] = root;
    } else {
        s->more_roots = true;
        free(root);
    }
}

/* Cuts *common to the steps that dir begins with, too. */
static void cut_to_common(char *common, const char *dir) {
    const char *a = common, *b = dir, *same = common;
    struct bytes x, y;
    while (member_name_step(&a, &x) && member_name_step(&b, &y) && bytes_eq(x, y)) same = a;
    common[same - common] = 0;
}

int tree_signs_note(struct tree_signs *s, const char *name, struct err *err) {
    static const char manifest[] = "/.backup.manifest";
    struct steps x = steps_of(name);
    const size_t n = strlen(name), image_n = n > sizeof manifest - 1 ? n - (sizeof manifest - 1) : 0;
    size_t at;
    if (image_n && !s->image && !strcmp(name + image_n, manifest))
        return (s->image = fs_printf(err, "%.*s", (int)image_n, name)) ? 0 : -1;
    enum sign sign = x.n ? sign_of(&x, &at) : SIGN_NONE;
    if (sign == SIGN_NONE) return 0;
    char *dir = first_steps(&x, at, err);
    if (!dir) return -1;
    if (sign == SIGN_ROOT) {
        add_root(s, dir);
    } else if (!s->table) {
        s->table = dir;
    } else {
        cut_to_common(s->table, dir);
        free(dir);
    }
    return 0;
}

bool tree_signs_any(const struct tree_signs *s) {
    return s->n_roots || s->table;
}

const char *tree_signs_dir(const struct tree_signs *s, const char *archive, struct err *err) {
    if (s->image) {
        err_set(err, ERR_UNSUPPORTED,
                "%s: holds backups of HBase (%s), which are read after their ancestors, and only from a directory: unpack the "
                "archive, "
                "and give the directory that holds the images",
                archive, s->image);
        return NULL;
    }
    if (s->n_roots == 1) return s->roots[0];
    if (!s->n_roots && s->table) return s->table;
    struct buf text = {0};
    for (unsigned i = 0; i < s->n_roots && !err->code; i++)
        buf_printf(&text, err, "%s%s", i ? ", " : "", s->roots[i][0] ? s->roots[i] : ".");
    if (s->n_roots && !err->code)
        err_set(err, ERR_USAGE, "%s: holds several HBase directories; choose one, as in %s!%s; it holds: %.*s%s", archive,
                archive, s->roots[s->roots[0][0] ? 0 : 1], (int)text.n, (char *)text.p, s->more_roots ? ", …" : "");
    if (!s->n_roots) err_set(err, ERR_INPUT, "%s: holds no HBase directory", archive);
    buf_free(&text);
    return NULL;
}

void tree_signs_free(struct tree_signs *s) {
    for (unsigned i = 0; i < s->n_roots; i++) free(s->roots[i]);
    free(s->table);
    free(s->image);
    *s = (struct tree_signs){0};
}
