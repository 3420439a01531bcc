#include "cmd/verify/info/cell_stats.h"

#include "cell/keyvalue.h"

struct row_sum {
    struct buf row;
    uint64_t bytes, cells;
};

static int note_biggest(struct cell_stats *s, uint64_t bytes, struct bytes row, struct err *err) {
    bool bigger = bytes > s->biggest_row_bytes ||
                  (bytes == s->biggest_row_bytes && bytes && bytes_cmp(row, buf_bytes(&s->biggest_row)) < 0);
    if (!bigger) return 0;
    s->biggest_row_bytes = bytes;
    return buf_copy(&s->biggest_row, row, err);
}

static int end_row(struct cell_stats *s, struct row_sum *r, struct err *err) {
    if (!r->cells) return 0;
    histogram_add(&s->row_bytes, r->bytes);
    histogram_add(&s->row_cells, r->cells);
    int rc = note_biggest(s, r->bytes, buf_bytes(&r->row), err);
    r->bytes = r->cells = 0;
    return rc;
}

static void note_type(struct cell_stats *s, uint8_t type) {
    switch (type) {
    case CELL_PUT: s->puts++; break;
    case CELL_DELETE: s->deletes++; break;
    case CELL_DELETE_FAMILY_VERSION: s->family_version_deletes++; break;
    case CELL_DELETE_COLUMN: s->column_deletes++; break;
    case CELL_DELETE_FAMILY: s->family_deletes++; break;
    default: s->others++;
    }
}

static void note_cells(struct cell_stats *s, const struct row_part *part, struct row_sum *r) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        histogram_add(&s->key_length, kv_key_size(part->row.n, part->family.n, c->qualifier.n));
        histogram_add(&s->value_length, c->value.n);
        note_type(s, c->type);
        s->tagged += c->tags.n > 0;
        s->tag_bytes += c->tags.n;
        r->bytes += kv_size(part, c, c->tags.n > 0);
    }
    r->cells += part->n_cells;
}

int cell_stats_add(struct cell_stats *s, const struct hfile *h, const struct stop *stop, struct err *err) {
    enum { PARTS_PER_LOOK = 4096 };
    struct source *scan = hfile_scan_open(h, &(struct hfile_scan_opts){0}, err);
    struct row_sum row = {0};
    struct row_part part;
    int more = -1;
    for (uint64_t n = 0; scan && (more = source_next(scan, &part, err)) == 1; n++) {
        if (n % PARTS_PER_LOOK == 0 && (more = stop_check(stop, err))) break;
        if (part.first && ((more = end_row(s, &row, err)) || (more = buf_copy(&row.row, part.row, err)))) break;
        note_cells(s, &part, &row);
    }
    if (more == 0) more = end_row(s, &row, err);
    source_close(scan);
    buf_free(&row.row);
    return more;
}

int cell_stats_merge(struct cell_stats *to, const struct cell_stats *from, struct err *err) {
    histogram_merge(&to->key_length, &from->key_length);
    histogram_merge(&to->value_length, &from->value_length);
    histogram_merge(&to->row_bytes, &from->row_bytes);
    histogram_merge(&to->row_cells, &from->row_cells);
    to->puts += from->puts;
    to->deletes += from->deletes;
    to->family_version_deletes += from->family_version_deletes;
    to->column_deletes += from->column_deletes;
    to->family_deletes += from->family_deletes;
    to->others += from->others;
    to->tagged += from->tagged;
    to->tag_bytes += from->tag_bytes;
    return note_biggest(to, from->biggest_row_bytes, buf_bytes(&from->biggest_row), err);
}

void cell_stats_free(struct cell_stats *s) {
    buf_free(&s->biggest_row);
}
