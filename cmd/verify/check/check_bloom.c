/* Bloom filters against every row or column of their file: HBase does not find what a filter does not know. Rows with delete
 * markers of their family have a filter of their own. */
#include "base/bytes.h"
#include "cell/keyvalue.h"
#include "cmd/verify/check/check_bloom.h"
#include "hfile/bloom.h"
#include "hfile/bloom_reader.h"
#include "hfile/hfile_keys.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_open.h"

int check_bloom_open(struct check_bloom *b, const struct hfile *h, struct err *err) {
    *b = (struct check_bloom){.h = h};
    b->general = hfile_bloom_open(h, err);
    if (!err->code) b->family_deletes = hfile_bloom_open_deletes(h, err);
    return err->code ? -1 : 0;
}

static int note_missing(struct check_missing *m, struct bytes row, struct err *err) {
    return m->n++ ? 0 : buf_copy(&m->row, row, err);
}

/* The first cell of each column; for filters of rows that of each row. */
static int ask_general(struct check_bloom *b, const struct row_part *part, struct check_missing *m, struct err *err) {
    bool columns = hfile_info(b->h)->bloom == HFILE_BLOOM_ROWCOL;
    int in = 1;
    if (!columns) in = part->first ? hfile_bloom_may_have(b->general, part->row, err) : 1;
    if (in == 0 && note_missing(m, part->row, err)) return -1;
    for (uint32_t i = 0; columns && i < part->n_cells && in >= 0; i++) {
        if (i && bytes_eq(part->cells[i].qualifier, part->cells[i - 1].qualifier)) continue;
        in = hfile_bloom_may_have_column(b->general, part->row, part->cells[i].qualifier, err);
        if (in == 0 && note_missing(m, part->row, err)) return -1;
    }
    return in < 0 ? -1 : 0;
}

static int ask_family_deletes(struct check_bloom *b, const struct row_part *part, struct check_missing *m, struct err *err) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        if (!cell_is_family_delete(part->cells[i].type)) continue;
        int in = hfile_bloom_may_have(b->family_deletes, part->row, err);
        return in < 0 || (in == 0 && note_missing(m, part->row, err)) ? -1 : 0;
    }
    return 0;
}

int check_bloom_part(struct check_bloom *b, const struct row_part *part, struct check_sums *sums, struct err *err) {
    struct err mine; /* not zeroed as a whole: this is called for every row */
    mine.code = ERR_NONE;
    mine.sys = 0;
    int rc = b->general ? ask_general(b, part, &sums->no_key, &mine) : 0;
    if (!rc && b->family_deletes) rc = ask_family_deletes(b, part, &sums->no_marked, &mine);
    if (!rc) return 0;
    if (mine.code != ERR_INPUT || mine.sys) {
        err_keep(err, &mine);
        return -1;
    }
    err_keep(&b->why, &mine);
    check_bloom_close(b);
    return 0;
}

static const char *what_of(enum hfile_bloom kind) {
    switch (kind) {
    case HFILE_BLOOM_ROWCOL: return "columns";
    case HFILE_BLOOM_PREFIX: return "rows' prefixes";
    default: return "rows";
    }
}

static void add_missing_rows(const struct check_bloom *b, const struct check_missing *m, const char *what, const char *kind,
                             struct check_findings *findings) {
    char row[KEY_TEXT_BYTES];
    if (m->n)
        check_findings_add(findings, FINDING_HIDDEN, hfile_info(b->h)->path,
                           "%llu %s are missing from the %s bloom filter, the first in row hex:%s", (unsigned long long)m->n,
                           what, kind, key_text_hex(buf_bytes(&m->row), row));
}

static void check_key_count(const struct check_bloom *b, const struct hfile_bloom_reader *r, uint64_t keys, const char *kind,
                            struct check_findings *findings) {
    struct hfile_bloom_facts f = hfile_bloom_facts(r);
    if (f.keys != keys)
        check_findings_add(findings, FINDING_METADATA, hfile_info(b->h)->path,
                           "the %s bloom filter says that it has %llu keys, it should have %llu", kind,
                           (unsigned long long)f.keys, (unsigned long long)keys);
}

void check_bloom_report(const struct check_bloom *b, const struct check_sums *sums, struct check_findings *findings) {
    const struct hfile_info *info = hfile_info(b->h);
    const char *kind = bloom_kind_name(info->bloom);
    add_missing_rows(b, &sums->no_key, what_of(info->bloom), kind, findings);
    add_missing_rows(b, &sums->no_marked, "rows with a delete marker of their family", "delete-family", findings);
    if (b->general) check_key_count(b, b->general, sums->keys, kind, findings);
    if (b->family_deletes) check_key_count(b, b->family_deletes, sums->marked_rows, "delete-family", findings);
}

void check_bloom_close(struct check_bloom *b) {
    hfile_bloom_close(b->general);
    hfile_bloom_close(b->family_deletes);
    b->general = b->family_deletes = NULL;
}
