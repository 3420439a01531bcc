#include "formats/cells/cells_parse.h"

#include "formats/text/text.h"

/* 0 to 15; otherwise so much that it shows in either place of a byte. */
static inline unsigned nibble(uint8_t c) {
    unsigned d = c - '0', l = (c | 0x20) - 'a';
    return d < 10 ? d : l < 6 ? l + 10 : 4096;
}

/* Takes the next field off the line. */
static bool take_field(struct bytes *line, struct bytes *field) {
    if (!line->p) return false;
    const uint8_t *tab = line->n ? memchr(line->p, '\t', line->n) : NULL;
    *field = bytes_of(line->p, tab ? (size_t)(tab - line->p) : line->n);
    *line = tab ? bytes_of(tab + 1, line->n - field->n - 1) : bytes_of(NULL, 0);
    return true;
}

static const char *field_name(uint32_t i) {
    static const char *const names[CELLS_TEXT_FIELDS] = {"row",  "family",      "qualifier", "timestamp",
                                                         "type", "sequence id", "value",     "tags"};
    return names[i];
}

static bool take_hex(struct bytes field, uint32_t i, uint8_t **scratch, struct bytes *out, struct reason *why) {
    uint8_t *p = *scratch;
    *out = bytes_of(p, 0);
    if (field.n == 1 && field.p[0] == '-') return true;
    if (!field.n) return text_why(why, i + 1, "%s is empty: \"-\" stands for no bytes", field_name(i));
    if (field.n >= 7 && !memcmp(field.p, "sha256:", 7))
        return text_why(why, i + 1, "%s is only a checksum (sha256:…): the bytes themselves are needed", field_name(i));
    if (field.n % 2) return text_why(why, i + 1, "%s has an odd number of hex digits", field_name(i));
    for (size_t k = 0; k < field.n; k += 2) {
        unsigned v = nibble(field.p[k]) << 4 | nibble(field.p[k + 1]);
        if (v > 255) return text_why(why, i + 1, "%s is not hex at digit %zu", field_name(i), k + 1);
        *p++ = (uint8_t)v;
    }
    out->n = (size_t)(p - *scratch);
    *scratch = p;
    return true;
}

static bool take_numbers(const struct bytes *fields, struct cell *cell, struct reason *why) {
    uint64_t type;
    if (!text_i64(fields[3], &cell->ts_ms)) return text_why(why, 4, "timestamp is not a whole number of 64 bits");
    if (cell->ts_ms < 0) return text_why(why, 4, "timestamp %lld is negative", (long long)cell->ts_ms);
    if (!text_u64(fields[4], &type)) return text_why(why, 5, "type is not a decimal number");
    if (type > 255 || !cell_type_known((unsigned)type))
        return text_why(why, 5, "type %llu is none that HBase writes (4, 8, 10, 12, 14)", (unsigned long long)type);
    if (!text_u64(fields[5], &cell->seq)) return text_why(why, 6, "sequence id is not a decimal number of 64 bits");
    cell->type = (uint8_t)type;
    return true;
}

static bool check_lengths(const struct row_part *part, const struct cell *cell, struct reason *why) {
    if (!part->row.n) return text_why(why, 1, "empty row key");
    if (part->row.n > ROW_MAX_BYTES)
        return text_why(why, 1, "row key of %zu bytes, at most %d are possible", part->row.n, ROW_MAX_BYTES);
    if (!part->family.n) return text_why(why, 2, "empty family");
    if (part->family.n > FAMILY_MAX_BYTES)
        return text_why(why, 2, "family of %zu bytes, at most %d are possible", part->family.n, FAMILY_MAX_BYTES);
    if (cell->tags.n > TAGS_MAX_BYTES)
        return text_why(why, 8, "tags of %zu bytes, at most %d are possible", cell->tags.n, TAGS_MAX_BYTES);
    if (!tags_valid(cell->tags)) return text_why(why, 8, "tags are malformed: each is u16 length, type byte, value");
    return true;
}

bool cells_parse_line(struct bytes line, uint8_t *scratch, struct row_part *part, struct cell *cell, struct reason *why) {
    struct bytes fields[CELLS_TEXT_FIELDS];
    uint32_t n = 0;
    while (n < CELLS_TEXT_FIELDS && take_field(&line, &fields[n])) n++;
    if (n < CELLS_TEXT_FIELDS) return text_why(why, 0, "%u fields, %d are needed", n, CELLS_TEXT_FIELDS);
    if (line.p) return text_why(why, CELLS_TEXT_FIELDS + 1, "more than %d fields", CELLS_TEXT_FIELDS);
    if (!take_hex(fields[0], 0, &scratch, &part->row, why) || !take_hex(fields[1], 1, &scratch, &part->family, why) ||
        !take_hex(fields[2], 2, &scratch, &cell->qualifier, why) || !take_numbers(fields, cell, why) ||
        !take_hex(fields[6], 6, &scratch, &cell->value, why) || !take_hex(fields[7], 7, &scratch, &cell->tags, why))
        return false;
    part->cells = cell;
    part->n_cells = 1;
    return check_lengths(part, cell, why);
}
