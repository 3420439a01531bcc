#include "cmd/export/export_name.h"

#include "base/buf.h"
#include "base/fs.h"

#include <ctype.h>
#include <stdio.h>
#include <xxhash.h>

enum { PART_MAX = 100 };

static void escape(const char *name, char out[PART_MAX + 1]) {
    size_t n = 0;
    for (const char *p = name; *p; p++) {
        unsigned char c = (unsigned char)*p;
        bool plain = (isalnum(c) && c < 0x80) || c == '_' || c == '-';
        if (n + (plain ? 1 : 3) > PART_MAX) {
            snprintf(out + PART_MAX - 16, 17, "%016llx", (unsigned long long)XXH3_64bits(name, strlen(name)));
            return;
        }
        n += (size_t)(plain ? snprintf(out + n, 2, "%c", c) : snprintf(out + n, 4, "%%%02X", c));
    }
    out[n] = 0;
}

char *export_name_make(const struct export_name *n, struct err *err) {
    char table[PART_MAX + 1], partition[PART_MAX + 1];
    escape(n->table, table);
    escape(n->partition, partition);
    return fs_printf(err, "%s/%s.%s.%05u-%03u.%s%s", n->folder, table, partition, n->index, n->number, n->form, n->packed);
}

char *export_name_pattern(const char *path, struct err *err) {
    return fs_printf(err, "%.*s.*", (int)strcspn(path, "."), path);
}
