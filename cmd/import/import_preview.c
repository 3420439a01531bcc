/* obkv-import --preview N: what the first records of the inputs become, before anything is written. Rows are collected as JSON,
 * from which the table for people is printed, so both show the same. */
#include "base/json.h"
#include "base/plain.h"
#include "cmd/common/output_text.h"
#include "cmd/common/result.h"
#include "cmd/common/target.h"
#include "cmd/common/text_dialects.h"
#include "cmd/common/text_width.h"
#include "cmd/import/import.h"
#include "formats/formats.h"
#include "table/placement.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROW_WIDTH = 48, COLUMN_WIDTH = 36, VALUE_WIDTH = 60, TIME_BYTES = 32, RECORDS_MAX = 10000, VALUE_SHOWN_BYTES = 1024 };

/* All that is shown is JSON first: the table is printed from it. */
struct preview {
    struct emit base;
    struct environment *env;
    struct target *target;
    const char *path;
    bool places; /* --ddl or --partition is given: partitions and lengths are known */
    uint64_t records, rejected, cells, left;
    json_t *rows, *rejects;
    struct buf dialects; /* how text is read */
};

/* Text as it is; as HBase's shell has it, \xNN for each byte of what is no text, of what a terminal would obey or not show
 * (base/plain.h), and of a backslash. */
static json_t *json_escaped(struct bytes b) {
    char *text = json_memory_alloc(4 * b.n + PLAIN_BYTES), *w = text;
    size_t used;
    if (!text) return NULL;
    for (size_t i = 0; i < b.n; i += used) {
        const size_t n = plain_char(b.p + i, b.n - i, w, &used);
        if (b.p[i] != '\\' && b.p[i] != '\t' && n == used) {
            w += n;
            continue;
        }
        for (size_t k = 0; k < used; k++) w += snprintf(w, 5, "\\x%02X", b.p[i + k]);
    }
    *w = 0;
    json_t *j = json_string(text);
    json_memory_free(text);
    return j;
}

/* Returns the first bytes, without a part of a character at their end. */
static struct bytes first_bytes(struct bytes b, size_t most) {
    size_t n = b.n < most ? b.n : most;
    for (unsigned i = 0; n < b.n && i < 3 && n && (b.p[n] & 0xc0) == 0x80; i++) n--;
    return bytes_of(b.p, n);
}

/* ---- what readers hand out ---- */

static bool cells_fit(const struct family *f, const struct row_part *part, struct reason *why) {
    const char *column = "K";
    size_t n = part->row.n, most = f->k_max;
    for (uint32_t i = 0; n <= most && i < 2 * part->n_cells; i++) {
        const struct cell *c = &part->cells[i / 2];
        column = i % 2 ? "V" : "Q";
        n = i % 2 ? c->value.n : c->qualifier.n;
        most = i % 2 ? (size_t)f->v_max : f->q_max;
    }
    if (n <= most) return true;
    snprintf(why->text, sizeof why->text, "%zu bytes, column %s of family %s holds %zu", n, column, f->name, most);
    return false;
}

/* Returns whether the import would accept the part; if not, *why. */
static bool part_fits(const struct preview *p, const struct row_part *part, uint32_t *partition, struct reason *why) {
    int family = table_family(&p->target->table, part->family);
    *why = (struct reason){0};
    if (!p->places) return true;
    if (family < 0 && !p->target->open_families) {
        snprintf(why->text, sizeof why->text, "the table has no family '%.*s'",
                 (int)(part->family.n > 100 ? 100 : part->family.n), (const char *)part->family.p);
        return false;
    }
    if (family >= 0 && !cells_fit(&p->target->table.families[family], part, why)) return false;
    for (uint32_t i = 0, n, index; i < part->n_cells; i += n) {
        enum place_result r = placement_run(p->target->placement, part, i, &n, &index);
        if (!i) *partition = index;
        if (r == PLACE_OK) continue;
        snprintf(why->text, sizeof why->text, "%s", placement_why(r));
        return false;
    }
    return true;
}

/* Returns a cell as JSON. Where partitions depend on qualifier or timestamp each cell has its own. */
static json_t *cell_json(const struct preview *p, const struct row_part *part, const struct cell *c) {
    uint32_t partition;
    struct bytes shown = first_bytes(c->value, VALUE_SHOWN_BYTES);
    json_t *j = json_new(JSON("family", json_escaped(part->family)), JSON("qualifier", json_escaped(c->qualifier)),
                         JSON("timestamp", c->ts_ms), JSON("type", cell_type_name(c->type)), JSON("value_bytes", c->value.n),
                         JSON("value", json_escaped(shown)));
    bool own = p->places && placement_splits_rows(p->target->placement);
    if (own && placement_of_cell(p->target->placement, part->row, c, &partition) == PLACE_OK)
        json_put(j, JSON("partition", partition));
    return j;
}

static json_t *row_json(const struct preview *p, const struct row_part *part, uint32_t partition) {
    json_t *row =
        json_new(JSON("row", json_escaped(part->row)), JSON("row_hex", json_hex(part->row)), JSON("row_bytes", part->row.n));
    if (p->places) json_object_set_new(row, "partition", json_integer(partition));
    json_put(row, JSON("cells", json_array()));
    return row;
}

static int show_parts(struct preview *p, const struct row_part *parts, uint32_t n, const uint32_t *partitions, struct err *err) {
    json_t *row = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!i || !bytes_eq(parts[i].row, parts[i - 1].row)) {
            row = row_json(p, &parts[i], partitions[i]);
            if (json_array_append_new(p->rows, row)) return err_nomem(err, 0, "the preview");
        }
        for (uint32_t k = 0; k < parts[i].n_cells; k++, p->cells++)
            if (json_array_append_new(json_object_get(row, "cells"), cell_json(p, &parts[i], &parts[i].cells[k])))
                return err_nomem(err, 0, "the preview");
    }
    return 0;
}

enum { PARTS_MAX = 256 };

static int preview_record(struct emit *e, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err) {
    struct preview *p = (struct preview *)e;
    uint32_t partitions[PARTS_MAX] = {0};
    if (!p->left) return 1;
    for (uint32_t i = 0; i < n && i < PARTS_MAX; i++)
        if (!part_fits(p, &parts[i], &partitions[i], why)) return 0;
    p->left--;
    p->records++;
    return show_parts(p, parts, n < PARTS_MAX ? n : PARTS_MAX, partitions, err) ? -1 : 1;
}

static int preview_cells(struct emit *e, const struct row_part *part, const struct tally *tally, struct err *err) {
    struct preview *p = (struct preview *)e;
    struct reason why;
    uint32_t partition = 0;
    (void)tally;
    if (!p->left) return 0;
    p->left--;
    p->records++;
    if (part_fits(p, part, &partition, &why)) return show_parts(p, part, 1, &partition, err);
    p->rejected++;
    return json_array_append_new(p->rejects, json_new(JSON("file", json_text(p->path)), JSON("reason", why.text)))
               ? err_nomem(err, 0, "the preview")
               : 0;
}

static int preview_reject(struct emit *e, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why,
                          struct err *err) {
    struct preview *p = (struct preview *)e;
    (void)raw;
    (void)offset;
    if (!p->left) return 0;
    p->left--;
    p->records++;
    p->rejected++;
    json_t *j = json_new(JSON("file", json_text(p->path)), JSON("line", line), JSON("column", why->column),
                         JSON("reason", json_text(why->text)));
    return json_array_append_new(p->rejects, j) ? err_nomem(err, 0, "the preview") : 0;
}

static void preview_skip(struct emit *e, uint64_t records) {
    (void)e;
    (void)records;
}

static int preview_lost(struct emit *e, const struct lost *lost, struct err *err) {
    struct preview *p = (struct preview *)e;
    return err_set(err, ERR_INPUT, "%s: %s", p->path, lost->reason);
}

static void preview_lost_cells(struct emit *e, uint64_t cells) {
    (void)e;
    (void)cells;
}

static int read_input(struct preview *p, struct read_opts o, const struct input *in, struct shape_set *shapes, struct err *err) {
    struct chunk c = {0};
    int rc;
    if (in->files) return err_set(err, ERR_USAGE, "--preview reads files, but %s is an HBase directory", in->path);
    o.shapes = shapes;
    o.text.dialects = &p->dialects;
    struct reader *r = format_open(in->path, in->format_name, &o, NULL, err);
    if (!r) return -1;
    p->path = in->path;
    while (p->left && (rc = r->ops->next(r, &c, err)) != 0) {
        if (c.origin) p->path = c.origin->path;
        if (rc < 0 || r->ops->parse(r, &c, 0, &p->base, err)) break;
        c.origin = NULL;
        c.rank_base = 0;
    }
    r->ops->close(r);
    buf_free(&c.data);
    return err->code ? -1 : 0;
}

/* ---- the table ---- */

static const char *time_text(int64_t ms, char out[TIME_BYTES]) {
    time_t s = (time_t)(ms / 1000);
    struct tm tm;
    char day[24];
    if (ms >= INT64_C(253402300800000) || !gmtime_r(&s, &tm) || !strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm))
        snprintf(out, TIME_BYTES, "%lld", (long long)ms);
    else
        snprintf(out, TIME_BYTES, "%s.%03dZ", day, (int)(ms % 1000));
    return out;
}

static size_t width_of(const char *text) {
    return text_width(text, strlen(text));
}

/* Longer text than `most` ends with "…", which is one wide. Returns the columns that it took. */
static size_t put_cut(const char *text, size_t most) {
    const size_t n = strlen(text), wide = text_width(text, n);
    if (wide <= most) {
        text_print("%s", text);
        return wide;
    }
    const size_t shown = text_fit(text, n, most - 1);
    text_print("%.*s…", (int)shown, text);
    return text_width(text, shown) + 1;
}

/* Prints a column at least `width` wide. */
static void put_column(const char *text, size_t width, size_t most) {
    for (size_t i = put_cut(text, most); i < width; i++) putchar(' ');
    text_print("  ");
}

static const char *text_of(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static size_t larger(size_t a, size_t b, size_t most) {
    if (b > most) b = most;
    return a > b ? a : b;
}

struct widths {
    size_t row, column;
};

static struct widths measure_widths(const struct preview *p) {
    struct widths w = {strlen("row key"), strlen("column")};
    size_t i, k;
    json_t *row, *cell;
    json_array_foreach(p->rows, i, row) {
        w.row = larger(w.row, width_of(text_of(row, "row")), ROW_WIDTH);
        json_array_foreach(json_object_get(row, "cells"), k, cell) w.column =
            larger(w.column, width_of(text_of(cell, "family")) + 1 + width_of(text_of(cell, "qualifier")), COLUMN_WIDTH);
    }
    return w;
}

/* A delete marker has no value: its type is shown. */
static void print_value(const json_t *cell) {
    const char *type = text_of(cell, "type");
    if (strcmp(type, cell_type_name(CELL_PUT)) != 0)
        text_print("[%s]", type);
    else
        (void)put_cut(text_of(cell, "value"), VALUE_WIDTH);
    text_print("\n");
}

static void print_row(const struct preview *p, const json_t *row, struct widths w) {
    char column[4 * COLUMN_WIDTH + 8], when[TIME_BYTES];
    size_t k;
    json_t *cell;
    json_array_foreach(json_object_get(row, "cells"), k, cell) {
        const json_t *partition = json_object_get(cell, "partition");
        put_column(k ? "" : text_of(row, "row"), w.row, ROW_WIDTH);
        if (k)
            text_print("%5s  ", "");
        else
            text_print("%5lld  ", (long long)json_integer_value(json_object_get(row, "row_bytes")));
        if (!partition && !k) partition = json_object_get(row, "partition");
        if (partition)
            text_print("%9lld  ", (long long)json_integer_value(partition));
        else if (p->places)
            text_print("%9s  ", "");
        snprintf(column, sizeof column, "%s:%s", text_of(cell, "family"), text_of(cell, "qualifier"));
        put_column(column, w.column, COLUMN_WIDTH);
        put_column(time_text(json_integer_value(json_object_get(cell, "timestamp")), when), 24, 24);
        print_value(cell);
    }
}

static void print_table(const struct preview *p) {
    struct widths w = measure_widths(p);
    size_t i;
    json_t *row, *j;
    text_dialects_print(buf_bytes(&p->dialects), "");
    if (json_array_size(p->rows)) {
        put_column("row key", w.row, ROW_WIDTH);
        text_print("bytes  %s", p->places ? "partition  " : "");
        put_column("column", w.column, COLUMN_WIDTH);
        put_column("timestamp", 24, 24);
        text_print("value\n");
    }
    json_array_foreach(p->rows, i, row) print_row(p, row, w);
    json_array_foreach(p->rejects, i, j) {
        long long line = (long long)json_integer_value(json_object_get(j, "line"));
        long long column = (long long)json_integer_value(json_object_get(j, "column"));
        text_print("rejected: %s", text_of(j, "file"));
        if (line) text_print(":%lld", line);
        if (column) text_print(": column %lld", column);
        text_print(": %s\n", text_of(j, "reason"));
    }
    text_print("%llu record%s: %zu row%s, %llu cell%s, %llu rejected; nothing was written\n", (unsigned long long)p->records,
               p->records == 1 ? "" : "s", json_array_size(p->rows), json_array_size(p->rows) == 1 ? "" : "s",
               (unsigned long long)p->cells, p->cells == 1 ? "" : "s", (unsigned long long)p->rejected);
}

static int print_json(struct preview *p, struct err *err) {
    return report_json_put(&p->env->reporter, "preview",
                           json_pack("{s:I, s:I, s:I, s:O, s:O, s:o}", "records", (json_int_t)p->records, "rejected",
                                     (json_int_t)p->rejected, "cells", (json_int_t)p->cells, "rows", p->rows, "rejects",
                                     p->rejects, "dialects", text_dialects_json(buf_bytes(&p->dialects))),
                           err);
}

int import_preview(struct environment *env, struct intake *intake, struct target *target, const struct input_list *in,
                   struct err *err) {
    static const struct emit_ops ops = {.record = preview_record,
                                        .cells = preview_cells,
                                        .reject = preview_reject,
                                        .skip = preview_skip,
                                        .lost = preview_lost,
                                        .lost_cells = preview_lost_cells};
    struct preview p = {.base.ops = &ops,
                        .env = env,
                        .target = target,
                        .left = import_options(&env->o)->preview,
                        .rows = json_array(),
                        .rejects = json_array()};
    struct shape_set shapes = {0};
    p.places = env->o.table.ddl || env->o.table.partition;
    int rc = p.rows && p.rejects ? 0 : err_nomem(err, 0, "the preview");
    if (!rc && import_options(&env->o)->preview > RECORDS_MAX)
        rc = err_set(err, ERR_USAGE, "--preview shows at most %d records", RECORDS_MAX);
    if (!rc) rc = p.places ? target_make(env, intake, target, NULL, err) : target_open(env, target, err);
    for (uint32_t i = 0; !rc && p.left && i < in->n; i++)
        rc = read_input(&p, intake_read_opts(env, intake, target), &in->inputs[i], &shapes, err);
    intake_warn(env, intake);
    if (!rc) rc = json_memory_check(err);
    if (!rc && env->o.messages.json)
        rc = print_json(&p, err);
    else if (!rc)
        print_table(&p);
    json_decref(p.rows);
    json_decref(p.rejects);
    buf_free(&p.dialects);
    shape_set_free(&shapes);
    return rc;
}
