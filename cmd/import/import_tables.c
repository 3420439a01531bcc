/* obkv-import --table PATTERN: the matching tables of HBase root directories, one after the other, each into its own directory
 * below OUT and with a session of its own; --table NAME: that table, into OUT. */
#include "cmd/common/environment.h"
#include "cmd/common/input_tree.h"
#include "cmd/common/intake.h"
#include "cmd/common/warnings.h"
#include "cmd/import/import.h"

#include "base/fs.h"
#include "cmd/common/inputs.h"
#include "cmd/import/import_tables.h"
#include "formats/archive/archive_tree_open.h"
#include "formats/hbase/store_files.h"
#include "formats/hbase/tree_catalog.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* HBase writes names of the default namespace without it; a pattern may do either. */
bool import_table_fits(const char *pattern, const struct tree_catalog_entry *e, struct err *err) {
    if (e->snapshot) return false;
    char *full = fs_printf(err, "%s:%s", e->ns, e->table);
    bool yes = full && (fnmatch(pattern, full, 0) == 0 || (!strcmp(e->ns, "default") && fnmatch(pattern, e->table, 0) == 0));
    free(full);
    return yes;
}

static bool is_pattern(const struct options *o) {
    return o->wal.table && strpbrk(o->wal.table, "*?[");
}

int import_tables_named(const struct options *o, bool *is, struct err *err) {
    enum tree_kind kind;
    struct stat st;
    *is = is_pattern(o);
    if (*is || !o->wal.table || o->n_inputs != 1 || o->in.snapshot) return 0;
    if (fs_look(o->inputs[0], &st, err) <= 0) return err->code ? -1 : 0;
    if (!S_ISDIR(st.st_mode)) return 0;
    if (tree_kind_of(o->inputs[0], &kind, err)) return -1;
    *is = kind == TREE_ROOT || kind == TREE_BACKUPS;
    return 0;
}

static int import_table(struct environment *whole, struct intake *intake, import_one_fn *import_one,
                        const struct tree_catalog_entry *e, const char *input, int *code, struct err *err) {
    struct environment env;
    struct intake part;
    char *inputs[] = {fs_printf(err, "%s", input)}, *output;
    output = is_pattern(&whole->o) ? fs_printf(err, "%s/%s.%s", whole->o.out.dir, e->ns, e->table)
                                   : fs_printf(err, "%s", whole->o.out.dir);
    if (!inputs[0] || !output) {
        free(inputs[0]);
        free(output);
        return -1;
    }
    int mine = 0;
    environment_begin_part(&env, whole);
    intake_begin_part(&part, intake);
    env.o.inputs = inputs;
    env.o.n_inputs = 1;
    env.o.out.dir = output;
    env.o.wal.table = NULL;
    part.one_of_tables = true;
    report_say(&whole->reporter, "table %s:%s", e->ns, e->table);
    int rc = import_one(&env, &part, &mine, err);
    environment_explain_full(&env, NULL, err);
    for (unsigned w = 0; w < WARNING_COUNT; w++)
        env.metrics.warnings[w] += env.reporter.warned.n[w] - whole->reporter.warned.n[w];
    intake_end_part(&part);
    environment_end_part(&env, whole);
    free(inputs[0]);
    free(output);
    if (mine > *code) *code = mine;
    return rc ? err_prefix(err, "table %s:%s", e->ns, e->table) : 0;
}

/* Imports the tables of an image, that of backup = ID or the newest: each is read after its ancestors. */
static int import_image(struct environment *env, struct intake *intake, import_one_fn *import_one, const char *root,
                        size_t *found, int *code, struct err *err) {
    struct backup_images all;
    if (backup_images_read(root, &all, err)) return -1;
    const struct backup_image *image = backup_images_find(&all, env->o.in.backup, err);
    const char *asked = env->o.in.backup;
    int rc = image ? 0 : -1;
    for (size_t i = 0; !rc && i < image->n_tables; i++) {
        const struct tree_catalog_entry e = {.ns = image->tables[i].ns, .table = image->tables[i].name};
        if (!import_table_fits(env->o.wal.table, &e, err)) continue;
        char *dir = fs_printf(err, "%s/%s/%s/%s", all.root, image->id, e.ns, e.table);
        (*found)++;
        env->o.in.backup = image->id;
        rc = dir ? import_table(env, intake, import_one, &e, dir, code, err) : -1;
        env->o.in.backup = asked;
        free(dir);
    }
    backup_images_free(&all);
    return err->code ? -1 : rc;
}

/* tree: of an archive, whose tables are read as ARCHIVE!DIRECTORY; NULL: dir is the root itself. */
static int import_all(struct environment *env, struct intake *intake, import_one_fn *import_one, const char *dir,
                      struct archive_tree *tree, size_t *found, int *code, struct err *err) {
    struct tree_catalog c;
    enum tree_kind kind;
    if (tree_kind_of(dir, &kind, err)) return -1;
    if (kind == TREE_BACKUPS && !tree) return import_image(env, intake, import_one, dir, found, code, err);
    if (kind != TREE_ROOT) return err_set(err, ERR_USAGE, "--table: %s is not an HBase root directory", dir);
    if (tree_catalog_read(dir, &c, err)) return -1;
    int rc = 0;
    for (size_t i = 0; !rc && i < c.n; i++) {
        const struct tree_catalog_entry *e = &c.entries[i];
        if (!import_table_fits(env->o.wal.table, e, err)) continue;
        const char *packed = tree ? archive_tree_member(tree, e->dir) : NULL;
        (*found)++;
        rc = import_table(env, intake, import_one, e, packed ? packed : e->dir, code, err);
    }
    struct buf warnings = {0};
    if (!rc) rc = root_strays_warn(dir, &warnings, err);
    report_warnings(&env->reporter, &warnings);
    buf_free(&warnings);
    tree_catalog_free(&c);
    return err->code ? -1 : rc;
}

static int import_root(struct environment *env, struct intake *intake, import_one_fn *import_one, const char *root, size_t *found,
                       int *code, struct err *err) {
    struct input_opts o = environment_input_opts(env);
    struct archive_tree *tree = NULL;
    struct stat st;
    const int there = fs_look(root, &st, err);
    int packed = there < 0 ? -1 : !there || !S_ISDIR(st.st_mode) ? input_tree_open(root, &o, &tree, err) : 0;
    if (packed < 0) return -1;
    int rc = import_all(env, intake, import_one, packed ? archive_tree_dir(tree) : root, tree, found, code, err);
    archive_tree_close(tree);
    return rc;
}

int import_tables(struct environment *env, struct intake *intake, import_one_fn *import_one, int *code, struct err *err) {
    size_t found = 0;
    if (!env->o.n_inputs) return err_set(err, ERR_USAGE, "--table: no HBase root directory given (see obkv-import --help)");
    if (!env->o.out.dir || !env->o.out.dir[0]) return err_set(err, ERR_USAGE, "no output given; give -o DIR");
    if (env->o.in.snapshot)
        return err_set(err, ERR_USAGE,
                       "--table reads tables, --snapshot reads one snapshot; give "
                       "only one of them");
    if (env->o.table.ddl && is_pattern(&env->o))
        return err_set(err, ERR_USAGE,
                       "--ddl defines one table, but this --table reads several; give --partition, or import the tables one "
                       "at a time");
    if (!env->o.out.dry_run && is_pattern(&env->o) && fs_mkdirs(env->o.out.dir, err)) return -1;
    for (int i = 0; i < env->o.n_inputs; i++)
        if (import_root(env, intake, import_one, env->o.inputs[i], &found, code, err)) return -1;
    return found
               ? 0
               : err_set(err, ERR_USAGE, "--table '%s': no table matches; obkv-import --list shows the tables", env->o.wal.table);
}
