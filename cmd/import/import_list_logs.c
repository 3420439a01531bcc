/* obkv-import --list of write-ahead logs: of which tables and regions their entries are, which sequence ids they have, and
 * from when to when they were written. Cells are passed by, not decoded, but each entry is read: what follows a torn one is not
 * known. */
#include "cmd/common/report_figures.h"
#include "cmd/import/import.h"

#include "cmd/common/output_text.h"
#include "engine/memory_plan.h"
#include "formats/formats.h"
#include "formats/wal/wal.h"
#include "formats/wal/wal_stream.h"

#include <stdio.h>
#include <stdlib.h>

/* Entries of one region in a log. */
struct log_region {
    struct buf table, region;
    uint64_t entries, cells, seq_first, seq_last;
    int64_t first_ms, last_ms;
};

struct log_list {
    struct log_region *regions;
    size_t n, latest;
    bool torn;
    enum wal_end end;
};

static void log_list_free(struct log_list *l) {
    for (size_t i = 0; i < l->n; i++) {
        buf_free(&l->regions[i].table);
        buf_free(&l->regions[i].region);
    }
    free(l->regions);
}

static bool is_of(const struct log_region *r, const struct wal_key *k) {
    return bytes_eq(buf_bytes(&r->region), k->region) && bytes_eq(buf_bytes(&r->table), k->table);
}

/* Entries of a region come in runs. NULL: no memory. */
static struct log_region *region_of(struct log_list *l, const struct wal_key *k, struct err *err) {
    if (l->latest < l->n && is_of(&l->regions[l->latest], k)) return &l->regions[l->latest];
    for (l->latest = 0; l->latest < l->n; l->latest++)
        if (is_of(&l->regions[l->latest], k)) return &l->regions[l->latest];
    if (grow_array(&l->regions, l->n, sizeof *l->regions, "the regions of a log", err)) return NULL;
    struct log_region *r = &l->regions[l->n++];
    *r = (struct log_region){.seq_first = k->seq, .first_ms = k->written_ms, .last_ms = k->written_ms};
    if (buf_copy(&r->table, k->table, err) || buf_copy(&r->region, k->region, err)) return NULL;
    return r;
}

static int take_entry(struct log_list *l, const struct wal_key *k, struct err *err) {
    struct log_region *r = region_of(l, k, err);
    if (!r) return -1;
    r->entries++;
    r->cells += k->cells;
    if (k->seq < r->seq_first) r->seq_first = k->seq;
    if (k->seq > r->seq_last) r->seq_last = k->seq;
    if (k->written_ms < r->first_ms) r->first_ms = k->written_ms;
    if (k->written_ms > r->last_ms) r->last_ms = k->written_ms;
    return 0;
}

/* Damage, and kinds that are not read, concern this log alone. */
static int pass_on(struct log_list *l, const struct err *torn, struct err *err) {
    l->torn = torn->code != ERR_NONE;
    if (l->torn && torn->code != ERR_INPUT && torn->code != ERR_UNSUPPORTED) err_keep(err, torn);
    return err->code ? -1 : 0;
}

/* *torn: what is torn or damaged. The entries before it are listed. */
static int read_log(struct instream *in, struct log_list *l, struct err *torn, struct err *err) {
    struct wal_stream w;
    struct wal_entry e;
    int more = -1;
    if (wal_open(&w, in, 0, torn)) return pass_on(l, torn, err);
    while ((more = wal_next(&w, &e, torn)) == 1) {
        if (take_entry(l, &e.key, err)) break;
        if (wal_cells(&w, &e, NULL, torn)) break;
    }
    l->end = w.end;
    wal_close(&w);
    return pass_on(l, torn, err);
}

static const char *end_of(const struct log_list *l) {
    if (l->torn) return "torn";
    return l->end == WAL_END_CLOSED ? "closed" : l->end == WAL_END_EMPTY ? "empty" : "not closed";
}

static int print_log(const char *path, const struct log_list *l, struct err *err) {
    struct buf out = {0};
    char a[32], b[32], from[32], to[32];
    int rc = buf_printf(&out, err, "%s: log, %s\n", path, end_of(l));
    if (!rc && l->n)
        rc = buf_printf(&out, err, "  %9s %9s  %-23s  %-24s  %-24s  %s\n", "entries", "cells", "sequence ids", "from", "to",
                        "table and region");
    for (size_t i = 0; !rc && i < l->n; i++) {
        const struct log_region *r = &l->regions[i];
        char ids[48];
        snprintf(ids, sizeof ids, "%llu-%llu", (unsigned long long)r->seq_first, (unsigned long long)r->seq_last);
        moment_rfc3339(r->first_ms, from);
        moment_rfc3339(r->last_ms, to);
        rc = buf_printf(&out, err, "  %9s %9s  %-23s  %-24s  %-24s  %.*s %.*s\n", report_count(r->entries, a),
                        report_count(r->cells, b), ids, from, to, (int)r->table.n, (const char *)r->table.p, (int)r->region.n,
                        (const char *)r->region.p);
    }
    if (!rc && !(rc = buf_put_byte(&out, 0, err))) text_print("%s", (const char *)out.p);
    buf_free(&out);
    return rc;
}

static json_t *text_json(const struct buf *b) {
    struct buf text = {0};
    struct err none = {0};
    json_t *j = buf_copy(&text, buf_bytes(b), &none) || buf_put_byte(&text, 0, &none) ? NULL : json_text((const char *)text.p);
    buf_free(&text);
    return j;
}

static json_t *region_json(const struct log_region *r) {
    return json_new(JSON("table", text_json(&r->table)), JSON("region", text_json(&r->region)), JSON("entries", r->entries),
                    JSON("cells", r->cells), JSON("first_sequence_id", r->seq_first), JSON("last_sequence_id", r->seq_last),
                    JSON("first_ms", r->first_ms), JSON("last_ms", r->last_ms));
}

static json_t *log_json(const char *path, const struct log_list *l) {
    json_t *regions = json_array();
    for (size_t i = 0; regions && i < l->n; i++) json_array_append_new(regions, region_json(&l->regions[i]));
    return json_pack("{s:o, s:{s:s, s:o}}", "what", json_text(path), "log", "end", end_of(l), "regions", regions);
}

static int list_log(struct instream *in, json_t *entries, struct err *torn, struct err *err) {
    struct log_list l = {0};
    int rc = read_log(in, &l, torn, err);
    if (!rc && !entries) rc = print_log(instream_path(in), &l, err);
    if (!rc && entries) json_array_append_new(entries, log_json(instream_path(in), &l));
    log_list_free(&l);
    return rc;
}

int import_list_log(struct environment *env, const struct input *what, json_t *entries, struct err *torn, struct err *err) {
    struct content c = {.format = what->format_name ? format_by_name(what->format_name) : NULL};
    struct instream *in = instream_open(what->path, env->job.stop, memory_share(&env->job, MEMORY_UNPACK), err);
    int rc = in ? 0 : -1;
    if (!rc && !what->format_name) rc = format_look(in, &c, err);
    const bool is = !rc && c.format && c.format->is_log;
    if (is) rc = list_log(in, entries, torn, err);
    instream_close(in);
    return rc ? -1 : is;
}
