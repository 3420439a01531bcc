/* Parses references to mob files: tag 5 marks one, tag 6 names the table that wrote the file, and the value is the length of the
 * real value and the file's name. */
#include "formats/hbase/mob_cell.h"

#include "base/bytes.h"
#include "formats/hbase/names.h"

#include <string.h>

enum { TAG_HEAD_BYTES = 3, LENGTH_BYTES = 4 };

/* Takes the next tag (u16 length, type, value) from the head of *tags. false: no more, or malformed. */
static bool take_tag(struct bytes *tags, uint8_t *type, struct bytes *whole) {
    if (tags->n < TAG_HEAD_BYTES) return false;
    size_t n = 2 + (size_t)be16(tags->p);
    if (n < TAG_HEAD_BYTES || n > tags->n) return false;
    *type = tags->p[2];
    *whole = bytes_of(tags->p, n);
    *tags = bytes_of(tags->p + n, tags->n - n);
    return true;
}

/* The first tag of a type: its value. p == NULL: none. */
static struct bytes find_tag(struct bytes tags, uint8_t type) {
    struct bytes whole;
    uint8_t t;
    while (take_tag(&tags, &t, &whole))
        if (t == type) return bytes_of(whole.p + TAG_HEAD_BYTES, whole.n - TAG_HEAD_BYTES);
    return (struct bytes){0};
}

bool mob_cell_is_reference(const struct cell *c) {
    return c->tags.n && find_tag(c->tags, TAG_MOB_REFERENCE).p;
}

bool mob_cell_names_file(struct bytes name) {
    enum store_name_kind kind = name.n > DISK_NAME_MAX_BYTES ? STORE_NAME_OTHER : store_name_parse(name).kind;
    return kind == STORE_NAME_MOB || kind == STORE_NAME_FILE;
}

void mob_cell_table(struct bytes text, struct mob_reference *out) {
    const uint8_t *colon = text.n ? memchr(text.p, ':', text.n) : NULL;
    out->ns = colon ? bytes_of(text.p, (size_t)(colon - text.p)) : bytes_str(TABLE_NAME_DEFAULT_NS);
    out->table = colon ? bytes_of(colon + 1, text.n - out->ns.n - 1) : text;
}

int mob_cell_parse(const struct cell *c, struct mob_reference *out, struct err *err) {
    char shown[DISK_NAME_SHOWN_BYTES];
    if (c->value.n <= LENGTH_BYTES)
        return err_set(err, ERR_INPUT, "a value of %zu bytes is not a reference to a mob file", c->value.n);
    *out =
        (struct mob_reference){.file = bytes_of(c->value.p + LENGTH_BYTES, c->value.n - LENGTH_BYTES), .bytes = be32(c->value.p)};
    if (!mob_cell_names_file(out->file))
        return err_set(err, ERR_INPUT, "'%s' is not the name of a mob file", disk_name_shown(out->file, shown));
    struct bytes text = find_tag(c->tags, TAG_MOB_TABLE);
    if (text.p) mob_cell_table(text, out);
    return 0;
}

int mob_cell_put_tags(const struct cell *c, struct buf *out, struct err *err) {
    struct bytes tags = c->tags, whole;
    uint8_t type;
    while (take_tag(&tags, &type, &whole)) {
        if (type == TAG_MOB_REFERENCE || type == TAG_MOB_TABLE) continue;
        if (buf_put(out, whole.p, whole.n, err)) return -1;
    }
    return 0;
}
