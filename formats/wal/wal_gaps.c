/* Evidence that a log is missing. HBase numbers the entries of a region one after the other, in whatever log of whatever server
 * they are. A few ids are used without an entry: by flushes and bulk loads, which write entries before and after, and by writes
 * that skip the log. Where these happen, ids are missing within logs, too. So ids that are missing between two logs of a
 * region are a sign of a missing log if they are more than such things explain: more than a few for each log that could hold
 * them, and several times the most that are missing at one place within a log of this region. A region that continues in a log
 * of another server must have been opened there.
 *
 * A log before the first, or after the last, of a region leaves no such gap. Logs before HBase 1.0 number the entries of servers:
 * they have no entries about regions that are opened or flushed, which shows what they are. tests/interop/missing_logs.py
 * measures how reliable this is. */
#include "formats/wal/wal_gaps.h"

#include "base/hash.h"

#include <stdlib.h>

/* Ids that may be missing for each log that could hold them, and how many times those within logs. */
enum { FEW = 8, TIMES_INSIDE = 4 };

/* ---- memory ---- */

/* Doubles as grow_array does. false: there is no room, and nothing is judged from now on. */
static bool has_room(struct wal_gaps *g, void *array, size_t n, size_t item_bytes, const char *what) {
    struct err none = {0};
    if (g->is_full) return false;
    if (n && (n & (n - 1))) return true;
    const size_t more = (n ? n : 1) * item_bytes; /* and as many again while they are copied */
    if (2 * more > g->room || grow_array(array, n, item_bytes, what, &none)) {
        g->is_full = true;
        return false;
    }
    g->room -= more;
    return true;
}

static bool put_name(struct wal_gaps *g, struct bytes name, size_t *at) {
    struct err none = {0};
    *at = g->names.n;
    if (!g->is_full && (3 * name.n > g->room || buf_put(&g->names, name.p, name.n, &none))) g->is_full = true;
    if (g->is_full) return false;
    g->room -= 2 * name.n; /* the buffer doubles */
    return true;
}

static struct bytes name_at(const struct wal_gaps *g, size_t at, size_t n) {
    return bytes_of(g->names.p + at, n);
}

void wal_gaps_free(struct wal_gaps *g) {
    buf_free(&g->names);
    free(g->regions);
    free(g->logs);
    free(g->stretches);
}

/* ---- names of logs: SERVER[.GROUP].TIME or SERVER.meta.TIME.meta ---- */

static void parse_name(struct wal_gaps_log *l, const char *name) {
    const char *end = name + l->name_n;
    if (l->name_n > 5 && !memcmp(end - 5, ".meta", 5)) end -= 5;
    const char *at = end;
    while (at > name && at[-1] >= '0' && at[-1] <= '9') at--;
    if (at == end || at - name < 2 || at[-1] != '.' || end - at > 18) return;
    l->server_n = (size_t)(at - 1 - name);
    for (; at < end; at++) l->began = l->began * 10 + (uint64_t)(*at - '0');
}

void wal_gaps_begin(struct wal_gaps *g, struct wal_gaps_open *o, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct wal_gaps_log log = {.name_n = strlen(name)};
    *o = (struct wal_gaps_open){.is_begun = true, .log = (uint32_t)g->n_logs};
    parse_name(&log, name);
    if (!has_room(g, &g->logs, g->n_logs, sizeof log, "logs") || !put_name(g, bytes_str(name), &log.name)) return;
    log.server = log.name;
    g->logs[g->n_logs++] = log;
}

/* ---- entries ---- */

/* UINT32_MAX: there is no room. */
static uint32_t region_number(struct wal_gaps *g, struct wal_gaps_open *o, struct bytes name) {
    const struct wal_gaps_region *latest = &g->regions[o->latest];
    if (g->n_regions && bytes_eq(name_at(g, latest->name, latest->name_n), name)) return o->latest;
    uint32_t *head = &g->heads[murmur64a(name.p, name.n, 0) % countof(g->heads)];
    for (uint32_t at = *head; at; at = g->regions[at - 1].next) {
        const struct wal_gaps_region *r = &g->regions[at - 1];
        if (bytes_eq(name_at(g, r->name, r->name_n), name)) return o->latest = at - 1;
    }
    struct wal_gaps_region made = {.name_n = name.n, .next = *head};
    if (!has_room(g, &g->regions, g->n_regions, sizeof made, "regions") || !put_name(g, name, &made.name)) return UINT32_MAX;
    g->regions[g->n_regions++] = made;
    *head = (uint32_t)g->n_regions;
    return o->latest = *head - 1;
}

/* Returns the open stretch of the region in this log. NULL: there is no room. */
static struct wal_stretch *open_stretch(struct wal_gaps *g, struct wal_gaps_open *o, uint32_t region) {
    enum { LEAST = 16 };
    struct err none = {0};
    if (region < o->n) return &o->at[region];
    const size_t n = 2 * (size_t)region + LEAST, more = (n - o->n) * sizeof *o->at;
    if (more > g->room || grow_to(&o->at, n, sizeof *o->at, "regions of a log", &none)) {
        g->is_full = true;
        return NULL;
    }
    memset(&o->at[o->n], 0, more);
    g->room -= more;
    o->n = n;
    return &o->at[region];
}

static void finish(struct wal_gaps *g, struct wal_stretch *s) {
    if (s->last && has_room(g, &g->stretches, g->n_stretches, sizeof *s, "sequence ids of logs"))
        g->stretches[g->n_stretches++] = *s;
    s->last = 0;
}

void wal_gaps_note(struct wal_gaps *g, struct wal_gaps_open *o, struct bytes region, struct bytes row, uint64_t seq,
                   enum wal_gaps_kind kind) {
    const uint32_t number = g->is_full || !seq ? UINT32_MAX : region_number(g, o, region);
    struct wal_stretch *s = number == UINT32_MAX ? NULL : open_stretch(g, o, number);
    if (!s) return;
    struct wal_gaps_region *r = &g->regions[number];
    g->has_markers |= kind != WAL_GAPS_EDIT;
    if (row.n && !r->row_n && put_name(g, row, &r->row)) r->row_n = row.n;
    if (kind == WAL_GAPS_OPENS) finish(g, s);
    if (!s->last)
        *s = (struct wal_stretch){.region = number,
                                  .first_log = o->log,
                                  .last_log = o->log,
                                  .opens = kind == WAL_GAPS_OPENS,
                                  .first = seq,
                                  .last = seq};
    if (seq > s->last + 1 && seq - s->last - 1 > r->inside) r->inside = seq - s->last - 1;
    if (seq > s->last) s->last = seq;
    if (seq < s->first) s->first = seq;
    s->closes = kind == WAL_GAPS_CLOSES;
}

void wal_gaps_end(struct wal_gaps *g, struct wal_gaps_open *o, bool damaged) {
    if (o->is_begun && o->log < g->n_logs) g->logs[o->log].is_damaged = damaged;
    for (size_t i = 0; i < o->n; i++) finish(g, &o->at[i]);
    g->room += o->n * sizeof *o->at;
    free(o->at);
    *o = (struct wal_gaps_open){0};
}

/* ---- what is missing ---- */

static int stretch_cmp(const void *a, const void *b) {
    const struct wal_stretch *x = a, *y = b;
    if (x->region != y->region) return x->region < y->region ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->last > y->last) - (x->last < y->last);
}

static bool is_same_server(const struct wal_gaps *g, const struct wal_gaps_log *a, const struct wal_gaps_log *b) {
    return bytes_eq(name_at(g, a->server, a->server_n), name_at(g, b->server, b->server_n));
}

/* Logs of the same server from a to b, which could hold what comes between: 1 if they follow on each other. */
static uint64_t logs_apart(const struct wal_gaps *g, const struct wal_gaps_log *a, const struct wal_gaps_log *b) {
    uint64_t n = 1;
    for (size_t i = 0; i < g->n_logs; i++) {
        const struct wal_gaps_log *l = &g->logs[i];
        n += is_same_server(g, l, b) && l->began > a->began && l->began < b->began;
    }
    return n;
}

/* Returns whether there is a hole between two stretches of a region that the usual does not explain. */
static bool is_hole(const struct wal_gaps *g, const struct wal_stretch *a, const struct wal_stretch *b) {
    const struct wal_gaps_log *x = &g->logs[a->last_log], *y = &g->logs[b->first_log];
    const uint64_t missing = b->first > a->last ? b->first - a->last - 1 : 0, inside = g->regions[a->region].inside;
    if (!missing || x->is_damaged) return false;
    if (x->server_n && y->server_n && !is_same_server(g, x, y) && !b->opens) return true;
    return missing > FEW * logs_apart(g, x, y) && missing / TIMES_INSIDE > inside;
}

static void add_hole(struct wal_gaps *g, const struct wal_stretch *a, const struct wal_stretch *b, struct wal_hole *out,
                     size_t *n, size_t most) {
    const struct wal_gaps_region *r = &g->regions[a->region];
    struct wal_hole hole = {
        .first = a->last + 1, .last = b->first - 1, .before = a->last_log, .after = b->first_log, .n_regions = 1};
    hole.region = name_at(g, r->name, r->name_n);
    hole.before_name = name_at(g, g->logs[a->last_log].name, g->logs[a->last_log].name_n);
    hole.after_name = name_at(g, g->logs[b->first_log].name, g->logs[b->first_log].name_n);
    size_t at = 0;
    while (at < *n && at < most && out[at].after != hole.after) at++;
    if (!g->logs[hole.after].is_after_hole) {
        g->logs[hole.after].is_after_hole = true;
        if (++*n <= most) out[*n - 1] = hole;
    } else if (at < *n && at < most) {
        hole.n_regions += out[at].n_regions;
        if (hole.last - hole.first > out[at].last - out[at].first) out[at] = hole;
        out[at].n_regions = hole.n_regions;
    }
}

size_t wal_gaps_find(struct wal_gaps *g, wal_gaps_held *held, const void *arg, struct wal_hole *out, size_t most) {
    size_t n = 0;
    struct wal_stretch *s = g->stretches;
    if (g->is_full || !g->has_markers || !g->n_stretches) return 0;
    qsort(s, g->n_stretches, sizeof *s, stretch_cmp);
    struct wal_stretch before = s[0];
    for (size_t i = 1; i < g->n_stretches; i++) {
        const struct wal_gaps_region *r = &g->regions[s[i].region];
        if (s[i].region == before.region && s[i].last <= before.last) continue;
        if (s[i].region == before.region && is_hole(g, &before, &s[i]) &&
            !(held && r->row_n && held(arg, name_at(g, r->row, r->row_n), s[i].first - 1)))
            add_hole(g, &before, &s[i], out, &n, most);
        before = s[i];
    }
    return n;
}
