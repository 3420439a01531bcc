/* The parts of a list in one field, for "each": of text, what stands between separators; of a JSON array, its elements. A field
 * that holds a JSON array is never cut at its commas, whatever format it came in. Members of an element (item.sku) are found by
 * a scan of that element. */
#include "formats/mapping/expr_run.h"
#include "formats/mapping/record_list.h"

#include "formats/text/jline.h"
#include "formats/text/text_input.h"

#include <stdlib.h>
#include <string.h>

/* ---- the plan: which fields are parts ---- */

/* "item.sku" is $.sku from the element. */
static int add_item(struct record_list_plan *plan, struct bytes name, uint32_t *slot, struct err *err) {
    struct buf path = {0};
    struct bytes steps = bytes_of(name.p + 4, name.n - 4);
    int rc = buf_put_byte(&path, '$', err) || buf_put(&path, steps.p, steps.n, err)
                 ? -1
                 : jline_paths_add(&plan->paths, buf_bytes(&path), slot, err);
    buf_free(&path);
    return rc;
}

int record_list_plan(struct record_list_plan *plan, const struct mapping_source *source, const uint32_t *columns,
                     struct err *err) {
    if (!(plan->slots = calloc(source->n_fields + 1, sizeof *plan->slots))) return err_nomem(err, source->n_fields, "a mapping");
    plan->n_fields = source->n_fields;
    for (uint32_t i = 0; i < source->n_fields; i++) {
        const struct mapping_field *f = &source->fields[i];
        bool is_column = f->name.n > 4 && columns[i] != UINT32_MAX; /* a header has a column of that name */
        plan->slots[i] = JLINE_NONE;
        if (f->is_item && !is_column && add_item(plan, f->name, &plan->slots[i], err)) return -1;
    }
    return 0;
}

void record_list_plan_free(struct record_list_plan *plan) {
    jline_paths_free(&plan->paths);
    free(plan->slots);
}

/* ---- one list ---- */

static void skip_blanks(struct record_list *l) {
    while (l->rest.n && jline_is_blank(*l->rest.p)) l->rest = bytes_of(l->rest.p + 1, l->rest.n - 1);
}

/* Returns whether text is a list as another language writes it, which would be cut with brackets and quotes in its parts: the
 * first bracket is closed at the end. Braces around a single part may belong to it. */
static bool is_other_list(struct bytes text, uint8_t separator) {
    const uint8_t close = text.p[0] == '[' ? ']' : '}';
    const uint8_t *closed = memchr(text.p, close, text.n);
    if (!closed || closed != text.p + text.n - 1) return false;
    return close == ']' || memchr(text.p, separator, text.n);
}

int record_list_begin(struct record_list *l, struct jline_scan *scan, struct bytes text, uint8_t separator, struct reason *why,
                      struct err *err) {
    struct reason no_json;
    struct bytes trimmed = jline_trim(text);
    *l = (struct record_list){.scan = scan, .rest = text, .separator = separator};
    if (!trimmed.n || (trimmed.p[0] != '[' && trimmed.p[0] != '{')) return 1;
    int rc = jline_scan_line(scan, trimmed, &no_json, err);
    if (!rc && is_other_list(trimmed, separator))
        return text_why(why, 0,
                        "a list in %c%c that is not JSON; without its brackets it is a list of text: \"each\": \"x[1:-1]\"",
                        trimmed.p[0], trimmed.p[trimmed.n - 1]);
    if (rc != 1) return rc < 0 ? -1 : 1; /* text that begins with a bracket */
    if (trimmed.p[0] == '{') return text_why(why, 0, "a JSON object is no list");
    l->is_array = true;
    l->rest = bytes_of(trimmed.p + 1, trimmed.n - 2);
    return 1;
}

/* The next element; its extent is known to be there. */
static struct bytes take_element(struct record_list *l) {
    skip_blanks(l);
    struct bytes element = bytes_of(l->rest.p, l->rest.n ? jline_extent(l->rest.p, l->rest.p + l->rest.n, true) : 0);
    l->rest = bytes_of(l->rest.p + element.n, l->rest.n - element.n);
    skip_blanks(l);
    if (l->rest.n) l->rest = bytes_of(l->rest.p + 1, l->rest.n - 1); /* the comma */
    return element;
}

/* Text without its escapes outlives the scan of the next element. */
static int keep_text(struct jline_scan *scan, struct jline_value *v, struct expr_scratch *memory, struct bytes *out,
                     struct err *err) {
    bool escaped = v->escaped;
    *out = jline_text(scan, v);
    if (!escaped) return 0;
    uint8_t *copy = expr_keep(memory, out->n + 1, err);
    if (!copy) return -1;
    memcpy(copy, out->p, out->n);
    out->p = copy;
    return 0;
}

/* A null element makes no part. */
static int fill_from_array(struct record_list *l, const struct record_list_plan *plan, struct expr_value *fields, uint8_t *met,
                           struct expr_scratch *memory, bool *there, struct reason *why, struct err *err) {
    const struct bytes element = take_element(l), null = bytes_str("null");
    struct bytes text;
    *there = element.n && !bytes_eq(element, null);
    if (!*there) return 1;
    int rc = jline_scan_line(l->scan, element, why, err);
    for (uint32_t i = 0; rc == 1 && i < plan->n_fields; i++) {
        if (plan->slots[i] == JLINE_NONE) continue;
        struct jline_value *v = &l->scan->values[plan->slots[i]];
        fields[i] = (struct expr_value){0};
        if (v->kind != JLINE_ABSENT) mapping_meet(met, i);
        if (v->kind == JLINE_ABSENT || v->kind == JLINE_NULL) continue;
        if (keep_text(l->scan, v, memory, &text, err)) return -1;
        fields[i] = expr_text(text);
    }
    return rc;
}

/* Blanks around a part, and parts that are blank, do not count. */
static void fill_from_text(struct record_list *l, const struct record_list_plan *plan, uint32_t item, struct expr_value *fields,
                           uint8_t *met, bool *there) {
    const uint8_t *end = memchr(l->rest.p, l->separator, l->rest.n);
    const size_t used = end ? (size_t)(end - l->rest.p) + 1 : l->rest.n;
    const struct bytes part = bytes_trim(bytes_of(l->rest.p, end ? used - 1 : used));
    l->rest = bytes_of(l->rest.p + used, l->rest.n - used);
    *there = part.n > 0;
    for (uint32_t i = 0; i < plan->n_fields; i++)
        if (plan->slots[i] != JLINE_NONE) fields[i] = (struct expr_value){0};
    if (!*there) return;
    mapping_meet(met, item);
    fields[item] = expr_text(part);
}

int record_list_next(struct record_list *l, const struct record_list_plan *plan, uint32_t item, struct expr_value *fields,
                     uint8_t *met, struct expr_scratch *memory, bool *there, struct reason *why, struct err *err) {
    int rc = 1;
    for (*there = false; rc == 1 && !*there && l->rest.n;) {
        if (l->is_array)
            rc = fill_from_array(l, plan, fields, met, memory, there, why, err);
        else
            fill_from_text(l, plan, item, fields, met, there);
    }
    if (rc != 1 || !*there || ++l->n <= RECORD_ITEMS_MAX) return rc;
    return text_why(why, 0, "more than %d items", RECORD_ITEMS_MAX);
}
