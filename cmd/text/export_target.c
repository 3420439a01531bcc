/* Checks the target of an export. The dataset's partitioning must be that of the target, and every family with cells must have a
 * table there; what the server's version or the shape of a table cannot take is reported before anything is written. */
#include "cmd/common/selection_options.h"
#include "cmd/common/target.h"
#include "cmd/common/target_kind.h"
#include "cmd/common/warnings.h"
#include "cmd/oceanbase/create_sql.h"
#include "cmd/text/export_files.h"
#include "cmd/text/export_target.h"

#include "base/fs.h"
#include "select/selection_make.h"
#include "table/ddl.h"
#include "table/partitioning.h"

#include <stdlib.h>

/* Lengths of tables made without any: the usual definition of OBKV-HBase. */
enum { USUAL_K = 1024, USUAL_Q = 256, USUAL_V = 1048576, HANDMADE_LENGTH = 32767 };

const struct export_form export_kqvt = {.name = "kqvt"};

static bool has_cells(const struct manifest *m, uint32_t family) {
    for (size_t i = 0; i < m->n_files; i++)
        if (m->files[i].family == family) return true;
    return false;
}

static int from_ddl(struct export_task *e, struct table *t, struct err *err) {
    const struct options *o = &e->env->o;
    if (e->asked->table_name) return err_set(err, ERR_USAGE, "--ddl and --name both name the table; give only one of them");
    if (target_room(e->env, err) || ddl_parse_file(o->table.ddl, t, err)) return -1;
    report_warnings(&e->env->reporter, &t->warnings);
    if (!partitioning_eq(&t->partitioning, &e->m.table.partitioning))
        return err_set(err, ERR_USAGE, "%s is partitioned differently from %s; repartition it with obkv-split apply", e->dataset,
                       o->table.ddl);
    for (uint32_t i = 0; i < e->m.table.n_families; i++) {
        struct bytes name = bytes_str(e->m.table.families[i].name);
        if (selection_family(e->o.selection, name, &name) && table_family(t, name) < 0 && has_cells(&e->m, i))
            return err_set(err, ERR_USAGE, "%s has cells in family %.*s, for which %s defines no table", e->dataset, (int)name.n,
                           (const char *)name.p, o->table.ddl);
    }
    return 0;
}

static int name_family(struct family *f, const char *name, struct err *err) {
    free(f->sql_table);
    f->sql_table = fs_printf(err, "%s$%s", name, f->name);
    if (f->k_max == HANDMADE_LENGTH) f->k_max = USUAL_K;
    if (f->q_max == HANDMADE_LENGTH) f->q_max = USUAL_Q;
    if (!f->v_type) {
        f->v_max = USUAL_V;
        f->v_type = fs_printf(err, "varbinary(%d)", USUAL_V);
    }
    return f->sql_table && f->v_type ? 0 : -1;
}

static int from_dataset(struct export_task *e, struct table *t, struct err *err) {
    const char *name = e->asked->table_name;
    int rc = table_copy(&e->m.table, t, err);
    if (!rc) rc = selection_options_families(e->o.selection, t, err);
    for (uint32_t i = 0; !rc && !t->ddl && i < t->n_families; i++)
        t->families[i].has_generated = partitioning_is_generated(&t->partitioning);
    if (rc || !name) return rc;
    if (t->ddl) return err_set(err, ERR_USAGE, "--name: the dataset was made for `%s`; give --ddl for another table", t->name);
    if (!*name || strchr(name, '$'))
        return err_set(err, ERR_USAGE,
                       "--name '%s': expected the name of an HBase table, "
                       "without $",
                       name);
    free(t->name);
    t->name = fs_printf(err, "%s", name);
    for (uint32_t i = 0; !rc && i < t->n_families; i++) rc = name_family(&t->families[i], name, err);
    return t->name ? rc : -1;
}

/* The server follows its own definition, whatever rules the dataset was made under. */
static int take_server_rules(struct table *t, struct err *err) {
    struct table d;
    if (!t->ddl) return 0;
    if (ddl_parse("the dataset's table definition", t->ddl, strlen(t->ddl), &d, err)) return -1;
    for (uint32_t i = 0; i < t->n_families; i++) {
        int k = table_family(&d, bytes_str(t->families[i].name));
        if (k < 0) continue;
        bool mvcc = t->families[i].rules.new_version_behavior; /* of the cells: OceanBase has no such thing */
        t->families[i].rules = d.families[k].rules;
        t->families[i].rules.new_version_behavior = mvcc;
        t->families[i].has_generated = d.families[k].has_generated;
        t->families[i].is_padded = d.families[k].is_padded;
    }
    table_free(&d);
    return 0;
}

static int check_family(const struct export_task *e, const struct family *f, struct err *err) {
    const struct load_source s = {
        .compression = e->o.compression, .ttl_column = f->has_ttl_column, .generated = f->has_generated};
    if (!f->sql_table)
        return err_set(err, ERR_USAGE, "family %s: its table is not known; give --ddl FILE.sql, or --name NAME for `NAME$%s`",
                       f->name, f->name);
    if (f->is_padded)
        return err_set(err, ERR_UNSUPPORTED,
                       "table `%s`: K, Q or V is binary(N), which OceanBase pads with zero bytes, so clients would not read the "
                       "bytes of HBase; make it varbinary(N)",
                       f->sql_table);
    const char *why = load_sql_obstacle(&e->made.target, &s);
    return why ? err_set(err, ERR_USAGE, "table `%s`: %s", f->sql_table, why) : 0;
}

static int check_load(struct export_task *e, struct err *err) {
    const struct table *t = &e->made.table;
    for (uint32_t i = 0; i < t->n_families; i++)
        if (check_family(e, &t->families[i], err)) return -1;
    return e->asked->create ? create_sql_check(t, err) : 0;
}

static int read_form(struct export_task *e, struct err *err) {
    bool loads = !e->o.form->put;
    if (!loads && (e->asked->create || e->asked->strong))
        return err_set(err, ERR_USAGE, "--%s needs load files (--format kqvt)", e->asked->create ? "create" : "strong");
    if (e->asked->hex && !e->o.form->has_hex) return err_set(err, ERR_USAGE, "--hex needs --format csv or jsonl");
    int rc = export_pack_parse(e->asked->compress, &e->o.compression, &e->o.level, err);
    e->made.compression = e->o.compression;
    return rc;
}

/* A delta may be loaded twice, and may hold other values of rows that are there: it is loaded by replacing them. */
static int take_duplicate(struct export_task *e, int *duplicate, struct err *err) {
    const char *asked = e->asked->on_duplicate;
    e->made.delta = e->o.delta = !e->o.form->put && (e->asked->delta || e->m.kind == DATASET_DELTA);
    e->o.night = e->o.delta && !target_kind_is_edits(&e->m);
    *duplicate = asked ? on_duplicate_parse(asked) : e->o.delta ? ON_DUPLICATE_REPLACE : ON_DUPLICATE_ERROR;
    if (*duplicate < 0) return err_set(err, ERR_USAGE, "--on-duplicate '%s': expected error, ignore or replace", asked);
    if (e->o.delta && *duplicate == ON_DUPLICATE_ERROR)
        return err_set(err, ERR_USAGE,
                       "--on-duplicate error: a delta changes rows that exist; give replace (default) or "
                       "ignore");
    return 0;
}

int export_target(struct export_task *e, struct err *err) {
    const struct options *o = &e->env->o;
    struct table *t = &e->made.table;
    int duplicate;
    if (read_form(e, err) || take_duplicate(e, &duplicate, err)) return -1;
    e->o.replace = duplicate == ON_DUPLICATE_REPLACE;
    e->made.target = (struct load_target){.on_duplicate = (enum on_duplicate)duplicate, .parallel = EXPORT_PARALLEL};
    if (load_sql_version(e->asked->target_version, &e->made.target.version))
        return err_set(err, ERR_USAGE, "--target-version '%s': expected a version such as 4.3.5.3", e->asked->target_version);
    if (o->table.ddl ? from_ddl(e, t, err) : from_dataset(e, t, err)) return -1;
    if (e->o.form->put) return 0;
    return take_server_rules(t, err) || check_load(e, err) ? -1 : 0;
}
