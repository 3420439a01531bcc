/* The table of data block encodings. An encoding is one file encoding_NAME.c with one `const struct encoding encoding_NAME`: the
 * build lists the files. What they share is in delta.c. */
#include "hfile/encoding.h"

#include "gen/encoding_list.h"

static const struct encoding encoding_none = {.id = HFILE_ENC_NONE, .name = "NONE"};

#define DECLARE(name) extern const struct encoding name;
#define ADDRESS(name) &name,
ENCODING_LIST(DECLARE)
static const struct encoding *const table[] = {ENCODING_LIST(ADDRESS) & encoding_none};

const struct encoding *encoding_by_name(struct bytes name) {
    for (size_t i = 0; i < countof(table); i++)
        if (bytes_eq(bytes_str(table[i]->name), name)) return table[i];
    return NULL;
}

const struct encoding *encoding_by_id(unsigned id) {
    for (size_t i = 0; i < countof(table); i++)
        if (table[i]->id == id) return table[i];
    return NULL;
}

const char *encoding_name(unsigned id) {
    static const char *const lacking[] = {[1] = "BITSET", [5] = "COPY_KEY", [HFILE_ENC_PREFIX_TREE] = "PREFIX_TREE"};
    const struct encoding *e = encoding_by_id(id);
    if (e) return e->name;
    return id < countof(lacking) ? lacking[id] : NULL;
}
