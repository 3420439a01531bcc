/* Cells, keys and digests as callers see them. A caller's cell becomes a row part of one cell, which is what the library works
 * with; nothing is copied. Relies on the caller's bytes staying until the call returns. */
#include "api/api.h"

#include "cell/keyvalue.h"

#include <string.h>

_Static_assert(sizeof(sst_digest) == sizeof(struct digest), "sst_digest is struct digest");
_Static_assert(offsetof(sst_digest, high) == offsetof(struct digest, hi), "sst_digest is struct digest");
_Static_assert((int)SST_DIGEST_TEXT == DIGEST_HEX, "the text of a digest has one length");

const char *sst_type_name(int type) {
    bool named = type == CELL_MINIMUM || type == CELL_MAXIMUM || (type > 0 && cell_type_known((unsigned)type));
    return named ? cell_type_name((uint8_t)type) : "Unknown";
}

int sst_key_parse(const void *key, size_t size, sst_cell *cell, sst_error *error) {
    struct err *err = api_begin(error);
    struct kv_key k;
    if (!kv_key_parse(bytes_of(key, size), &k)) return err_set(err, ERR_USAGE, "%zu bytes that are not a serialised key", size);
    *cell = (sst_cell){.size = sizeof *cell,
                       .row = api_bytes(k.row),
                       .family = api_bytes(k.family),
                       .qualifier = api_bytes(k.qualifier),
                       .timestamp = k.ts_ms,
                       .type = k.type};
    return 0;
}

int api_part_of(const sst_cell *cell, struct cell *one, struct row_part *part, struct err *err) {
    if (cell->size < sizeof *cell) return err_set(err, ERR_USAGE, "sst_cell: its field `size` is not the size of the struct");
    if (cell->row.size < 1 || cell->row.size > ROW_MAX_BYTES)
        return err_set(err, ERR_USAGE, "a row of %zu bytes: 1 to %d are possible", cell->row.size, (int)ROW_MAX_BYTES);
    if (cell->family.size > FAMILY_MAX_BYTES)
        return err_set(err, ERR_USAGE, "a family of %zu bytes: at most %d are possible", cell->family.size,
                       (int)FAMILY_MAX_BYTES);
    if (!cell_type_known(cell->type)) return err_set(err, ERR_USAGE, "cell type %u is not one of enum sst_type", cell->type);
    if (cell->tags.size > TAGS_MAX_BYTES || !tags_valid(api_taken(cell->tags)))
        return err_set(err, ERR_USAGE, "%zu bytes of tags that are not tags", cell->tags.size);
    *one = (struct cell){.qualifier = api_taken(cell->qualifier),
                         .value = api_taken(cell->value),
                         .tags = api_taken(cell->tags),
                         .ts_ms = cell->timestamp,
                         .seq = cell->sequence,
                         .type = cell->type};
    *part = (struct row_part){.row = api_taken(cell->row),
                              .family = api_taken(cell->family),
                              .cells = one,
                              .n_cells = 1,
                              .first = cell->row_starts != 0};
    return 0;
}

int sst_cell_digest(const sst_cell *cell, sst_digest *digest, sst_error *error) {
    struct err *err = api_begin(error);
    struct buf scratch = {0};
    struct cell one;
    struct row_part part;
    int rc = api_part_of(cell, &one, &part, err);
    if (!rc) rc = digest_cell(&scratch, &part, &one, (struct digest *)digest, err);
    buf_free(&scratch);
    return rc;
}

void sst_digest_add(sst_digest *sum, const sst_digest *digest) {
    digest_add((struct digest *)sum, *(const struct digest *)digest);
}

void sst_digest_text(const sst_digest *digest, char text[SST_DIGEST_TEXT]) {
    digest_print(*(const struct digest *)digest, text);
}
