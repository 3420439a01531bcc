#include "formats/hbase/table_name.h"

#include "base/wire.h"
#include "formats/hbase/disk_name.h"

#include <stdlib.h>

static bool is_word(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c >= 0x80;
}

bool table_name_is_ns(struct bytes ns) {
    for (size_t i = 0; i < ns.n; i++)
        if (!is_word(ns.p[i])) return false;
    return ns.n > 0;
}

bool table_name_is_table(struct bytes name) {
    for (size_t i = 0; i < name.n; i++)
        if (!is_word(name.p[i]) && !(i > 0 && (name.p[i] == '-' || name.p[i] == '.'))) return false;
    return name.n > 0;
}

static int copy_both(struct bytes from_ns, struct bytes from_name, char **ns, char **name, struct err *err) {
    char shown[DISK_NAME_SHOWN_BYTES];
    *ns = *name = NULL;
    if (!table_name_is_ns(from_ns))
        return err_set(err, ERR_INPUT, "'%s' is no name of a namespace", disk_name_shown(from_ns, shown));
    if (!table_name_is_table(from_name))
        return err_set(err, ERR_INPUT, "'%s' is no name of a table", disk_name_shown(from_name, shown));
    *ns = disk_name_copy(from_ns, "namespace", err);
    if (*ns) *name = disk_name_copy(from_name, "table name", err);
    if (*name) return 0;
    free(*ns);
    *ns = NULL;
    return -1;
}

int table_name_parse(struct bytes message, char **ns, char **name, struct err *err) {
    enum { NAMESPACE = 1, QUALIFIER = 2 };
    struct bytes from_ns = {0}, from_name = {0};
    struct pbwire_field f;
    int rc;
    *ns = *name = NULL;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.type != PBWIRE_BYTES) continue;
        if (f.number == NAMESPACE) from_ns = f.bytes;
        if (f.number == QUALIFIER) from_name = f.bytes;
    }
    if (rc) return err_set(err, ERR_INPUT, "the table's name is malformed");
    return copy_both(from_ns, from_name, ns, name, err);
}

int table_name_split(struct bytes text, char **ns, char **name, struct err *err) {
    const uint8_t *colon = text.n ? memchr(text.p, ':', text.n) : NULL;
    if (!colon) return copy_both(bytes_str(TABLE_NAME_DEFAULT_NS), text, ns, name, err);
    size_t n = (size_t)(colon - text.p);
    return copy_both(bytes_of(text.p, n), bytes_of(colon + 1, text.n - n - 1), ns, name, err);
}
