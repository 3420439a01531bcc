/* Regions that were split or merged stay on disk long after newer regions have their cells; reading both would bring deleted
 * data back. They are recognised by the references of other regions, and by the key ranges that newer regions cover
 * (split_parents_leave_out in tree.h has the rule). Ranges are painted over each other, newest first, so n regions cost
 * O(n log n):
 *
 *     newest   |--d1--|--d2--|             d1 and d2 cover p: p is a parent, left out
 *     older    |------p------|--q--|       nothing newer covers q: q is read */
#include "base/fs.h"
#include "formats/hbase/names.h"
#include "formats/hbase/tree.h"

#include <stdlib.h>
#include <sys/stat.h>

/* ---- key ranges painted over each other ---- */

/* The part of a range that has been painted so far. */
struct key_cover {
    uint32_t n;     /* elementary ranges between neighbouring bounds */
    uint32_t *next; /* [n + 1]: of each, itself when it is not painted, else one further on */
    uint32_t *sum;  /* [n + 1]: Fenwick tree of painted ones */
};

static void cover_clear(struct key_cover *c) {
    for (uint32_t i = 0; i <= c->n; i++) c->next[i] = i;
    memset(c->sum, 0, ((size_t)c->n + 1) * sizeof *c->sum);
}

static void cover_close(struct key_cover *c) {
    free(c->next);
    free(c->sum);
    *c = (struct key_cover){0};
}

static int cover_open(struct key_cover *c, uint32_t n, struct err *err) {
    c->n = n;
    c->next = malloc(((size_t)n + 1) * sizeof *c->next);
    c->sum = malloc(((size_t)n + 1) * sizeof *c->sum);
    if (!c->next || !c->sum) {
        cover_close(c);
        return err_nomem(err, 2 * ((size_t)n + 1) * sizeof *c->sum, "key ranges");
    }
    cover_clear(c);
    return 0;
}

/* The first from i on that is not painted; paths are halved on the way. */
static uint32_t unpainted(struct key_cover *c, uint32_t i) {
    while (c->next[i] != i) i = c->next[i] = c->next[c->next[i]];
    return i;
}

static void count(struct key_cover *c, uint32_t i) {
    for (i++; i <= c->n; i += i & -i) c->sum[i]++;
}

static uint32_t painted_before(const struct key_cover *c, uint32_t i) {
    uint32_t n = 0;
    for (; i; i -= i & -i) n += c->sum[i];
    return n;
}

static void cover_paint(struct key_cover *c, uint32_t from, uint32_t to) {
    for (uint32_t i = unpainted(c, from); i < to; i = unpainted(c, i)) {
        c->next[i] = i + 1;
        count(c, i);
    }
}

static uint32_t cover_painted(const struct key_cover *c, uint32_t from, uint32_t to) {
    return from < to ? painted_before(c, to) - painted_before(c, from) : 0;
}

/* ---- parents ---- */

enum { PASSES_MAX = 16 };

struct kin {
    uint32_t region;    /* index in the listing */
    uint32_t from, to;  /* its key range as indexes of bounds; empty when it is not known */
    size_t first_file;  /* its place in named */
    size_t files, own;  /* own: no references to regions that are listed */
    bool referred;      /* another region refers to its files */
    bool covered;       /* newer regions cover its key range */
    bool has_followers; /* … and one of them on its range has files of its own */
    bool open;          /* a parent whose split or merge did not come to its end */
    bool unfinished;    /* nothing but references to such a one */
};

struct family_tree {
    const struct listing *l;
    struct kin *kin; /* newest first */
    size_t n;
    struct kin **by_name;
    struct bytes *bounds;
    size_t n_bounds;
    bool *named; /* one a file: a reference leads to it */
    struct key_cover all, own;
};

static const struct snapshot_region *region_of(const struct family_tree *t, const struct kin *k) {
    return &t->l->s.regions[k->region];
}

static const char *name_of(const struct family_tree *t, const struct kin *k) {
    return listing_directory(t->l, k->region);
}

static int newest_first(const void *a, const void *b, void *arg) {
    const struct family_tree *t = arg;
    uint64_t x = region_of(t, a)->info.id, y = region_of(t, b)->info.id;
    return (x < y) - (x > y);
}

static int kin_by_name(const void *a, const void *b, void *arg) {
    return strcmp(name_of(arg, *(struct kin *const *)a), name_of(arg, *(struct kin *const *)b));
}

static int bounds_cmp(const void *a, const void *b) {
    return bytes_cmp(*(const struct bytes *)a, *(const struct bytes *)b);
}

/* The region named, or NULL. */
static struct kin *find_kin(const struct family_tree *t, struct bytes name) {
    for (size_t low = 0, high = t->n; low < high;) {
        size_t mid = low + (high - low) / 2;
        int c = bytes_cmp(name, bytes_str(name_of(t, t->by_name[mid])));
        if (c == 0) return t->by_name[mid];
        if (c < 0)
            high = mid;
        else
            low = mid + 1;
    }
    return NULL;
}

static uint32_t find_bound(const struct family_tree *t, struct bytes key) {
    struct bytes *at = bsearch(&key, t->bounds, t->n_bounds, sizeof key, bounds_cmp);
    return at ? (uint32_t)(at - t->bounds) : 0;
}

static bool has_range(const struct family_tree *t, const struct kin *k) {
    return !t->l->state[k->region].no_range;
}

static int gather_bounds(struct family_tree *t, struct err *err) {
    struct bytes *b = calloc(2 * t->n + 1, sizeof *b);
    if (!b) return err_nomem(err, 2 * t->n * sizeof *b, "key ranges");
    size_t n = 1; /* the empty key, before all others */
    for (size_t i = 0; i < t->n; i++) {
        const struct region_info *info = &region_of(t, &t->kin[i])->info;
        if (!has_range(t, &t->kin[i])) continue;
        b[n++] = buf_bytes(&info->start);
        b[n++] = buf_bytes(&info->end);
    }
    qsort(b, n, sizeof *b, bounds_cmp);
    t->bounds = b;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || !bytes_eq(b[t->n_bounds - 1], b[i])) b[t->n_bounds++] = b[i];
    for (size_t i = 0; i < t->n; i++) {
        const struct region_info *info = &region_of(t, &t->kin[i])->info;
        if (!has_range(t, &t->kin[i])) continue;
        t->kin[i].from = find_bound(t, buf_bytes(&info->start));
        t->kin[i].to = info->end.n ? find_bound(t, buf_bytes(&info->end)) : (uint32_t)t->n_bounds;
    }
    return 0;
}

/* The region whose file f is half of; NULL: f is a file or link, or that region is not listed. */
static struct kin *parent_of(const struct family_tree *t, const struct snapshot_file *f, struct bytes *file) {
    struct store_name name = store_name_parse(bytes_str(f->name));
    *file = name.file;
    return name.kind == STORE_NAME_REFERENCE ? find_kin(t, name.region) : NULL;
}

static void count_own(const struct family_tree *t, struct kin *k) {
    const struct snapshot_region *r = region_of(t, k);
    struct bytes file;
    for (size_t f = 0; f < r->n_families; f++)
        for (size_t i = 0; i < r->families[f].n_files; i++) k->own += !parent_of(t, &r->families[f].files[i], &file);
}

static int make_tree(struct family_tree *t, struct err *err) {
    size_t files = 0, regions = t->l->s.n_regions;
    t->kin = calloc(regions + 1, sizeof *t->kin);
    t->by_name = calloc(regions + 1, sizeof *t->by_name);
    if (!t->kin || !t->by_name) return err_nomem(err, regions * sizeof *t->kin, "regions");
    for (size_t i = 0; i < regions; i++)
        if (!t->l->state[i].left_out && !t->l->state[i].is_mob) t->kin[t->n++].region = (uint32_t)i;
    qsort_r(t->kin, t->n, sizeof *t->kin, newest_first, t);
    for (size_t i = 0; i < t->n; i++) {
        t->by_name[i] = &t->kin[i];
        t->kin[i].first_file = files;
        const struct snapshot_region *r = region_of(t, &t->kin[i]);
        for (size_t f = 0; f < r->n_families; f++) t->kin[i].files += r->families[f].n_files;
        files += t->kin[i].files;
    }
    qsort_r(t->by_name, t->n, sizeof *t->by_name, kin_by_name, t);
    for (size_t i = 0; i < t->n; i++) count_own(t, &t->kin[i]);
    t->named = calloc(files + 1, 1);
    if (!t->named) return err_nomem(err, files, "files");
    if (gather_bounds(t, err)) return -1;
    if (cover_open(&t->all, (uint32_t)t->n_bounds, err)) return -1;
    return cover_open(&t->own, (uint32_t)t->n_bounds, err);
}

static void free_tree(struct family_tree *t) {
    cover_close(&t->all);
    cover_close(&t->own);
    free(t->kin);
    free(t->by_name);
    free(t->bounds);
    free(t->named);
}

static void mark_named(struct family_tree *t, const struct kin *k, const char *family, struct bytes file) {
    const struct snapshot_region *r = region_of(t, k);
    size_t before = k->first_file;
    for (size_t f = 0; f < r->n_families; before += r->families[f++].n_files) {
        const struct snapshot_file *files = r->families[f].files;
        if (strcmp(r->families[f].name, family) != 0) continue;
        for (size_t low = 0, high = r->families[f].n_files; low < high;) {
            size_t mid = low + (high - low) / 2;
            int c = bytes_cmp(file, bytes_str(files[mid].name));
            if (c == 0) t->named[before + mid] = true;
            if (c == 0) return;
            if (c < 0)
                high = mid;
            else
                low = mid + 1;
        }
    }
}

typedef void seen_reference(struct family_tree *t, struct kin *child, struct kin *parent, const char *family, struct bytes file);

static void each_reference(struct family_tree *t, seen_reference *seen) {
    struct bytes file;
    for (size_t i = 0; i < t->n; i++) {
        struct kin *child = &t->kin[i], *parent;
        const struct snapshot_region *r = region_of(t, child);
        if (child->unfinished || child->own == child->files) continue;
        for (size_t f = 0; f < r->n_families; f++)
            for (size_t k = 0; k < r->families[f].n_files; k++)
                if ((parent = parent_of(t, &r->families[f].files[k], &file)) && parent != child)
                    seen(t, child, parent, r->families[f].name, file);
    }
}

static void see_parent(struct family_tree *t, struct kin *child, struct kin *parent, const char *family, struct bytes file) {
    parent->referred = true;
    if (child->own) parent->has_followers = true;
    mark_named(t, parent, family, file);
}

static void see_open_parent(struct family_tree *t, struct kin *child, struct kin *parent, const char *family, struct bytes file) {
    (void)t, (void)family, (void)file;
    if (parent->open && !child->own) child->unfinished = true;
}

static size_t end_of_id(const struct family_tree *t, size_t i) {
    size_t end = i;
    while (end < t->n && region_of(t, &t->kin[end])->info.id == region_of(t, &t->kin[i])->info.id) end++;
    return end;
}

/* Newest first: what has been painted when a region is reached is newer. Regions with one id come from one split. */
static void look_for_newer(struct family_tree *t) {
    for (size_t i = 0, end; i < t->n; i = end) {
        end = end_of_id(t, i);
        for (size_t k = i; k < end; k++) {
            struct kin *kin = &t->kin[k];
            kin->covered = kin->from < kin->to && cover_painted(&t->all, kin->from, kin->to) == kin->to - kin->from;
            kin->has_followers |= cover_painted(&t->own, kin->from, kin->to) > 0;
        }
        for (size_t k = i; k < end; k++) {
            if (t->kin[k].unfinished) continue;
            cover_paint(&t->all, t->kin[k].from, t->kin[k].to);
            if (t->kin[k].own) cover_paint(&t->own, t->kin[k].from, t->kin[k].to);
        }
    }
}

/* Oldest first: regions of nothing but references on the range of an open one, whether they refer to it yet or not. */
static void look_for_unfinished(struct family_tree *t) {
    each_reference(t, see_open_parent);
    cover_clear(&t->all);
    for (size_t i = t->n; i-- > 0;) {
        struct kin *k = &t->kin[i];
        if (k->files && !k->own && cover_painted(&t->all, k->from, k->to)) k->unfinished = true;
        if (k->open) cover_paint(&t->all, k->from, k->to);
    }
}

static bool is_marked(const struct family_tree *t, const struct kin *k) {
    const struct region_info *info = &region_of(t, k)->info;
    return info->offline && info->split;
}

static bool is_parent(const struct kin *k) {
    return k->referred || k->covered;
}

static bool is_open(const struct family_tree *t, const struct kin *k) {
    if (!is_parent(k) || k->has_followers || is_marked(t, k)) return false;
    bool all_named = true;
    for (size_t i = 0; i < k->files && all_named; i++) all_named = t->named[k->first_file + i];
    return !all_named || (k->from < k->to && !k->covered);
}

/* Regions that are found to be unfinished count for nothing, which may show others: again until none is found. */
static void find_unfinished(struct family_tree *t) {
    size_t unfinished = 0, before = 1;
    for (unsigned pass = 0; pass < PASSES_MAX && unfinished != before; pass++) {
        size_t files = 0;
        for (size_t i = 0; i < t->n; i++) {
            files += t->kin[i].files;
            t->kin[i].referred = t->kin[i].has_followers = false;
        }
        memset(t->named, 0, files);
        cover_clear(&t->all);
        cover_clear(&t->own);
        each_reference(t, see_parent);
        look_for_newer(t);
        for (size_t i = 0; i < t->n; i++) t->kin[i].open = is_open(t, &t->kin[i]);
        look_for_unfinished(t);
        before = unfinished;
        unfinished = 0;
        for (size_t i = 0; i < t->n; i++) unfinished += t->kin[i].unfinished;
    }
}

/* An error is in err. */
static uint64_t file_bytes(const char *dir, const struct snapshot_file *f, struct err *err) {
    struct stat st;
    char *path = dir && !f->has_size ? fs_join(dir, f->name, err) : NULL;
    uint64_t bytes = f->has_size ? f->bytes : path && fs_look(path, &st, err) == 1 ? (uint64_t)st.st_size : 0;
    free(path);
    return bytes;
}

static int leave_out(struct listing *l, size_t region, enum note_kind note, const char *table_dir, struct findings *report,
                     struct err *err) {
    const struct snapshot_region *r = &l->s.regions[region];
    uint64_t files = 0, bytes = 0;
    for (size_t f = 0; f < r->n_families; f++) {
        const char *directory = listing_directory(l, region);
        char *dir = table_dir ? fs_printf(err, "%s/%s/%s", table_dir, directory, r->families[f].name) : NULL;
        files += r->families[f].n_files;
        for (size_t i = 0; i < r->families[f].n_files; i++) bytes += file_bytes(dir, &r->families[f].files[i], err);
        free(dir);
    }
    if (err->code) return -1;
    l->state[region].left_out = note != NOTE_LONE_PARENTS;
    return findings_note(report, note, listing_directory(l, region), files, bytes, err);
}

int split_parents_leave_out(struct listing *l, const char *table_dir, struct findings *report, struct err *err) {
    struct family_tree t = {.l = l};
    int rc = make_tree(&t, err);
    if (!rc) find_unfinished(&t);
    for (size_t i = 0; i < t.n && !rc; i++) {
        const struct kin *k = &t.kin[i];
        if (k->unfinished)
            rc = leave_out(l, k->region, NOTE_UNFINISHED, table_dir, report, err);
        else if (is_parent(k) && !k->open)
            rc = leave_out(l, k->region, NOTE_PARENTS, table_dir, report, err);
        else if (is_marked(&t, k) && !k->open)
            rc = leave_out(l, k->region, NOTE_LONE_PARENTS, table_dir, report, err);
    }
    free_tree(&t);
    return rc;
}
