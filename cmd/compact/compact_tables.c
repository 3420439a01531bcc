/* Datasets that are compacted together, and do not look as if they were meant to be: of tables with other names, with other
 * version rules, or a delta before the table that it changes. */
#include "cmd/common/warnings.h"
#include "cmd/compact/base_policy.h"

#include "engine/file_rules.h"

#include <string.h>

static bool says_nothing(const struct family_rules *r) {
    return !r->versions_given && !r->min_versions && !r->ttl_s && !r->keep_deleted && !r->purge_deletes_after_ms;
}

/* Two datasets with different rules for one family: the first one's are used. Compared states may have different ones. */
static void warn_rules(struct environment *env, struct target *target, const char *path, const struct table *t) {
    if (target->kind == COMPACTION_CHANGES || env->o.table.ddl || env->o.rules.versions || env->o.rules.ttl ||
        env->o.rules.min_versions || env->o.rules.keep_deleted || env->o.rules.purge_deletes_after)
        return;
    for (uint32_t f = 0; f < t->n_families; f++) {
        char a[RULES_HASH_BYTES], b[RULES_HASH_BYTES];
        int i = table_family(&target->table, bytes_str(t->families[f].name));
        rules_text_hash(&t->families[f].rules, target->kind, a);
        rules_text_hash(&target->table.families[i].rules, target->kind, b);
        if (strcmp(a, b) && !says_nothing(&t->families[f].rules))
            report_warn(
                &env->reporter, WARN_RULES_DIFFER, 1,
                "%s has other version rules for family %s; using those of the first dataset; if they have changed, give --ddl",
                path, t->families[f].name);
    }
}

/* --ddl may give the table a new name. A base is the whole table, and the result is the next one: the cells of two tables would
 * be mixed for good. */
static int check_name(struct environment *env, const struct manifest *m, int first, int i, struct err *err) {
    const char *a = env->o.inputs[first], *b = env->o.inputs[i];
    if (!strcmp(m[first].table.name, m[i].table.name)) return 0;
    if (compact_options(&env->o)->base && !first && !env->reporter.allowed[WARN_TABLE_NAMES_DIFFER])
        return err_set(err, ERR_USAGE,
                       "--base %s is of table %s, and %s of table %s; if it is the same table under two names, give --allow "
                       "table-names-differ",
                       a, m[first].table.name, b, m[i].table.name);
    report_warn(&env->reporter, WARN_TABLE_NAMES_DIFFER, 1, "%s is of table %s, and %s of table %s", a, m[first].table.name, b,
                m[i].table.name);
    return 0;
}

/* As a rule its name is mistyped, so that the cells that it should change stay as they were. With --ddl it is refused. */
static void warn_families(struct environment *env, const struct table *base, const char *path, const struct table *t) {
    for (uint32_t f = 0; f < t->n_families; f++)
        if (table_family(base, bytes_str(t->families[f].name)) < 0)
            report_warn(&env->reporter, WARN_FAMILY_NEW, 1, "%s holds family %s, which the base lacks; check its name", path,
                        t->families[f].name);
}

int compact_check_tables(struct environment *env, struct target *target, const struct manifest *m, const bool *is_dataset, int n,
                         enum tie_rule tie, struct err *err) {
    int named = -1, delta = -1; /* the first of each */
    for (int i = 0; i < n; i++) {
        if (!is_dataset[i]) continue;
        warn_rules(env, target, env->o.inputs[i], &m[i].table);
        if (i && compact_options(&env->o)->base) warn_families(env, &m[0].table, env->o.inputs[i], &m[i].table);
        if (m[i].table.name && named < 0) named = i;
        if (m[i].table.name && check_name(env, m, named, i, err)) return -1;
        if (m[i].kind == DATASET_DELTA && delta < 0) delta = i;
        if (m[i].kind != DATASET_DELTA && delta >= 0 && tie == TIE_BY_INPUT)
            report_warn(&env->reporter, WARN_INPUT_ORDER, 1,
                        "the delta %s comes before %s, whose cells win at equal timestamps; give the table first",
                        env->o.inputs[delta], env->o.inputs[i]);
    }
    return 0;
}
