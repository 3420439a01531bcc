/* The names of a header, for --columns and --key: the position of a name in it, what a header lacks, and what takes all columns
 * that nothing else names ("*=family"). */
#include "formats/mapping/colmap.h"

#include "base/near_name.h"
#include "formats/mapping/colmap_header.h"
#include "formats/text/text_hint.h"
#include "formats/text/text_input.h"

#define SHOW(b) (int)((b).n > 200 ? 200 : (b).n), (const char *)(b).p

static int list_header(const struct colmap_opts *o, struct buf *out, struct err *err) {
    for (uint32_t i = 0; i < o->n_header && out->n < 600; i++)
        if (buf_printf(out, err, "%s%.*s", i ? ", " : "", SHOW(o->header[i]))) return -1;
    return buf_put_byte(out, 0, err);
}

static int not_in_header(const struct colmap_opts *o, const char *option, struct bytes name, struct err *err) {
    struct buf names = {0};
    struct near_name near = near_name_to(name);
    char meant[NEAR_NAME_MAX + 48], hint[TEXT_HINT_BYTES];
    for (uint32_t i = 0; i < o->n_header; i++) near_name_offer(&near, bytes_trim(o->header[i]));
    if (list_header(o, &names, err) == 0)
        err_set(err, ERR_USAGE, "%s: the header%s%s has no column \"%.*s\"; it has: %s%s%s", option, o->path ? " of " : "",
                o->path ? o->path : "", SHOW(name), (char *)names.p, near_name_text(&near, "", meant),
                text_header_hint(o->path, o->header, o->n_header, name, false, hint));
    buf_free(&names);
    return -1;
}

int colmap_find_header(const struct colmap_opts *o, const char *option, struct bytes name, uint32_t *column, struct err *err) {
    *column = COLMAP_NONE;
    for (uint32_t i = 0; i < o->n_header; i++) {
        if (!bytes_eq(bytes_trim(o->header[i]), name)) continue;
        if (*column != COLMAP_NONE)
            return err_set(err, ERR_USAGE, "%s: the header has two columns \"%.*s\" (%u and %u); map by position instead", option,
                           SHOW(name), *column + 1, i + 1);
        *column = i;
    }
    return *column == COLMAP_NONE ? not_in_header(o, option, name, err) : 0;
}

int colmap_check_rest(const struct colmap_opts *o, uint32_t column, struct err *err) {
    struct bytes name = bytes_trim(o->header[column]);
    if (!name.n)
        return err_set(err, ERR_USAGE, "--columns: column %u of the header has no name: name the columns one by one%s",
                       column + 1,
                       o->n_header == column + 1 || !bytes_trim(o->header[o->n_header - 1]).n
                           ? ", or give --dialect csv,trailing=any if delimiters only pad the lines"
                           : "");
    for (uint32_t i = 0; i < column; i++)
        if (bytes_eq(bytes_trim(o->header[i]), name))
            return err_set(err, ERR_USAGE,
                           "--columns: the header has two columns \"%.*s\" (%u and %u); map by position "
                           "instead",
                           SHOW(name), i + 1, column + 1);
    return 0;
}

bool colmap_is_auto(const char *columns) {
    return columns && !strncmp(columns, "auto", 4) && (!columns[4] || columns[4] == ':') && !strchr(columns, ',');
}

bool colmap_names_columns(const char *columns) {
    for (const char *item = columns; item; item = strchr(item, ',')) {
        item += item != columns;
        const size_t n = strcspn(item, ",:=");
        if (item[n] == '=') return true;
    }
    return false;
}

int colmap_auto_family(const struct colmap_opts *o, struct bytes *family, struct err *err) {
    const struct table *t = o->table;
    if (o->columns[4] == ':') {
        *family = bytes_trim(bytes_str(o->columns + 5));
        return 0;
    }
    if (!t || t->n_families != 1 || o->open_families)
        return err_set(err, ERR_USAGE, "--columns auto: which family? The table has %s: write auto:FAMILY",
                       t && t->n_families > 1 && !o->open_families ? "several" : "no definition that says it");
    *family = bytes_str(t->families[0].name);
    return 0;
}
