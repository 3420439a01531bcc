/* Finds the MOB files of a table's families: filed under a region that does not exist, of the table itself, then of the tables
 * that links in it, or in its MOB directories, lead to. Those are the tables its cells were written in. */
#include "base/fs.h"
#include "base/buf.h"
#include "base/wire.h"
#include "formats/hbase/metadata.h"
#include "formats/hbase/mob_directories.h"
#include "formats/hbase/names.h"

#include <stdlib.h>

enum { SOURCES_MAX = 256 }; /* tables one table was cloned from */

/* Tables a family's mob files may be filed under, each once. */
struct sources {
    struct source_table {
        char *ns, *table;
    } t[SOURCES_MAX];
    size_t n;
};

static char *copy(struct bytes b, struct err *err) {
    return fs_printf(err, "%.*s", (int)b.n, (const char *)b.p);
}

static int add_source(struct sources *s, struct bytes ns, struct bytes table, struct err *err) {
    for (size_t i = s->n; i-- > 0;)
        if (bytes_eq(bytes_str(s->t[i].table), table) && bytes_eq(bytes_str(s->t[i].ns), ns)) return 0;
    if (s->n == SOURCES_MAX) return 0;
    struct source_table t = {copy(ns, err), copy(table, err)};
    s->t[s->n++] = t;
    return t.ns && t.table ? 0 : -1;
}

static void free_sources(struct sources *s) {
    for (size_t i = 0; i < s->n; i++) {
        free(s->t[i].ns);
        free(s->t[i].table);
    }
    s->n = 0;
}

/* Adds the table that a link, or a reference to a link, leads to; other names add nothing. */
static int add_target(struct sources *s, const char *name, struct err *err) {
    struct store_name parsed = store_name_parse(bytes_str(name));
    if (parsed.kind == STORE_NAME_REFERENCE) parsed = store_name_parse(parsed.file);
    return parsed.kind == STORE_NAME_LINK ? add_source(s, parsed.ns, parsed.table, err) : 0;
}

static int add_targets_listed(struct sources *s, const struct listing *l, const char *family, struct err *err) {
    for (size_t i = 0; i < l->s.n_regions; i++) {
        const struct snapshot_family *f = listing_family(&l->s.regions[i], family);
        for (size_t k = 0; f && k < f->n_files; k++)
            if (add_target(s, f->files[k].name, err)) return -1;
    }
    return 0;
}

static int visit_mob_file(void *arg, const char *name, bool is_dir, struct err *err) {
    return is_dir ? 0 : add_target(arg, name, err);
}

int mob_directories_region(const char *ns, const char *table, char encoded[REGION_ENCODED_BYTES], struct err *err) {
    enum { ID = 1, TABLE = 2, START = 3, NAMESPACE = 1, QUALIFIER = 2 };
    struct buf name = {0}, message = {0};
    struct region_info info;
    int rc = pbwire_put_bytes(&name, NAMESPACE, bytes_str(ns), err);
    if (!rc) rc = pbwire_put_bytes(&name, QUALIFIER, bytes_str(table), err);
    if (!rc) rc = pbwire_put_uint(&message, ID, 0, err);
    if (!rc) rc = pbwire_put_bytes(&message, TABLE, buf_bytes(&name), err);
    if (!rc) rc = pbwire_put_bytes(&message, START, bytes_str(".mob"), err);
    if (!rc) rc = region_info_parse(buf_bytes(&message), &info, err);
    if (!rc) {
        memcpy(encoded, info.encoded, REGION_ENCODED_BYTES);
        region_info_free(&info);
    }
    buf_free(&name);
    buf_free(&message);
    return rc;
}

/* Takes path. */
static int add_directory(struct store_files *out, char *path, const struct source_table *t, uint32_t family, struct err *err) {
    if (!path) return -1;
    if (grow_array(&out->mob, out->n_mob, sizeof *out->mob, "mob directories", err)) {
        free(path);
        return -1;
    }
    struct mob_directory *f = &out->mob[out->n_mob++];
    *f = (struct mob_directory){
        .path = path, .ns = fs_printf(err, "%s", t->ns), .table = fs_printf(err, "%s", t->table), .family = family};
    return f->ns && f->table ? 0 : -1;
}

/* Every directory there is for the mob files of one table's family, working files before archived ones (HMobStore). */
static int add_directories(struct store_files *out, const struct search_path *places, struct sources *s, size_t source,
                           uint32_t family, struct err *err) {
    const struct source_table t = s->t[source];
    char encoded[REGION_ENCODED_BYTES];
    if (mob_directories_region(t.ns, t.table, encoded, err)) return -1;
    const char *name = out->table.families[family].name;
    for (size_t i = places->n; i-- > 0;) {
        const struct search_place *at = &places->place[i];
        if (!at->has_namespaces && strcmp(t.ns, "default") != 0) continue;
        char *path = at->has_namespaces ? fs_printf(err, "%s/%s/%s/%s/%s", at->dir, t.ns, t.table, encoded, name)
                                        : fs_printf(err, "%s/%s/%s/%s", at->dir, t.table, encoded, name);
        int rc = path ? directory_each(path, visit_mob_file, s, err) : -1;
        if (rc == 1)
            rc = add_directory(out, path, &t, family, err);
        else
            free(path);
        if (rc < 0) return -1;
    }
    return 0;
}

static int of_family(const struct listing *l, const struct search_path *places, struct store_files *out, uint32_t family,
                     struct sources *s, struct err *err) {
    const struct hbase_table *t = &out->table;
    if (add_source(s, bytes_str(t->ns), bytes_str(t->name), err)) return -1;
    if (add_targets_listed(s, l, t->families[family].name, err)) return -1;
    for (size_t i = 0; i < s->n; i++)
        if (add_directories(out, places, s, i, family, err)) return -1;
    return 0;
}

int mob_directories_find(const struct listing *l, const struct search_path *places, struct store_files *out, struct err *err) {
    struct sources *s = calloc(1, sizeof *s);
    if (!s) return err_nomem(err, sizeof *s, "mob directories");
    int rc = 0;
    for (uint32_t family = 0; family < out->table.n_families && !rc; family++) {
        if (out->table.families[family].is_mob || !l->has_descriptor) rc = of_family(l, places, out, family, s, err);
        free_sources(s);
    }
    free(s);
    return rc;
}
