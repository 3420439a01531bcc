/* Lists what the directories of a table hold, or a snapshot names, before it is decided which files are read. Both come in the
 * shape of a snapshot: regions, their families, their files. Relies on directory_each for directories and on snapshot.c. */
#include "base/fs.h"
#include "base/warning.h"
#include "base/wire.h"
#include "formats/hbase/descriptor.h"
#include "formats/hbase/family_files.h"
#include "formats/hbase/listing.h"
#include "formats/hbase/metadata.h"
#include "formats/hbase/names.h"
#include "formats/hbase/snapshot.h"
#include "formats/hbase/stray_files.h"

#include <stdlib.h>

/* Regions and the families of one are gathered as bytes and handed over when complete. */
struct listing_walk {
    struct listing *l;
    struct findings *report;
    const char *table_dir, *only_family;
    bool whole_table;
    struct buf regions, states, families;
    const char *region, *region_dir;        /* of the one that is walked */
    bool has_info, has_info_crc, has_edits; /* names seen in it */
    struct stray_files strays, beside;      /* in it; beside regions */
};

/* HBase's FSUtils.RegionDirFilter. */
static bool is_region_name(const char *name) {
    return *name && strspn(name, "0123456789abcdef") == strlen(name);
}

/* MobUtils.getMobRegionInfo. */
static bool is_mob_region(const struct region_info *info) {
    return info->id == 0 && bytes_eq(buf_bytes(&info->start), bytes_str(".mob"));
}

static const struct hbase_family *find_family(const struct hbase_table *t, const char *name) {
    for (uint32_t i = 0; i < t->n_families; i++)
        if (strcmp(t->families[i].name, name) == 0) return &t->families[i];
    return NULL;
}

static int read_family(struct listing_walk *w, const char *name, const char *dir, const char *shown, struct err *err) {
    const struct hbase_family *f = find_family(&w->l->s.table, name);
    if (w->l->has_descriptor && !f) return family_files_note_skipped(dir, shown, NOTE_OTHER_FAMILIES, w->report, err);
    enum file_tracking tracking = !f ? FILES_MAYBE_TRACKED : f->tracks_files ? FILES_TRACKED : FILES_UNTRACKED;
    struct snapshot_family *out;
    if (buf_reserve(&w->families, sizeof *out, err)) return -1;
    out = (struct snapshot_family *)(w->families.p + w->families.n);
    *out = (struct snapshot_family){.name = strdup(name)};
    if (!out->name) return err_nomem(err, strlen(name), "a family name");
    w->families.n += sizeof *out;
    return family_files_read(dir, shown, tracking, out, w->report, err);
}

/* Names that no family can have (ColumnFamilyDescriptorBuilder.isLegalColumnFamilyName), and what other programs leave. */
static bool is_no_family(const char *name) {
    return name[0] == '.' || strpbrk(name, ":\\") || strcmp(name, "recovered.edits") == 0 || strcmp(name, "_temporary") == 0 ||
           strcmp(name, "_logs") == 0;
}

static int visit_family(void *arg, const char *name, bool is_dir, struct err *err) {
    struct listing_walk *w = arg;
    w->has_info |= strcmp(name, ".regioninfo") == 0;
    w->has_info_crc |= strcmp(name, "..regioninfo.crc") == 0;
    w->has_edits |= strcmp(name, "recovered.edits") == 0;
    if (w->only_family && strcmp(name, w->only_family) != 0) return 0;
    if (!is_dir) return stray_files_look(&w->strays, w->region_dir, w->region, name, err);
    if (strcmp(name, "recovered.edits") == 0) return 0; /* family_files_note_edits */
    char *dir = fs_join(w->region_dir, name, err), *shown = dir ? fs_join(w->region, name, err) : NULL;
    int rc = !shown               ? -1
             : is_no_family(name) ? stray_files_below(dir, shown, NOTE_STRAYS, w->report, err)
                                  : read_family(w, name, dir, shown, err);
    free(dir);
    free(shown);
    return rc;
}

static int families_by_name(const void *a, const void *b) {
    return strcmp(((const struct snapshot_family *)a)->name, ((const struct snapshot_family *)b)->name);
}

/* 1 read, 0 of a kind we do not read, -1. A damaged one is a problem of the table, and then like none. Without the ranges of its
 * regions a table cannot be read whole: parents would be read beside their daughters. */
static int read_info_file(const struct listing_walk *w, const char *path, struct region_info *info, struct err *err) {
    struct err damage = {0};
    if ((!w->has_info_crc || crc_file_check(path, &damage) >= 0) && region_info_read(path, info, &damage) == 0) return 1;
    return damage.code == ERR_UNSUPPORTED && !w->whole_table ? 0 : findings_take_damage(w->report, &damage, err);
}

static void name_by_directory(struct region_info *info, struct region_state *state) {
    bool fits = strlen(state->directory) < sizeof info->encoded;
    memset(info->encoded, 0, sizeof info->encoded);
    if (fits) memcpy(info->encoded, state->directory, strlen(state->directory));
}

static int read_info(struct listing_walk *w, struct region_info *info, struct region_state *state, struct err *err) {
    char *path = w->has_info ? fs_join(w->region_dir, ".regioninfo", err) : NULL;
    int rc = path ? read_info_file(w, path, info, err) : w->has_info ? -1 : 0;
    free(path);
    if (rc < 0) return -1;
    state->no_range = rc == 0;
    state->is_mob = rc == 1 && is_mob_region(info);
    bool other = rc == 1 && !info->short_name && strcmp(info->encoded, w->region) != 0;
    name_by_directory(info, state);
    return other ? findings_note(w->report, NOTE_OTHER_REGION_NAME, w->region, 0, 0, err) : 0;
}

static int read_families(struct listing_walk *w, struct snapshot_region *out, struct err *err) {
    w->has_info = w->has_info_crc = w->has_edits = false;
    int rc = directory_each(w->region_dir, visit_family, w, err);
    if (stray_files_end(&w->strays, NOTE_STRAYS, w->report, rc < 0 ? -1 : 0, err)) rc = -1;
    out->families = (struct snapshot_family *)w->families.p;
    out->n_families = w->families.n / sizeof *out->families;
    w->families = (struct buf){0};
    if (out->n_families) qsort(out->families, out->n_families, sizeof *out->families, families_by_name);
    return rc == 0 ? err_set(err, ERR_INPUT, "%s: there is no such directory", w->region_dir) : rc < 0 ? -1 : 0;
}

/* Reads the directory of a region; an empty one without .regioninfo is no region. */
static int fill_region(struct listing_walk *w, struct snapshot_region *out, struct region_state *state, struct err *err) {
    state->directory = strdup(w->region);
    if (!state->directory) return err_nomem(err, strlen(w->region), "a region name");
    if (read_families(w, out, err) || read_info(w, &out->info, state, err)) return -1;
    if (w->has_edits && family_files_note_edits(w->region_dir, w->region, w->report, err)) return -1;
    if (!state->no_range || !out->n_families || !w->whole_table) return 0;
    return findings_note(w->report, NOTE_NO_REGION_INFO, w->region, 0, 0, err);
}

static int read_region(struct listing_walk *w, const char *name, struct err *err) {
    struct snapshot_region region = {0};
    struct region_state state = {0};
    if (buf_reserve(&w->regions, sizeof region, err) || buf_reserve(&w->states, sizeof state, err)) return -1;
    char *dir = fs_join(w->table_dir, name, err);
    w->region = name;
    w->region_dir = dir;
    int rc = dir ? fill_region(w, &region, &state, err) : -1;
    free(dir);
    const uint64_t each = sizeof region + sizeof state + sizeof *region.families + 3 * LIST_ROOM_EACH;
    if (!rc)
        rc = list_room_take(&w->report->listed, each + region.info.start.n + region.info.end.n, "the list of regions takes", err);
    if (!rc && !region.n_families && state.no_range) {
        free(state.directory);
        return 0;
    }
    memcpy(w->regions.p + w->regions.n, &region, sizeof region);
    memcpy(w->states.p + w->states.n, &state, sizeof state);
    w->regions.n += sizeof region;
    w->states.n += sizeof state;
    return rc;
}

static int visit_region(void *arg, const char *name, bool is_dir, struct err *err) {
    struct listing_walk *w = arg;
    if (is_dir)
        return is_region_name(name) ? read_region(w, name, err) : stray_files_beside_regions(w->table_dir, name, w->report, err);
    return stray_files_look(&w->beside, w->table_dir, "", name, err);
}

static int read_regions(struct listing_walk *w, struct err *err) {
    int rc = directory_each(w->table_dir, visit_region, w, err) < 0 ? -1 : 0;
    return stray_files_end(&w->beside, NOTE_STRAYS, w->report, rc, err);
}

/* `.NAME.crc` beside the metadata of a snapshot or table. */
static int check_side_file(void *arg, const char *name, bool is_dir, struct err *err) {
    const char *dir = arg;
    size_t n = strlen(name), ends = strlen(".crc");
    if (is_dir || name[0] != '.' || n <= ends + 1 || strcmp(name + n - ends, ".crc") != 0) return 0;
    char *path = fs_printf(err, "%s/%.*s", dir, (int)(n - ends - 1), name + 1);
    int rc = path ? fs_exists(path, err) : -1;
    if (rc > 0) rc = crc_file_check(path, err);
    free(path);
    return rc < 0 ? -1 : 0;
}

static int read_descriptor(struct listing *l, const char *dir, struct findings *report, struct err *err) {
    struct err other = {0};
    if (directory_each(dir, check_side_file, (void *)dir, err) < 0) return -1;
    int rc = hbase_tableinfo_read(dir, &l->s.table, &other);
    l->has_descriptor = rc == 1;
    if (rc >= 0) return 0;
    if (other.code == ERR_UNSUPPORTED) return warning_add(&report->warnings, WARN_DESCRIPTOR_UNREAD, 1, err, "%s", other.text);
    err_keep(err, &other);
    return -1;
}

/* 0.96 and later keep descriptors in a directory of their own, 0.94 beside the regions. */
static int find_descriptor(struct listing *l, const char *table_dir, struct findings *report, struct err *err) {
    char *dir = fs_join(table_dir, ".tabledesc", err);
    int rc = dir ? read_descriptor(l, dir, report, err) : -1;
    free(dir);
    return rc || l->has_descriptor ? rc : read_descriptor(l, table_dir, report, err);
}

static int names_cmp(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A TableSchema message of nothing but names: what is not said in it is as HBase defaults it. */
static int describe_families(const char **names, size_t n, struct buf *message, struct err *err) {
    enum { FAMILIES = 3, NAME = 1 };
    struct buf family = {0};
    int rc = 0;
    if (n) qsort(names, n, sizeof *names, names_cmp);
    for (size_t i = 0; i < n && !rc; i++) {
        if (i && strcmp(names[i - 1], names[i]) == 0) continue;
        buf_clear(&family);
        rc = pbwire_put_bytes(&family, NAME, bytes_str(names[i]), err);
        if (!rc) rc = pbwire_put_bytes(message, FAMILIES, buf_bytes(&family), err);
    }
    buf_free(&family);
    return rc;
}

static int describe_table(const struct snapshot *s, const char *ns, const char *table, struct buf *message, struct err *err) {
    enum { TABLE_NAME = 1, NAMESPACE = 1, QUALIFIER = 2 };
    struct buf name = {0}, families = {0};
    int rc = pbwire_put_bytes(&name, NAMESPACE, bytes_str(ns), err);
    if (!rc) rc = pbwire_put_bytes(&name, QUALIFIER, bytes_str(table), err);
    if (!rc) rc = pbwire_put_bytes(message, TABLE_NAME, buf_bytes(&name), err);
    for (size_t i = 0; i < s->n_regions && !rc; i++)
        for (size_t k = 0; k < s->regions[i].n_families && !rc; k++)
            rc = buf_put(&families, &s->regions[i].families[k].name, sizeof(char *), err);
    if (!rc) rc = describe_families((const char **)families.p, families.n / sizeof(char *), message, err);
    buf_free(&name);
    buf_free(&families);
    return rc;
}

/* Makes a table without a descriptor: names from the first region that says them, else from the path. */
static int guess_table(struct snapshot *s, const struct region_state *state, const char *ns, const char *table, struct err *err) {
    struct buf message = {0};
    if (!table_name_is_ns(bytes_str(ns))) ns = TABLE_NAME_DEFAULT_NS;
    if (!table_name_is_table(bytes_str(table))) table = "unnamed";
    for (size_t i = s->n_regions; i-- > 0;)
        if (!state[i].no_range) {
            ns = s->regions[i].info.ns;
            table = s->regions[i].info.table;
        }
    int rc = describe_table(s, ns, table, &message, err);
    if (!rc) rc = hbase_table_parse(buf_bytes(&message), &s->table, err);
    buf_free(&message);
    for (uint32_t i = 0; i < s->table.n_families; i++) {
        s->table.families[i].rules.versions_given = false;
        s->table.families[i].may_be_mob = true;
    }
    return rc;
}

static int finish_walk(struct listing_walk *w, const char *ns, const char *table, int rc, struct err *err) {
    struct snapshot *s = &w->l->s;
    s->regions = (struct snapshot_region *)w->regions.p;
    s->n_regions = w->regions.n / sizeof *s->regions;
    w->l->state = (struct region_state *)w->states.p;
    buf_free(&w->families);
    if (!rc && !w->l->has_descriptor) rc = guess_table(s, w->l->state, ns, table, err);
    if (rc) listing_free(w->l);
    return rc;
}

int listing_of_table(const char *dir, const char *ns, const char *table, struct listing *out, struct findings *report,
                     struct err *err) {
    *out = (struct listing){0};
    struct listing_walk w = {.l = out, .report = report, .table_dir = dir, .whole_table = true};
    int rc = find_descriptor(out, dir, report, err);
    if (!rc) rc = read_regions(&w, err);
    return finish_walk(&w, ns, table, rc, err);
}

int listing_of_region(const char *table_dir, const char *region, const char *family, const char *ns, const char *table,
                      struct listing *out, struct findings *report, struct err *err) {
    *out = (struct listing){0};
    struct listing_walk w = {.l = out, .report = report, .table_dir = table_dir, .only_family = family};
    int rc = find_descriptor(out, table_dir, report, err);
    if (!rc) rc = read_region(&w, region, err);
    return finish_walk(&w, ns, table, rc, err);
}

static void sort_names(struct snapshot_region *r) {
    if (r->n_families) qsort(r->families, r->n_families, sizeof *r->families, families_by_name);
    for (size_t i = 0; i < r->n_families; i++)
        if (r->families[i].n_files)
            qsort(r->families[i].files, r->families[i].n_files, sizeof *r->families[i].files, snapshot_file_order);
}

int listing_of_snapshot(const char *dir, struct listing *out, struct findings *report, struct err *err) {
    *out = (struct listing){.has_descriptor = true};
    if (directory_each(dir, check_side_file, (void *)dir, err) < 0) return -1;
    if (snapshot_read(dir, &report->listed, &out->s, err)) return -1;
    out->state = calloc(out->s.n_regions + 1, sizeof *out->state);
    int rc = out->state ? 0 : err_nomem(err, out->s.n_regions, "regions");
    for (size_t i = 0; i < out->s.n_regions && !rc; i++) {
        struct snapshot_region *r = &out->s.regions[i];
        sort_names(r);
        out->state[i].is_mob = is_mob_region(&r->info);
        if (!r->info.replica) continue;
        out->state[i].left_out = true;
        rc = findings_note(report, NOTE_REPLICAS, r->info.encoded, 0, 0, err);
    }
    if (rc) listing_free(out);
    return rc;
}

void listing_free(struct listing *l) {
    for (size_t i = 0; l->state && i < l->s.n_regions; i++) free(l->state[i].directory);
    free(l->state);
    snapshot_free(&l->s);
    *l = (struct listing){0};
}

const char *listing_directory(const struct listing *l, size_t i) {
    return l->state[i].directory ? l->state[i].directory : l->s.regions[i].info.encoded;
}

const struct snapshot_family *listing_family(const struct snapshot_region *r, const char *name) {
    struct snapshot_family want = {.name = (char *)name};
    return r->n_families ? bsearch(&want, r->families, r->n_families, sizeof want, families_by_name) : NULL;
}
