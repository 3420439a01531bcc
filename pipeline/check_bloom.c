#include "pipeline/check_bloom.h"

#include "hfile/bloom_kind.h"

int check_bloom_open(struct check_bloom *b, const struct hfile *h, struct problems *problems, struct err *err) {
    *b = (struct check_bloom){.h = h, .problems = problems};
    b->general = hfile_bloom_open(h, err);
    if (!err->code) b->family_deletes = hfile_bloom_open_deletes(h, err);
    return err->code ? -1 : 0;
}

static const char *what_of(enum hfile_bloom kind) {
    switch (kind) {
    case HFILE_BLOOM_ROWCOL: return "a column";
    case HFILE_BLOOM_PREFIX: return "a row's prefix";
    default: return "a row";
    }
}

static void tell(struct check_bloom *b, const char *what, const char *kind, bool *told) {
    if (!*told)
        problems_add(b->problems, PROBLEM_METADATA, "%s: %s is missing from the %s bloom filter", hfile_info(b->h)->path, what,
                     kind);
    *told = true;
}

/* The first cell of each column; for filters of rows that of each row. 1 all there, 0 not, -1 error. */
static int ask_general(struct check_bloom *b, const struct row_part *part, struct err *err) {
    if (hfile_info(b->h)->bloom != HFILE_BLOOM_ROWCOL) return part->first ? hfile_bloom_may_have(b->general, part->row, err) : 1;
    int in = 1;
    for (uint32_t i = 0; i < part->n_cells && in == 1; i++)
        if (i == 0 || !bytes_eq(part->cells[i].qualifier, part->cells[i - 1].qualifier))
            in = hfile_bloom_may_have_column(b->general, part->row, part->cells[i].qualifier, err);
    return in;
}

static int ask_family_deletes(struct check_bloom *b, const struct row_part *part, struct err *err) {
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (cell_is_family_delete(part->cells[i].type)) return hfile_bloom_may_have(b->family_deletes, part->row, err);
    return 1;
}

int check_bloom_part(struct check_bloom *b, const struct row_part *part, struct err *err) {
    int in = b->general ? ask_general(b, part, err) : 1;
    if (in < 0) return -1;
    if (!in) tell(b, what_of(hfile_info(b->h)->bloom), bloom_kind_name(hfile_info(b->h)->bloom), &b->general_told);
    in = b->family_deletes ? ask_family_deletes(b, part, err) : 1;
    if (in < 0) return -1;
    if (!in) tell(b, "a row with a delete marker of its family", "delete-family", &b->family_deletes_told);
    return 0;
}

void check_bloom_close(struct check_bloom *b) {
    hfile_bloom_close(b->general);
    hfile_bloom_close(b->family_deletes);
}
