/* The table of differences. Lines are kept until there are a hundred, or no more, so that their columns can be measured; a later
 * hundred keeps the widths of the one before, or grows. Long keys are cut: --json has them whole. */
#include "cmd/verify/difference/difference_table.h"

#include "base/plain.h"
#include "cmd/common/output_text.h"
#include "cmd/common/report_figures.h"
#include "cmd/common/text_width.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LINES_AT_ONCE = 100, COLUMNS = 8, PARTITION_COLUMN = 1, KEY_COLUMNS = 36 };

static int end_cell(struct difference_table *t, size_t begin, size_t column, struct err *err) {
    const size_t wide = text_width((const char *)t->cells.p + begin, t->cells.n - begin);
    if (wide > t->width[column]) t->width[column] = wide;
    return buf_put_byte(&t->cells, 0, err);
}

static int put_words(struct difference_table *t, size_t column, const char *text, struct err *err) {
    const size_t begin = t->cells.n;
    return plain_put(&t->cells, bytes_str(text), err) || end_cell(t, begin, column, err) ? -1 : 0;
}

/* A part of a key. */
static int put_key(struct difference_table *t, size_t column, struct bytes key, struct err *err) {
    const size_t begin = t->cells.n;
    if (value_plain_put(key, KEY_COLUMNS, &t->cells, err) < 0) return -1;
    return end_cell(t, begin, column, err);
}

/* A marker has no value: its type is shown. */
static int put_value(struct difference_table *t, size_t column, const struct value_head *v, const char *marker, struct err *err) {
    const size_t begin = t->cells.n;
    if (!v       ? buf_put_byte(&t->cells, '-', err)
        : marker ? buf_printf(&t->cells, err, "[%s]", marker)
                 : value_head_put(v, t->values, &t->cells, err))
        return -1;
    return end_cell(t, begin, column, err);
}

static int put_column(struct difference_table *t, const struct difference *d, struct err *err) {
    struct buf name = {0};
    int rc = buf_put(&name, d->family.p, d->family.n, err) || buf_put_byte(&name, ':', err) ||
                     buf_put(&name, d->qualifier.p, d->qualifier.n, err) || put_key(t, 3, buf_bytes(&name), err)
                 ? -1
                 : 0;
    buf_free(&name);
    return rc;
}

static int put_heading(struct difference_table *t, struct err *err) {
    const char *const words[COLUMNS] = {"", "partition", "row", "column", "timestamp", t->title[0], "", t->title[1]};
    for (size_t i = 0; i < COLUMNS; i++)
        if (put_words(t, i, words[i], err)) return -1;
    t->width[PARTITION_COLUMN] = 0; /* there is none unless a line names one */
    t->begun = true;
    t->lines++;
    return 0;
}

/* In place of both values; no column grows by it. */
static int put_note(struct difference_table *t, const char *note, struct err *err) {
    return plain_put(&t->cells, bytes_str(note), err) || buf_put(&t->cells, "\0\0\0", 3, err) ? -1 : 0;
}

/* Two values of which no difference is seen. */
static int put_alike(struct difference_table *t, const struct value_head *v, struct err *err) {
    const char *more = v->n < v->bytes ? "both begin alike: " : "other tags, same value: ";
    if (buf_printf(&t->cells, err, "%s", more) || value_head_put(v, t->values, &t->cells, err)) return -1;
    return buf_put(&t->cells, "\0\0\0", 3, err);
}

static int put_values(struct difference_table *t, const struct difference *d, struct err *err) {
    if (t->values != VALUE_MASKED && d->a && d->b && value_head_eq(d->a, d->b)) return put_alike(t, d->a, err);
    return put_value(t, 5, d->a, d->marker, err) || put_words(t, 6, "→", err) || put_value(t, 7, d->b, d->marker, err) ? -1 : 0;
}

static int put_difference(struct difference_table *t, const struct difference *d, struct err *err) {
    char ts[24];
    snprintf(ts, sizeof ts, "%" PRId64, d->ts_ms);
    if (!t->begun && put_heading(t, err)) return -1;
    if (put_words(t, 0, d->kind, err) || put_words(t, PARTITION_COLUMN, d->partition ? d->partition : "", err) ||
        put_key(t, 2, d->row, err) || put_column(t, d, err) || put_words(t, 4, ts, err))
        return -1;
    t->lines++;
    return d->note ? put_note(t, d->note, err) : put_values(t, d, err);
}

static int put_line(const struct difference_table *t, const char **cell, struct buf *line, struct err *err) {
    const size_t begin = line->n;
    for (size_t i = 0; i < COLUMNS; i++, *cell += strlen(*cell) + 1) {
        if (i == PARTITION_COLUMN && !t->width[i]) continue;
        const size_t wide = text_width(*cell, strlen(*cell));
        const size_t gap = t->width[i] > wide ? t->width[i] - wide : 0;
        if (buf_printf(line, err, "%s%*s  ", *cell, (int)gap, "")) return -1;
    }
    while (line->n > begin && line->p[line->n - 1] == ' ') line->n--;
    return buf_put_byte(line, '\n', err);
}

int difference_table_print(struct difference_table *t, uint64_t more, bool *gone, struct err *err) {
    char n[32];
    const char *cell = (const char *)t->cells.p;
    struct buf text = {0};
    int rc = 0;
    if (t->width[PARTITION_COLUMN] && t->width[PARTITION_COLUMN] < strlen("partition"))
        t->width[PARTITION_COLUMN] = strlen("partition");
    for (size_t i = 0; !rc && i < t->lines; i++) rc = put_line(t, &cell, &text, err);
    if (!rc && t->begun && more) rc = buf_printf(&text, err, "and %s more: --limit\n", report_count(more, n));
    if (!rc && text.n && !*gone) rc = stdout_write_text(buf_bytes(&text), gone, err);
    buf_free(&text);
    buf_clear(&t->cells);
    t->lines = 0;
    return rc;
}

int difference_table_add(struct difference_table *t, const struct difference *d, bool *gone, struct err *err) {
    if (put_difference(t, d, err)) return -1;
    return t->lines >= LINES_AT_ONCE ? difference_table_print(t, 0, gone, err) : 0;
}

void difference_table_free(struct difference_table *t) {
    buf_free(&t->cells);
}
