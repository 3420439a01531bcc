/* Finds the store files to read from what is on disk: a snapshot, a table, region or family directory as HBase would see it when
 * it opens the regions. Nothing is opened but small metadata files, so 100,000 store files take seconds.
 *
 *   tree_kind.c -> listing.c -> split_parents.c -> resolve_files.c  -> mob_directories.c -> wal_search.c
 *   what is it?    regions,     which regions      names to paths      MOB              edits that no
 *                  families,    are not read       (search_path.c)     directories      file has
 *                  names */
#include "base/warning.h"
#include "formats/hbase/descriptor.h"
#include "formats/hbase/image_files.h"
#include "formats/hbase/mob_directories.h"
#include "formats/hbase/read_tree.h"
#include "formats/hbase/resolve_files.h"
#include "formats/hbase/store_files.h"

#include "base/fs.h"
#include "base/near_name.h"
#include "formats/hbase/tree.h"
#include "formats/hbase/tree_catalog.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the result ---- */

int store_files_warn_expired(struct store_files *s, int64_t now_ms, struct err *err) {
    if (!s->expires_ms || s->expires_ms > now_ms) return 0;
    time_t at = (time_t)(s->expires_ms / 1000);
    struct tm utc;
    char text[64] = "an impossible time";
    if (gmtime_r(&at, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return warning_add(&s->warnings, WARN_SNAPSHOT_EXPIRED, 1, err, "%s expired at %s: HBase would no longer restore it", s->what,
                       text);
}

void store_files_free(struct store_files *s) {
    hbase_table_free(&s->table);
    free(s->what);
    for (size_t i = 0; i < s->n_regions; i++) region_info_free(&s->regions[i]);
    free(s->regions);
    for (size_t i = 0; i < s->n_files; i++) {
        free(s->files[i].path);
        if (s->files[i].owns_name) free(s->files[i].name);
        buf_free(&s->files[i].split_row);
    }
    free(s->files);
    for (size_t i = 0; i < s->n_mob; i++) {
        free(s->mob[i].path);
        free(s->mob[i].ns);
        free(s->mob[i].table);
    }
    free(s->mob);
    free(s->root);
    buf_free(&s->warnings);
    buf_free(&s->problems);
    *s = (struct store_files){0};
}

/* ---- reading ---- */

struct tree_reading {
    struct listing l;
    struct search_path places;
    struct findings report;
    uint32_t *order; /* regions that are read, as indexes of the listing, by start key */
    size_t n_order;
    bool whole_table;  /* all regions of it, as HBase would open them */
    bool needs_logs;   /* what was not flushed is missing */
    const char *image; /* directory of a table in an incremental backup image; NULL: it is none */
    struct store_files *out;
};

static void close_reading(struct tree_reading *r) {
    listing_free(&r->l);
    search_path_free(&r->places);
    findings_free(&r->report);
    free(r->order);
}

static int by_start(const void *a, const void *b, void *arg) {
    const struct listing *l = arg;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct region_info *i = &l->s.regions[x].info, *k = &l->s.regions[y].info;
    int c = bytes_cmp(buf_bytes(&i->start), buf_bytes(&k->start));
    if (!c) c = (i->id > k->id) - (i->id < k->id);
    return c ? c : strcmp(listing_directory(l, x), listing_directory(l, y));
}

static int choose_regions(struct tree_reading *r, struct err *err) {
    size_t n = r->l.s.n_regions;
    if (r->whole_table && split_parents_leave_out(&r->l, r->places.own, &r->report, err)) return -1;
    r->order = malloc((n + 1) * sizeof *r->order);
    if (!r->order) return err_nomem(err, n * sizeof *r->order, "regions");
    for (size_t i = 0; i < n; i++)
        if (!r->l.state[i].left_out && !r->l.state[i].is_mob) r->order[r->n_order++] = (uint32_t)i;
    qsort_r(r->order, r->n_order, sizeof *r->order, by_start, &r->l);
    return 0;
}

/* Moves what regions are called and hold; their names are in use until files are resolved. */
static int hand_over_regions(struct tree_reading *r, struct err *err) {
    bool all_known = true;
    r->out->regions = calloc(r->n_order + 1, sizeof *r->out->regions);
    if (!r->out->regions) return err_nomem(err, r->n_order * sizeof *r->out->regions, "regions");
    for (; r->out->n_regions < r->n_order; r->out->n_regions++) {
        uint32_t i = r->order[r->out->n_regions];
        const struct region_info *info = &r->l.s.regions[i].info;
        all_known &= !r->l.state[i].no_range;
        if (list_room_take(&r->report.kept, sizeof *info + info->start.n + info->end.n, "the list of regions takes", err))
            return -1;
        r->out->regions[r->out->n_regions] = *info;
        r->l.s.regions[i].info = (struct region_info){0};
    }
    return all_known && r->whole_table ? findings_check_ranges(r->out->regions, r->n_order, &r->report, err) : 0;
}

static struct left_out noted(const struct tree_reading *r, enum note_kind kind) {
    return (struct left_out){r->report.of[kind].files, r->report.of[kind].bytes};
}

static int hand_over_report(struct tree_reading *r, struct err *err) {
    struct store_files *out = r->out;
    out->recovered_edits = noted(r, NOTE_EDITS);
    out->recovered_edits.files += noted(r, NOTE_EDITS_AS_HFILES).files;
    out->recovered_edits.bytes += noted(r, NOTE_EDITS_AS_HFILES).bytes;
    out->wal = noted(r, NOTE_WAL);
    out->untracked = noted(r, NOTE_UNTRACKED);
    out->parents = noted(r, NOTE_PARENTS);
    int rc = findings_list_notes(&r->report, err);
    out->warnings = r->report.warnings;
    out->problems = r->report.problems;
    out->n_problems = r->report.n_problems;
    r->report.warnings = r->report.problems = (struct buf){0};
    return rc;
}

/* As many problems as an error's text has room for. */
static int fail_with_problems(const struct tree_reading *r, struct err *err) {
    enum { SAID_MAX = 20, ROOM = 800 };
    struct buf text = {0};
    const struct store_files *out = r->out;
    const char *line = (const char *)out->problems.p, *close_reading = line + out->problems.n;
    size_t said = 0;
    for (; line < close_reading && said < SAID_MAX; said++) {
        const char *next = memchr(line, '\n', (size_t)(close_reading - line));
        size_t n = (size_t)(next - line);
        if (said && text.n + n > ROOM) break;
        if (buf_printf(&text, err, "%s%.*s", said ? "; " : "", (int)n, line)) break;
        line = next + 1;
    }
    if (said < out->n_problems) buf_printf(&text, err, "; and %zu more", out->n_problems - said);
    if (r->report.missing && r->places.root)
        buf_printf(&text, err, "; searched data/, archive/ and mobdir/ of %s; check that all three were copied", r->places.root);
    err_set(err, ERR_INPUT, "%s: %.*s", out->what, (int)text.n, (const char *)text.p);
    buf_free(&text);
    return -1;
}

/* All that there is lies where HBase does not look: nobody means that by giving it. */
static int refuse_strays_only(struct tree_reading *r, struct err *err) {
    const struct noted *strays = &r->report.of[NOTE_STRAYS], *misnamed = &r->report.of[NOTE_MISNAMED_REGIONS];
    if (r->out->n_files || !(strays->files + misnamed->files)) return 0;
    return findings_problem(&r->report, err, "no store file is where HBase reads it, but %" PRIu64 " elsewhere below, such as %s",
                            strays->files + misnamed->files, strays->first ? strays->first : misnamed->first);
}

static int complete(struct tree_reading *r, struct err *err) {
    r->out->table = r->l.s.table;
    r->l.s.table = (struct hbase_table){0};
    if (r->image) return image_files_list(r->image, r->out, &r->report, err);
    if (choose_regions(r, err)) return -1;
    if (resolve_files(&r->l, r->order, r->n_order, &r->places, r->out, &r->report, err)) return -1;
    if (r->places.own && refuse_strays_only(r, err)) return -1;
    if (mob_directories_find(&r->l, &r->places, r->out, err)) return -1;
    if (r->places.root && !(r->out->root = fs_printf(err, "%s", r->places.root))) return -1;
    if (hand_over_regions(r, err)) return -1;
    if (!r->needs_logs || !r->places.root) return 0;
    return wal_search(r->places.root, r->out->regions, r->out->n_regions, &r->report, err);
}

/* Takes rc of what was done before. */
static int finish_reading(struct tree_reading *r, int rc, struct err *err) {
    if (!rc) rc = complete(r, err);
    if (hand_over_report(r, err)) rc = -1;
    if (!rc && r->out->n_problems) rc = fail_with_problems(r, err);
    close_reading(r);
    return rc;
}

static char *describe_source(const char *what, const char *name, const char *ns, const char *table, struct err *err) {
    bool has_ns = strcmp(ns, "default") != 0;
    return fs_printf(err, "%s%s%stable %s%s%s", what, name, *what ? " of " : "", has_ns ? ns : "", has_ns ? ":" : "", table);
}

static int warn_of_type(struct tree_reading *r, struct err *err) {
    r->needs_logs = r->l.s.type == SNAPSHOT_SKIPFLUSH;
    if (!r->needs_logs) return 0;
    return warning_add(&r->report.warnings, WARN_NOT_FLUSHED, 1, err,
                       "%s is of type SKIPFLUSH: it lacks edits that were not flushed when it was taken", r->out->what);
}

static int begin_snapshot(struct tree_reading *r, const char *dir, struct err *err) {
    if (listing_of_snapshot(dir, &r->l, &r->report, err)) return -1;
    const struct snapshot *s = &r->l.s;
    int64_t ms;
    bool expires =
        s->ttl_s > 0 && !__builtin_mul_overflow(s->ttl_s, 1000, &ms) && !__builtin_add_overflow(ms, s->created_ms, &ms);
    if (expires) r->out->expires_ms = ms;
    r->whole_table = true;
    r->out->what = describe_source("snapshot ", s->name, s->ns, s->table_name, err);
    return r->out->what ? warn_of_type(r, err) : -1;
}

static int read_snapshot(const char *dir, struct list_room room, struct store_files *out, struct err *err) {
    struct tree_reading r = {.out = out, .report = {.listed = room, .kept = room}};
    char *above = directory_above(dir, err);
    int rc = above ? search_path_of_snapshot(dir, &r.places, err) : -1;
    if (!rc && strcmp(directory_name(above), ".tmp") == 0)
        rc = err_set(err, ERR_INPUT, "%s: this snapshot was never finished", dir);
    free(above);
    if (!rc) rc = begin_snapshot(&r, dir, err);
    return finish_reading(&r, rc, err);
}

/* Returns whether the table's directory is in the part of its root that has this name. */
static bool is_part(const struct search_path *p, const char *part) {
    size_t n = p->root ? strlen(p->root) : 0, m = strlen(part);
    return p->root && strncmp(p->own, p->root, n) == 0 && p->own[n] == '/' && strncmp(p->own + n + 1, part, m) == 0 &&
           p->own[n + 1 + m] == '/';
}

/* Files of the mob region that are archived hold values that cells of other regions refer to. */
static int leave_out_mob_region(struct tree_reading *r, struct err *err) {
    char encoded[REGION_ENCODED_BYTES];
    if (mob_directories_region(r->l.s.table.ns, r->l.s.table.name, encoded, err)) return -1;
    for (size_t i = 0; i < r->l.s.n_regions; i++) r->l.state[i].is_mob |= strcmp(listing_directory(&r->l, i), encoded) == 0;
    return 0;
}

static int look_around(struct tree_reading *r, struct err *err) {
    bool archived = is_part(&r->places, "archive") || is_part(&r->places, ".archive"), mob = is_part(&r->places, "mobdir");
    r->needs_logs = !archived && !mob;
    if (r->whole_table && !mob && leave_out_mob_region(r, err)) return -1;
    if (!archived) return 0;
    return warning_add(&r->report.warnings, WARN_ARCHIVED_FILES, 1, err,
                       "%s is read from HBase's archive: its cells may be duplicates, or may have been deleted since",
                       r->out->what);
}

/* Begins to read an image, and forgets the notes of the walk for regions: they are about files that are read here. id: NULL where
 * no manifest says it. */
static int begin_image(struct tree_reading *r, const char *dir, const char *id, struct err *err) {
    r->image = dir;
    findings_forget_notes(&r->report);
    r->out->what = describe_source(id ? "incremental backup image " : "an incremental backup image", id ? id : "",
                                   r->l.s.table.ns, r->l.s.table.name, err);
    if (!r->out->what) return -1;
    return r->l.has_descriptor ? 0
                               : err_set(err, ERR_INPUT,
                                         "%s: an incremental backup image without .tabledesc; check that hidden files were "
                                         "copied",
                                         dir);
}

static int begin_table(struct tree_reading *r, struct err *err) {
    r->out->what = describe_source("", "", r->l.s.table.ns, r->l.s.table.name, err);
    return r->out->what ? look_around(r, err) : -1;
}

static int read_table(const char *dir, struct list_room room, struct store_files *out, struct err *err) {
    struct tree_reading r = {.out = out, .whole_table = true, .report = {.listed = room, .kept = room}};
    char *id = NULL;
    int image = 0, rc = search_path_of_table(dir, &r.places, err);
    if (!rc) rc = listing_of_table(dir, r.places.own_ns, r.places.own_table, &r.l, &r.report, err);
    if (!rc && (image = image_files_are(dir, &r.l, &id, err)) < 0) rc = -1;
    if (!rc) rc = image ? begin_image(&r, dir, id, err) : begin_table(&r, err);
    free(id);
    return finish_reading(&r, rc, err);
}

/* dir: of a region, or with family its directory there. */
static int read_region(const char *dir, const char *family, struct list_room room, struct store_files *out, struct err *err) {
    struct tree_reading r = {.out = out, .report = {.listed = room, .kept = room}};
    char *table_dir = directory_above(dir, err);
    const char *region = directory_name(dir);
    int rc = table_dir ? search_path_of_table(table_dir, &r.places, err) : -1;
    if (!rc) rc = listing_of_region(table_dir, region, family, r.places.own_ns, r.places.own_table, &r.l, &r.report, err);
    char *what = !rc && family ? fs_printf(err, "family %s of region %s", family, region) : NULL;
    if (!rc && !family) what = fs_printf(err, "region %s", region);
    if (!rc && !(out->what = what ? describe_source(what, "", r.l.s.table.ns, r.l.s.table.name, err) : NULL)) rc = -1;
    if (!rc) rc = look_around(&r, err);
    free(what);
    free(table_dir);
    return finish_reading(&r, rc, err);
}

static int read_family(const char *dir, struct list_room room, struct store_files *out, struct err *err) {
    char *region_dir = directory_above(dir, err);
    int rc = region_dir ? read_region(region_dir, directory_name(dir), room, out, err) : -1;
    free(region_dir);
    return rc;
}

static int read_kind(const char *dir, enum tree_kind kind, struct list_room room, struct store_files *out, struct err *err) {
    switch (kind) {
    case TREE_SNAPSHOT: return read_snapshot(dir, room, out, err);
    case TREE_TABLE: return read_table(dir, room, out, err);
    case TREE_REGION: return read_region(dir, NULL, room, out, err);
    case TREE_FAMILY: return read_family(dir, room, out, err);
    case TREE_ROOT: return err_set(err, ERR_USAGE, "%s: holds tables or snapshots; choose which to read", dir);
    case TREE_BACKUPS:
    case TREE_IMAGE:
        return err_set(err, ERR_USAGE,
                       "%s: holds backups of tables; give ID/NAMESPACE/TABLE in it for one table; if it is in an "
                       "archive, unpack that",
                       dir);
    case TREE_NONE: break;
    }
    return err_set(err, ERR_INPUT, "%s: not an HBase directory: no snapshot, table, region or family of store files", dir);
}

int store_files_read(const char *dir, struct list_room room, struct store_files *out, struct err *err) {
    enum tree_kind kind;
    *out = (struct store_files){0};
    if (tree_kind_of(dir, &kind, err)) return -1;
    char *path = realpath(dir, NULL); /* names above dir are needed, whatever it is called */
    if (!path) return err_sys(err, ERR_INPUT, errno, "%s", dir);
    int rc = read_kind(path, kind, room, out, err);
    free(path);
    return rc;
}

/* ---- a snapshot of a root, by its name ---- */

static int list_names(const struct tree_catalog *c, struct buf *text, struct err *err) {
    enum { SAID_MAX = 20 };
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (!c->entries[i].snapshot || n++ >= SAID_MAX) continue;
        if (buf_printf(text, err, "%s%s", n > 1 ? ", " : "", c->entries[i].snapshot)) return -1;
    }
    if (n > SAID_MAX) return buf_printf(text, err, " and %zu more", n - SAID_MAX);
    return n ? 0 : buf_printf(text, err, "none");
}

static int no_such_snapshot(const char *root, const char *name, const struct tree_catalog *c, struct err *err) {
    struct buf text = {0};
    struct near_name near = near_name_to(bytes_str(name));
    char meant[NEAR_NAME_MAX + 48];
    for (size_t i = 0; i < c->n; i++)
        if (c->entries[i].snapshot) near_name_offer(&near, bytes_str(c->entries[i].snapshot));
    if (!list_names(c, &text, err))
        err_set(err, ERR_USAGE, "%s holds no snapshot %s; it holds: %.*s%s", root, name, (int)text.n, (const char *)text.p,
                near_name_text(&near, "", meant));
    buf_free(&text);
    return -1;
}

int store_files_of_snapshot(const char *root, const char *name, struct list_room room, struct store_files *out, struct err *err) {
    struct tree_catalog c;
    *out = (struct store_files){0};
    if (tree_catalog_read(root, &c, err)) return -1;
    const char *dir = NULL;
    for (size_t i = 0; i < c.n; i++)
        if (c.entries[i].snapshot && strcmp(c.entries[i].snapshot, name) == 0) dir = c.entries[i].dir;
    int rc = dir ? store_files_read(dir, room, out, err) : no_such_snapshot(root, name, &c, err);
    tree_catalog_free(&c);
    return rc;
}
