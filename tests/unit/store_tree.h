/* The store files of a tree: read, or refused for a reason. */
#ifndef TESTS_UNIT_STORE_TREE_H
#define TESTS_UNIT_STORE_TREE_H

#include "hbase_tree.h"

#include "formats/hbase/store_files.h"

static inline struct store_files read_good(const char *dir) {
    struct store_files s;
    struct err err = {0};
    if (store_files_read(dir, &s, &err)) fail_msg("%s", err.text);
    return s;
}

static inline bool says(const struct buf *text, const char *part) {
    return text->n && memmem(text->p, text->n, part, strlen(part));
}

/* Reads and frees; the error's text stays. */
static inline const char *fails(const char *dir, enum err_code code) {
    static struct err err;
    struct store_files s;
    err = (struct err){0};
    assert_int_equal(store_files_read(dir, &s, &err), -1);
    assert_int_equal(err.code, code);
    store_files_free(&s);
    return err.text;
}

#endif
