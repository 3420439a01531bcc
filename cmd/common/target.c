/* Finds the table that a run is about. Its definition comes from --ddl, a dataset or the HBase directories among the inputs, in
 * this order; version rules of HBase go before those of a definition, and options before all. */
#include "cmd/common/input_list.h"
#include "cmd/common/selection_options.h"
#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/common/input_mob.h"

#include "cmd/common/target.h"
#include "cmd/common/table_options.h"
#include "cmd/common/warnings.h"
#include "engine/memory_plan.h"
#include "select/selection_make.h"
#include "table/ddl.h"
#include "table/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int target_room(const struct environment *env, struct err *err) {
    static const char *const files[] = {"range:", "ddl:"};
    struct list_room room = memory_room(&env->job, MEMORY_PARTITIONS);
    const char *path = env->o.table.ddl, *given = env->o.table.partition;
    for (size_t i = 0; given && !path && i < countof(files); i++)
        if (!strncmp(given, files[i], strlen(files[i]))) path = given + strlen(files[i]);
    char what[400];
    if (!path) return 0;
    snprintf(what, sizeof what, "%.300s: the definition of partitions takes", path);
    return list_room_take_file(&room, path, what, err);
}

static int apply_rule_options(struct environment *env, struct target *target, struct err *err) {
    if (rule_options_apply(&env->o, &target->table.default_rules, err)) return -1;
    for (uint32_t i = 0; i < target->table.n_families; i++) {
        struct family *f = &target->table.families[i];
        if (rule_options_apply(&env->o, &f->rules, err)) return -1;
        if (f->hbase_rules.versions && rule_options_apply(&env->o, &f->hbase_rules, err)) return -1;
    }
    return 0;
}

static int base_table(struct environment *env, const struct selection *selection, struct target *target,
                      const struct table *fallback, struct err *err) {
    if (env->o.table.ddl) return ddl_parse_file(env->o.table.ddl, &target->table, err);
    if (fallback)
        return table_copy(fallback, &target->table, err) || selection_options_families(selection, &target->table, err) ? -1 : 0;
    target->open_families = true;
    return table_handmade(&target->table, err);
}

int target_make(struct environment *env, struct intake *intake, struct target *target, const struct table *fallback,
                struct err *err) {
    if (target_room(env, err) || base_table(env, intake->selection, target, fallback, err)) return -1;
    if (env->o.table.partition) {
        if (env->o.table.ddl)
            return err_set(err, ERR_USAGE,
                           "--ddl and --partition both define the partitions; give only "
                           "one of them");
        struct partitioning p = {0};
        if (partitioning_parse(env->o.table.partition, &p, &target->table.warnings, err)) return -1;
        partitioning_free(&target->table.partitioning);
        target->table.partitioning = p;
        free(target->table.ddl); /* it defines another partitioning */
        target->table.ddl = NULL;
        target->table.client_order_differs = partitioning_client_differs(&p);
    } else if (target->open_families) {
        return err_set(err, ERR_USAGE, "no partitioning given; give --ddl FILE.sql, or --partition none | key:N | range:FILE");
    }
    if (target->open_families &&
        column_options_families(&env->o, intake->mapping, intake->selection, &target->table, &target->open_families, err))
        return -1;
    report_warnings(&env->reporter, &target->table.warnings);
    if (apply_rule_options(env, target, err)) return -1;
    target->placement = placement_new(&target->table.partitioning, err);
    return target->placement ? 0 : -1;
}

static const char *rules_words(const struct family_rules *r, char out[96]) {
    char versions[32] = "all", ttl[32] = "forever";
    if (r->versions != UINT32_MAX) snprintf(versions, sizeof versions, "%u", r->versions);
    if (r->ttl_s) snprintf(ttl, sizeof ttl, "%llu s", (unsigned long long)r->ttl_s);
    snprintf(out, 96, "versions %s, TTL %s", r->versions_given ? versions : "unsaid", ttl);
    return out;
}

/* Returns the stricter of both rules: what HBase has hidden is not to come back, and what the target would hide need not be
 * loaded. */
static struct family_rules stricter(const struct family_rules *hbase, const struct family_rules *target) {
    struct family_rules r = *hbase;
    if (target->versions_given && target->versions < r.versions) r.versions = target->versions;
    if (target->ttl_s > 0 && (r.ttl_s <= 0 || target->ttl_s < r.ttl_s)) r.ttl_s = target->ttl_s;
    return r;
}

/* HBase's rules for a family: what the target's definition says of versions and TTL has no say in what HBase still shows. */
static void take_rules(struct environment *env, struct target *target, struct family *f, const struct family_rules *from) {
    const struct family_rules *stated = &f->rules;
    char a[96], b[96];
    bool differs = (stated->versions_given && stated->versions != UINT32_MAX && stated->versions != from->versions) ||
                   (stated->ttl_s && stated->ttl_s != from->ttl_s);
    if (env->o.table.ddl && from->versions_given && differs)
        report_warn(&env->reporter, WARN_RULES_DIFFER, 1,
                    "family %s: %s says %s, HBase says %s; using %s (options "
                    "override both)",
                    f->name, env->o.table.ddl, rules_words(stated, a), rules_words(from, b),
                    compaction_is_oceanbase(target->kind) ? "the stricter rules" : "HBase's rules");
    if (!from->versions_given) return;
    if (compaction_is_oceanbase(target->kind) && env->o.table.ddl) {
        f->hbase_rules = *from;
        f->rules = stricter(from, stated);
    } else {
        f->rules = *from;
    }
}

int target_refuse_snapshot(const struct environment *env, struct err *err) {
    return err_set(err, ERR_USAGE, "--snapshot %s: no input is an HBase root directory", env->o.in.snapshot);
}

int target_of_inputs(struct environment *env, struct intake *intake, struct target *target, const struct table *fallback,
                     const struct input_list *in, struct err *err) {
    struct table t;
    if (env->o.in.snapshot && !in->n_stores) return target_refuse_snapshot(env, err);
    if (env->o.in.backup && !in->n_stores)
        return err_set(err, ERR_USAGE, "backup %s: no input is a directory of HBase's backups", env->o.in.backup);
    int stores = input_list_table(in, &t, err);
    if (stores <= 0) return stores ? -1 : target_make(env, intake, target, fallback, err);
    int rc = 0;
    if (!fallback && !env->o.table.ddl && !env->o.table.partition)
        rc = err_set(err, ERR_USAGE, "no partitioning given; give --ddl FILE.sql, or --partition none | key:N | range:FILE");
    else
        rc = target_make(env, intake, target, fallback ? fallback : &t, err);
    if (!rc) rc = selection_options_families(intake->selection, &t, err);
    if (!rc && fallback && !env->o.table.ddl) rc = target_add_families(env, target, &t, err);
    for (uint32_t i = 0; !rc && i < target->table.n_families; i++) {
        int from = table_family(&t, bytes_str(target->table.families[i].name));
        if (from >= 0) take_rules(env, target, &target->table.families[i], &t.families[from].rules);
    }
    if (!rc) rc = apply_rule_options(env, target, err);
    table_free(&t);
    return rc;
}

/* People gather the files of a family in a directory of their own. */
static int refuse_misnamed(const struct environment *env, const struct input_store *store, struct err *err) {
    char *inside = survey_misnamed(&store->survey, job_block_limit(&env->job, 1), err);
    if (!inside) return err->code ? -1 : 0;
    const char *called = store->files.table.families[0].name;
    err_set(err, ERR_USAGE,
            "%s: the files hold cells of family %s, but their directory is called %s: rename it to %s, or give the files "
            "themselves (%s/*)",
            store->files.what, inside, called, inside, called);
    free(inside);
    return -1;
}

int target_survey(struct environment *env, struct intake *intake, struct target *target, struct input_list *in, struct err *err) {
    if (input_list_survey(in, &env->job, &intake->input_warnings, err)) return -1;
    for (uint32_t i = 0; i < in->n_stores; i++)
        if (refuse_misnamed(env, in->stores[i], err)) return -1;
    if (input_mob_find_missing(in, &env->job, intake->selection, intake->on_damage != DAMAGE_FAILS, &intake->input_warnings, err))
        return -1;
    if (!env->o.table.ddl || strcmp(env->o.out.max_rejects, "0") != 0) return 0;
    for (uint32_t i = 0; i < in->n_stores; i++) {
        const struct store_files *from = &in->stores[i]->files;
        for (size_t k = 0; k < from->n_files; k++) {
            const char *name = from->table.families[from->files[k].family].name;
            struct bytes now;
            if (!selection_family(intake->selection, bytes_str(name), &now)) continue;
            if (in->stores[i]->survey.files[k].cells && table_family(&target->table, now) < 0)
                return err_set(
                    err, ERR_USAGE,
                    "%s has cells in family %s, for which %s defines no table (with --max-rejects they become rejects)",
                    from->what, name, env->o.table.ddl);
        }
    }
    return 0;
}

int target_add_families(struct environment *env, struct target *target, const struct table *t, struct err *err) {
    for (uint32_t i = 0; i < t->n_families; i++) {
        const struct family *from = &t->families[i];
        if (table_family(&target->table, bytes_str(from->name)) >= 0) continue;
        if (table_add_family(&target->table, bytes_str(from->name), err)) return -1;
        struct family *f = &target->table.families[target->table.n_families - 1];
        f->k_max = from->k_max;
        f->q_max = from->q_max;
        f->v_max = from->v_max;
        f->rules = from->rules;
        if (rule_options_apply(&env->o, &f->rules, err)) return -1;
    }
    return 0;
}

int target_open(struct environment *env, struct target *target, struct err *err) {
    target->open_families = true;
    environment_temp_elsewhere(env);
    if (env->o.table.ddl) {
        target->open_families = false;
        if (target_room(env, err) || ddl_parse_file(env->o.table.ddl, &target->table, err)) return -1;
    } else if (table_handmade(&target->table, err)) {
        return -1;
    }
    target->placement = placement_new(&target->table.partitioning, err);
    return target->placement ? 0 : -1;
}

/* Warns, with OceanBase's rules, of what HBase's descriptor sets and OceanBase has no attribute for. */
static void warn_unknown_rules(struct environment *env, const struct family *f) {
    const struct family_rules *r = family_hbase_rules(f);
    char text[160];
    size_t n = 0;
    if (r->keep_deleted != KEEP_DELETED_FALSE)
        n += (size_t)snprintf(text + n, sizeof text - n, " KEEP_DELETED_CELLS %s",
                              r->keep_deleted == KEEP_DELETED_TTL ? "TTL" : "TRUE");
    if (r->min_versions) n += (size_t)snprintf(text + n, sizeof text - n, " MIN_VERSIONS %u", r->min_versions);
    if (r->purge_deletes_after_ms) n += (size_t)snprintf(text + n, sizeof text - n, " purge delay");
    if (n)
        report_warn(&env->reporter, WARN_RULES_IGNORED, 1, "family %s:%s: OceanBase has no such rule; it is ignored", f->name,
                    text);
}

int target_need_rules(struct environment *env, struct target *target, struct err *err) {
    if (target->open_families && !env->o.rules.versions)
        return err_set(err, ERR_USAGE, "number of versions not given; give --versions N (or 'unlimited'), or --ddl");
    for (uint32_t i = 0; i < target->table.n_families; i++) {
        const struct family *f = &target->table.families[i];
        if (!f->rules.versions_given)
            return err_set(err, ERR_USAGE,
                           "family %s: number of versions not given; give --versions N (or 'unlimited'), or --ddl", f->name);
        if (compaction_is_oceanbase(target->kind)) warn_unknown_rules(env, f);
    }
    return 0;
}

int target_read_inputs(struct environment *env, struct intake *intake, struct target *target, const struct table *fallback,
                       struct input_list *in, struct err *err) {
    for (int i = 0; i < env->o.n_inputs; i++)
        if (intake_add(env, in, env->o.inputs[i], err)) return -1;
    if (column_options_wanted(&env->o, in, err) || target_of_inputs(env, intake, target, fallback, in, err)) return -1;
    const struct reject_limit any = {.percent = 100};
    intake->rejects = reject_log_new(&any, NULL, NULL, err);
    return intake->rejects ? input_list_survey(in, &env->job, &intake->input_warnings, err) : -1;
}

void target_close(struct environment *env, struct target *target) {
    if (!env->metrics.table[0] && target->table.name)
        snprintf(env->metrics.table, sizeof env->metrics.table, "%s", target->table.name);
    placement_free(target->placement);
    table_free(&target->table);
}
