/* The settings of an emulated cluster, gathered from where they are given: hbase-site.xml (--site), the descriptor of the table
 * among the inputs, --set and --compression-ratio. settings.c makes numbers of it. */
#include "cmd/common/opt_value.h"
#include "cmd/common/environment.h"
#include "cmd/common/target.h"
#include "cmd/common/site_file.h"
#include "cmd/split/simulate/settings.h"

#include "base/fs.h"
#include "cmd/split/split.h"
#include "formats/hbase/metadata.h"

#include <stdlib.h>

struct site_settings {
    struct property_list site, table;
    struct property_list *families; /* [n] as in the table of the session */
    const char **names;
    uint32_t n;
};

static int init_given(struct site_settings *g, const struct table *t, struct err *err) {
    g->n = t->n_families;
    g->families = calloc(g->n + 1, sizeof *g->families);
    g->names = calloc(g->n + 1, sizeof *g->names);
    if (!g->families || !g->names) return err_nomem(err, g->n * sizeof *g->families, "settings of families");
    for (uint32_t i = 0; i < g->n; i++) g->names[i] = t->families[i].name;
    return 0;
}

static void free_lists(struct property_list *l, uint32_t n) {
    for (uint32_t i = 0; l && i < n; i++) property_list_free(&l[i]);
    free(l);
}

static void free_given(struct site_settings *g) {
    property_list_free(&g->site);
    property_list_free(&g->table);
    free_lists(g->families, g->n);
    free(g->names);
}

/* ---- the cluster's file ---- */

static const char *from_environment(const char *name) {
    return getenv(name);
}

static int read_site(const char *path, struct property_list *out, struct err *err) {
    return site_file_read(path, out, err) || property_vars_substitute(out, from_environment, err) ? -1 : 0;
}

/* ---- the descriptor ---- */

static int add_all(const struct attribute_list *from, const char *place, struct property_list *to, struct err *err) {
    for (size_t i = 0; i < from->n; i++)
        if (property_list_put(to, from->p[i].name, from->p[i].value, place, err)) return -1;
    return 0;
}

/* Attributes and configuration of the table to `table`, those of family i to families[i]. */
static int add_attributes(const struct hbase_table *t, struct property_list *table, struct property_list *families,
                          struct err *err) {
    if (add_all(&t->attributes, "the table's descriptor", table, err)) return -1;
    for (uint32_t i = 0; i < t->n_families; i++) {
        char *place = fs_printf(err, "the descriptor of family %s", t->families[i].name);
        int rc = place ? add_all(&t->families[i].attributes, place, &families[i], err) : -1;
        free(place);
        if (rc) return -1;
    }
    return 0;
}

static int add_list(const struct property_list *from, struct property_list *to, struct err *err) {
    for (size_t i = 0; i < from->n; i++)
        if (property_list_put(to, from->p[i].name, from->p[i].value, from->p[i].place, err)) return -1;
    return 0;
}

/* Families of both, by name. */
static int add_descriptor(const struct hbase_table *h, const struct table *t, struct site_settings *g, struct err *err) {
    struct property_list *lists = calloc(h->n_families + 1, sizeof *lists);
    int rc = lists ? add_attributes(h, &g->table, lists, err) : err_nomem(err, 0, "settings of families");
    for (uint32_t i = 0; !rc && i < h->n_families; i++) {
        int32_t to = table_family(t, bytes_str(h->families[i].name));
        if (to >= 0) rc = add_list(&lists[i], &g->families[to], err);
    }
    free_lists(lists, h->n_families);
    return rc;
}

/* ---- --set ---- */

static struct property_list *list_of(struct site_settings *g, const struct table *t, const char *text, const char **name,
                                     struct err *err) {
    const char *colon = strchr(text, ':'), *eq = strchr(text, '=');
    *name = text;
    if (!eq || eq == text) {
        err_set(err, ERR_USAGE, "--set %s: expected [FAMILY:]NAME=VALUE", text);
        return NULL;
    }
    if (!colon || colon > eq) return &g->table;
    int32_t family = table_family(t, bytes_of(text, (size_t)(colon - text)));
    *name = colon + 1;
    if (family < 0) {
        err_set(err, ERR_USAGE, "--set %s: there is no family '%.*s'", text, (int)(colon - text), text);
        return NULL;
    }
    return &g->families[family];
}

static int add_setting(struct site_settings *g, const struct table *t, const char *text, struct err *err) {
    const char *from;
    struct property_list *to = list_of(g, t, text, &from, err);
    if (!to) return -1;
    const char *eq = strchr(from, '=');
    char *name = fs_printf(err, "%.*s", (int)(eq - from), from);
    int rc = name ? property_list_put(to, name, eq + 1, "--set", err) : -1;
    free(name);
    return rc;
}

/* ---- all ---- */

static int make_settings(const struct site_settings *g, struct sim_settings *out, struct err *err) {
    const struct sim_given all = {
        .site = &g->site, .table = &g->table, .family_names = g->names, .families = g->families, .n_families = g->n};
    return sim_settings_make(&all, out, err);
}

int simulate_settings_make(const struct environment *env, const struct target *target, const struct input_list *in,
                           struct sim_settings *out, struct err *err) {
    struct site_settings g = {0};
    double ratio = 1;
    int rc = init_given(&g, &target->table, err);
    if (!rc && split_options(&env->o)->simulate.site) rc = read_site(split_options(&env->o)->simulate.site, &g.site, err);
    if (!rc && in->n_stores) rc = add_descriptor(&in->stores[0]->files.table, &target->table, &g, err);
    for (unsigned i = 0; !rc && i < split_options(&env->o)->simulate.settings.n; i++)
        rc = add_setting(&g, &target->table, split_options(&env->o)->simulate.settings.item[i], err);
    if (!rc && split_options(&env->o)->simulate.file_ratio && opt_share(split_options(&env->o)->simulate.file_ratio, &ratio))
        rc = err_set(err, ERR_USAGE, "--compression-ratio %s: a share above 0, at most 1, as 0.3 or 30%%",
                     split_options(&env->o)->simulate.file_ratio);
    if (!rc) rc = make_settings(&g, out, err);
    for (uint32_t i = 0; !rc && i < out->n_families; i++) out->families[i].file_ratio = ratio;
    free_given(&g);
    return rc;
}
