/* Finds out whether an input that may have sequence ids has any: it is read up to the first one, before the run reads it. Only
 * cells as text, and what is inside archives and streams, say so this late; HFiles on disk have it in their trailers. */
#include "engine/input_order.h"
#include "base/fs.h"

#include <string.h>
#include <sys/stat.h>

struct seq_search {
    struct emit base;
    bool found;
};

static void look_at(struct emit *e, const struct row_part *part) {
    struct seq_search *s = (struct seq_search *)e;
    for (uint32_t i = 0; i < part->n_cells && !s->found; i++) s->found = part->cells[i].seq;
}

static int take_record(struct emit *e, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err) {
    (void)why;
    (void)err;
    for (uint32_t i = 0; i < n; i++) look_at(e, &parts[i]);
    return 1;
}

static int take_cells(struct emit *e, const struct row_part *part, const struct tally *tally, struct err *err) {
    (void)tally;
    (void)err;
    look_at(e, part);
    return 0;
}

/* The run itself reports what is bad. */
static int pass_bad(struct emit *e, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why, struct err *err) {
    (void)e;
    (void)raw;
    (void)line;
    (void)offset;
    (void)why;
    (void)err;
    return 0;
}

static void pass_skipped(struct emit *e, uint64_t records) {
    (void)e;
    (void)records;
}

static int pass_lost(struct emit *e, const struct lost *lost, struct err *err) {
    (void)e;
    (void)lost;
    (void)err;
    return 0;
}

static void pass_lost_cells(struct emit *e, uint64_t cells) {
    (void)e;
    (void)cells;
}

static const struct emit_ops search_ops = {.record = take_record,
                                           .cells = take_cells,
                                           .reject = pass_bad,
                                           .skip = pass_skipped,
                                           .lost = pass_lost,
                                           .lost_cells = pass_lost_cells};

static int search(struct reader *r, struct seq_search *s, struct err *err) {
    struct chunk chunk = {0};
    int more = 0;
    while (!s->found && (more = r->ops->next(r, &chunk, err)) == 1) {
        chunk.seq++;
        if ((more = r->ops->parse(r, &chunk, 0, &s->base, err))) break;
        chunk.rank_base = 0;
        chunk.origin = NULL;
    }
    buf_free(&chunk.data);
    return more < 0 ? -1 : 0;
}

int input_has_seqs(const struct input *in, const struct read_opts *read, bool *has, struct err *err) {
    struct seq_search s = {.base = {&search_ops}};
    struct shape_set shapes = {0};
    struct read_opts quiet = *read;
    const struct format *format = in->format;
    struct stat st;
    if (!strcmp(in->path, "-")) return 0;
    const int there = fs_look(in->path, &st, err);
    if (there != 1 || !S_ISREG(st.st_mode)) return there < 0 ? -1 : 0;
    quiet.shapes = &shapes;
    quiet.warnings = NULL;
    quiet.text.part = (struct text_part){0};
    quiet.archive.part = (struct member_part){0};
    quiet.blocks = (struct block_choice){0};
    struct reader *r = quiet.formats->open(in->path, in->format_name, &quiet, &format, err);
    int rc = r ? search(r, &s, err) : -1;
    if (r) r->ops->close(r);
    shape_set_free(&shapes);
    *has = s.found;
    return rc ? -1 : 1;
}
