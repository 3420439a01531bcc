/* Prints the result of obkv-verify target: in a table and in sentences for people, or as JSON lines; rows and partitions up to
 * --limit each, and a closing line. Stops quietly when standard output is no longer read. */
#include "cmd/verify/target/target_print.h"

#include "base/clock.h"
#include "base/json.h"
#include "cmd/common/environment.h"
#include "cmd/oceanbase/export_deletes.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/common/output_text.h"
#include "cmd/common/report_figures.h"
#include "cmd/common/result.h"
#include "cmd/verify/verify.h"
#include "dataset/manifest_json.h"

#include <stdlib.h>

static int print_json_line(struct target_printer *p, json_t *j, struct err *err) {
    return report_json_line(&p->env->reporter, p->env->o.messages.json, &p->env->unpacked, j, &p->gone, err);
}

/* Frees line. rc: whether it is whole. */
static int print_sentence(struct target_printer *p, struct buf *line, int rc, struct err *err) {
    if (!rc) rc = buf_put_byte(line, '\n', err);
    if (!rc && !p->gone) rc = stdout_write_text(buf_bytes(line), &p->gone, err);
    buf_free(line);
    return rc;
}

static const char *sql_table(const struct target_printer *p, uint32_t family) {
    return p->m->table.families[family].sql_table;
}

int target_print_begin(struct target_printer *p, struct environment *env, struct err *err) {
    p->env = env;
    p->limit = verify_differences_most(env);
    p->lines = verify_table_lines_most(&env->o);
    if (environment_documents(env) && !(p->compared = json_array())) return err_nomem(err, 0, "the result document");
    p->table.title[0] = "export";
    p->table.title[1] = "database";
    return value_form_parse(verify_options(&env->o)->values, &p->table.values, err);
}

void target_print_free(struct target_printer *p) {
    difference_table_free(&p->table);
    json_decref(p->compared);
}

/* ---- a row ---- */

static void put_side(const struct target_printer *p, json_t *j, const char *side, const struct compare_side *s) {
    char name[32];
    snprintf(name, sizeof name, "value_bytes_%s", side);
    json_put(j, JSON(name, s->value.bytes));
    snprintf(name, sizeof name, p->table.values == VALUE_HEX ? "value_%s" : "value_text_%s", side);
    if (p->table.values != VALUE_MASKED) json_object_set_new(j, name, value_head_json(&s->value, p->table.values));
    snprintf(name, sizeof name, "ttl_ms_%s", side);
    if (s->has_ttl) json_object_set_new(j, name, json_integer(s->ttl_ms));
}

static int print_row_json(struct target_printer *p, const struct compare_finding *f, struct err *err) {
    const struct family *family = &p->m->table.families[f->family];
    const char *partition = export_partition_name(p->m, f->partition);
    json_t *j = json_new(JSON("kind", compare_kind_name(f->kind)), JSON("row", manifest_hex(f->k)),
                         JSON("family", manifest_hex(bytes_str(family->name))), JSON("qualifier", manifest_hex(f->q)),
                         JSON("ts", 0 - (uint64_t)f->t), JSON("type", "Put"));
    json_put(j, JSON("row_text", json_plain(f->k)), JSON("column", json_plain_column(bytes_str(family->name), f->q)));
    if (f->kind != COMPARE_EXTRA) put_side(p, j, "a", &f->a);
    if (f->kind != COMPARE_MISSING) put_side(p, j, "b", &f->b);
    json_put(j, JSON("table", json_text(sql_table(p, f->family))));
    if (partition) json_object_set_new(j, "partition", json_text(partition));
    return print_json_line(p, j, err);
}

/* A value that is the same on both sides has another TTL. */
static int put_note(const struct compare_finding *f, struct buf *note, struct err *err) {
    const struct compare_side *const sides[] = {&f->a, &f->b};
    for (unsigned i = 0; i < 2; i++)
        if (buf_printf(note, err, i ? " → " : "TTL ") ||
            (sides[i]->has_ttl ? buf_printf(note, err, "%lld ms", (long long)sides[i]->ttl_ms) : buf_printf(note, err, "none")))
            return -1;
    return buf_put_byte(note, 0, err);
}

static bool only_ttl_differs(const struct compare_finding *f) {
    const struct compare_side *a = &f->a, *b = &f->b;
    return f->kind == COMPARE_CHANGED && (a->has_ttl != b->has_ttl || a->ttl_ms != b->ttl_ms) &&
           value_head_eq(&a->value, &b->value);
}

static int print_row_text(struct target_printer *p, const struct compare_finding *f, struct err *err) {
    struct difference d = {.kind = compare_kind_name(f->kind),
                           .partition = export_partition_name(p->m, f->partition),
                           .row = f->k,
                           .family = bytes_str(p->m->table.families[f->family].name),
                           .qualifier = f->q,
                           .ts_ms = (int64_t)(0 - (uint64_t)f->t),
                           .a = f->kind == COMPARE_EXTRA || f->kind == COMPARE_LEFT ? NULL : &f->a.value,
                           .b = f->kind == COMPARE_MISSING ? NULL : &f->b.value};
    struct buf note = {0};
    int rc = only_ttl_differs(f) ? put_note(f, &note, err) : 0;
    if (note.n) d.note = (const char *)note.p;
    if (!rc) rc = difference_table_add(&p->table, &d, &p->gone, err);
    buf_free(&note);
    return rc;
}

int target_print_row(struct target_printer *p, const struct compare_finding *f, struct err *err) {
    const uint64_t row = p->rows++;
    if (row < p->limit && environment_documents(p->env) && print_row_json(p, f, err)) return -1;
    return row < p->lines && !p->env->o.messages.json && !p->gone ? print_row_text(p, f, err) : 0;
}

/* ---- a partition, a table ---- */

static int print_partition_json(struct target_printer *p, const struct compare_partition *c, struct err *err) {
    json_t *j =
        json_new(JSON("kind", "partition"), JSON("table", json_text(sql_table(p, c->family))), JSON("rows_a", c->a.rows),
                 JSON("rows_b", c->b.rows), JSON("missing", c->found[COMPARE_MISSING]), JSON("extra", c->found[COMPARE_EXTRA]),
                 JSON("changed", c->found[COMPARE_CHANGED]), JSON("expired", c->expired), JSON("hidden", c->hidden));
    if (p->delta) json_object_set_new(j, "left", json_integer((json_int_t)c->found[COMPARE_LEFT]));
    if (c->name) json_object_set_new(j, "partition", json_text(c->name));
    if (c->changing) json_object_set_new(j, "changing", json_true());
    return print_json_line(p, j, err);
}

static int print_partition_text(struct target_printer *p, const struct compare_partition *c, struct err *err) {
    char a[32], b[32];
    struct buf line = {0};
    int rc = buf_printf(&line, err, "%s%s%s: %s rows in the export, %s in the database", sql_table(p, c->family),
                        c->name ? " " : "", c->name ? c->name : "", report_count(c->a.rows, a), report_count(c->b.rows, b));
    bool first = true;
    for (unsigned k = 0; !rc && k < COMPARE_KINDS; k++)
        if (c->found[k]) {
            rc = buf_printf(&line, err, "%s%s %s", first ? ": " : ", ", report_count(c->found[k], a),
                            compare_kind_name((enum compare_kind)k));
            first = false;
        }
    if (!rc && c->changing) rc = buf_printf(&line, err, "; it changed while it was compared");
    return print_sentence(p, &line, rc, err);
}

int target_print_partition(struct target_printer *p, const struct compare_partition *c, struct err *err) {
    const uint64_t n = c->found[COMPARE_MISSING] + c->found[COMPARE_EXTRA] + c->found[COMPARE_CHANGED] + c->found[COMPARE_LEFT];
    if (!n && c->expired + c->hidden && !c->changing) return 0;
    if (environment_documents(p->env) && print_partition_json(p, c, err)) return -1;
    return p->env->o.messages.json || p->partitions++ >= p->lines ? 0 : print_partition_text(p, c, err);
}

/* Says why a table or a partition was not compared. */
static int print_obstacle(struct target_printer *p, const char *kind, uint32_t family, const char *partition, const char *text,
                          struct err *err) {
    if (environment_documents(p->env)) {
        json_t *j = json_new(JSON("kind", kind), JSON("table", json_text(sql_table(p, family))), JSON("text", json_text(text)));
        if (partition) json_object_set_new(j, "partition", json_text(partition));
        if (print_json_line(p, j, err) || p->env->o.messages.json) return -!!err->code;
    }
    struct buf line = {0};
    int rc = buf_printf(&line, err, "%s%s%s: %s: %s", sql_table(p, family), partition ? " " : "", partition ? partition : "",
                        kind, text);
    return print_sentence(p, &line, rc, err);
}

int target_print_definition(struct target_printer *p, uint32_t family, const char *text, struct err *err) {
    return print_obstacle(p, "definition", family, NULL, text, err);
}

int target_print_unreached(struct target_printer *p, uint32_t family, const char *partition, const char *why, struct err *err) {
    return print_obstacle(p, "unreached", family, partition, why, err);
}

/* Partitions come as threads end with them; the document has them in the order of the table. */
int target_print_compared(struct target_printer *p, const struct compare_partition *c, struct err *err) {
    const size_t at = (size_t)c->family * p->m->table.partitioning.count + c->partition;
    char a[16], b[16];
    while (json_array_size(p->compared) <= at)
        if (json_array_append_new(p->compared, json_null())) return err_nomem(err, 0, "the result document");
    snprintf(a, sizeof a, "%08x", c->a.crc_xor);
    snprintf(b, sizeof b, "%08x", c->b.crc_xor);
    return json_array_set_new(p->compared, at,
                              json_new(JSON("table", json_text(sql_table(p, c->family))),
                                       JSON("family", json_text(p->m->table.families[c->family].name)),
                                       JSON("partition", c->name ? json_text(c->name) : json_null()), JSON("rows_a", c->a.rows),
                                       JSON("rows_b", c->b.rows), JSON("crc_a", a), JSON("crc_b", b)))
               ? err_nomem(err, 0, "the result document")
               : 0;
}

/* ---- the end ---- */

static json_t *compared_json(const struct target_printer *p) {
    json_t *list = json_array(), *item;
    size_t i;
    json_array_foreach(p->compared, i, item) if (!json_is_null(item)) json_array_append(list, item);
    return list;
}

static void note_metrics(struct target_printer *p, const struct compare_result *c) {
    struct metrics *m = &p->env->metrics;
    snprintf(m->table, sizeof m->table, "%s", p->m->table.name ? p->m->table.name : "");
    snprintf(m->target, sizeof m->target, "%s", p->env->o.target.address);
    metrics_set(m, "rows_expected", "Rows of the export or dataset.", (double)c->rows_a);
    metrics_set(m, "rows_found", "Rows of the database.", (double)c->rows_b);
    metrics_set(m, "rows_missing", "Rows that the database lacks.", (double)c->found[COMPARE_MISSING]);
    metrics_set(m, "rows_extra", "Rows that only the database has.", (double)c->found[COMPARE_EXTRA]);
    metrics_set(m, "rows_changed", "Rows with another value.", (double)c->found[COMPARE_CHANGED]);
    metrics_set(m, "rows_uncompared", "Rows of tables that are missing or defined differently.", (double)p->uncompared);
    metrics_set(m, "partitions_changing", "Partitions that were written to while they were compared.", (double)c->changing);
    metrics_set(m, "partitions_unreached", "Partitions that were not compared.", (double)c->unreached);
    metrics_set(m, "definitions_different", "Tables that are missing or defined differently.", (double)p->definitions);
}

static int print_json_end(struct target_printer *p, const struct compare_result *c, bool equal, struct err *err) {
    json_t *j =
        json_new(JSON("kind", "summary"), JSON("equal", equal), JSON("partitions", c->partitions),
                 JSON("differing", c->differing), JSON("definitions", p->definitions), JSON("rows_a", c->rows_a),
                 JSON("rows_b", c->rows_b), JSON("missing", c->found[COMPARE_MISSING]), JSON("extra", c->found[COMPARE_EXTRA]),
                 JSON("changed", c->found[COMPARE_CHANGED]), JSON("expired", c->expired), JSON("unreached", c->unreached),
                 JSON("strong", json_boolean(verify_options(&p->env->o)->strong)));
    if (j && p->delta) json_object_set_new(j, "left", json_integer((json_int_t)c->found[COMPARE_LEFT]));
    if (j) json_object_set_new(j, "hidden", json_integer((json_int_t)c->hidden));
    if (j) json_object_set_new(j, "changing", json_integer((json_int_t)c->changing));
    if (j) json_object_set_new(j, "uncompared", json_integer((json_int_t)p->uncompared));
    if (j) json_object_set_new(j, "export", json_text(p->dir));
    if (j) json_object_set_new(j, "target", json_text(p->env->o.target.address));
    if (j && p->compared) json_object_set_new(j, "compared", compared_json(p));
    if (j) json_object_set_new(j, "seconds", json_real(clock_seconds_since(p->env->started)));
    return print_json_line(p, report_json_mark(&p->env->reporter, NULL, j), err);
}

static int put_definitions(const struct target_printer *p, struct buf *line, const char *before, struct err *err) {
    char tables[32], rows[32];
    const bool one = p->definitions == 1;
    if (!p->definitions) return 0;
    return buf_printf(line, err, "%s%s table%s not as in the export, so %s %s row%s %s not compared", before,
                      report_count(p->definitions, tables), one ? "" : "s", one ? "its" : "their",
                      report_count(p->uncompared, rows), p->uncompared == 1 ? "" : "s", p->uncompared == 1 ? "was" : "were");
}

/* Nothing was compared. */
static int print_definitions_end(struct target_printer *p, struct err *err) {
    struct buf line = {0};
    return print_sentence(p, &line, put_definitions(p, &line, "different: ", err), err);
}

/* Only those rows of the target that the delta names were compared. */
static int print_delta_end(struct target_printer *p, const struct compare_result *c, bool equal, struct err *err) {
    char a[32], b[32], d[32];
    uint64_t by[DELETE_TYPES], markers = export_deletes_markers(&p->m->deletes, by);
    struct buf line = {0};
    int rc = buf_printf(&line, err, "%s: %s rows of the delta in %s, %s of them in %s",
                        equal                            ? "loaded"
                        : c->differing || p->definitions ? "different"
                                                         : "unknown",
                        report_count(c->rows_a, a), p->dir, report_count(c->rows_b, b), p->env->o.target.address);
    if (!rc && markers && !c->found[COMPARE_LEFT] && !c->unreached)
        rc = buf_printf(&line, err, ", and no rows remain that %s markers hide", report_count(markers, a));
    if (!rc && c->differing)
        rc = buf_printf(&line, err, ": %s missing, %s changed, %s left", report_count(c->found[COMPARE_MISSING], a),
                        report_count(c->found[COMPARE_CHANGED], b), report_count(c->found[COMPARE_LEFT], d));
    if (!rc && c->unreached)
        rc = buf_printf(&line, err, "; %s partitions not compared: unreachable, try again", report_count(c->unreached, a));
    if (!rc) rc = put_definitions(p, &line, "; ", err);
    if (!rc && c->expired + c->hidden)
        rc = buf_printf(&line, err, "; %s expired and %s beyond MaxVersions are not there, which is no difference",
                        report_count(c->expired, a), report_count(c->hidden, b));
    return print_sentence(p, &line, rc, err);
}

/* The table, after the partitions that it is about. */
static int print_rest(struct target_printer *p, const struct compare_result *c, struct err *err) {
    char n[32];
    struct buf line = {0};
    if (p->env->o.messages.json) return 0;
    uint64_t found = 0;
    for (unsigned k = 0; k < COMPARE_KINDS; k++) found += c->found[k];
    const uint64_t shown = p->rows < p->lines ? p->rows : p->lines, rows = found > shown ? found - shown : 0;
    const uint64_t partitions = p->partitions > p->lines ? p->partitions - p->lines : 0;
    int rc = partitions ? buf_printf(&line, err, "and %s more partitions: --limit", report_count(partitions, n)) : 0;
    if (partitions) rc = print_sentence(p, &line, rc, err);
    return rc ? rc : difference_table_print(&p->table, rows, &p->gone, err);
}

int target_print_end(struct target_printer *p, const struct compare_result *c, bool equal, struct err *err) {
    char a[32], b[32], d[32], e[32];
    note_metrics(p, c);
    if (print_rest(p, c, err)) return -1;
    if (environment_documents(p->env) && print_json_end(p, c, equal, err)) return -1;
    if (p->env->o.messages.quiet || p->gone || p->env->o.messages.json) return 0;
    if (p->definitions && !c->partitions && !c->unreached) return print_definitions_end(p, err);
    if (p->delta) return print_delta_end(p, c, equal, err);
    struct buf line = {0};
    int rc = buf_printf(&line, err, "%s: %s rows in %s, %s in %s, %s partition%s compared, %s of them different",
                        equal                            ? "equal"
                        : c->differing || p->definitions ? "different"
                                                         : "unknown",
                        report_count(c->rows_a, a), p->dir, report_count(c->rows_b, b), p->env->o.target.address,
                        report_count(c->partitions, d), c->partitions == 1 ? "" : "s", report_count(c->differing, e));
    if (!rc && c->differing && !p->by_partition)
        rc = buf_printf(&line, err, ": by their sums; single rows are not compared here");
    if (!rc && c->differing && p->by_partition)
        rc = buf_printf(&line, err, ": %s missing, %s extra, %s changed", report_count(c->found[COMPARE_MISSING], a),
                        report_count(c->found[COMPARE_EXTRA], b), report_count(c->found[COMPARE_CHANGED], d));
    if (!rc && c->changing)
        rc = buf_printf(&line, err, "; %s changed while they were compared: compare again when nothing writes to the table",
                        report_count(c->changing, a));
    if (!rc && c->unreached)
        rc = buf_printf(&line, err, "; %s not compared: unreachable, try again", report_count(c->unreached, a));
    if (!rc) rc = put_definitions(p, &line, "; ", err);
    if (!rc && c->expired)
        rc = buf_printf(&line, err, "; %s expired by TTL on one side only, which is no difference", report_count(c->expired, a));
    if (!rc && c->hidden)
        rc = buf_printf(&line, err, "; %s beyond MaxVersions in the table only, which is no difference",
                        report_count(c->hidden, a));
    return print_sentence(p, &line, rc, err);
}
