/* obkv-verify page: one page of the results that several steps have printed with --json, such as those of a migration, in their
 * order. A file may hold several documents, and lines that belong to the document after them (diff, target). */
#include "base/fs.h"
#include "base/json.h"
#include "cmd/common/output_text.h"
#include "cmd/common/page.h"
#include "cmd/verify/verify.h"

#include <stdlib.h>

enum { RESULT_MOST = 32 << 20 }; /* bytes of a file: a result with a hundred thousand partitions */

/* Adds the document that begins at *at, and moves *at to its end. */
static int add_document(struct page *page, const char *path, struct bytes text, size_t *at, size_t *documents, struct err *err) {
    json_error_t error;
    json_t *j = json_loadb((const char *)text.p + *at, text.n - *at, JSON_DISABLE_EOF_CHECK, &error);
    if (!j && json_memory_check(err)) return -1;
    if (!json_is_object(j)) {
        json_decref(j);
        return err_set(err, ERR_INPUT, "%s: no result of --json: %s at byte %zu", path, j ? "expected an object" : error.text,
                       *at);
    }
    *at += (size_t)error.position;
    if (json_is_string(json_object_get(j, "schema"))) {
        json_object_set_new(j, "file", json_text(path)); /* results of one directory are those of one table */
        ++*documents;
    }
    char *line = json_memory_dump(j, JSON_COMPACT, "a result", err);
    int rc = line ? page_add(page, bytes_str(line), err) : -1;
    free(line);
    return rc;
}

static bool is_blank(uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int add_file(struct environment *env, const char *path, struct err *err) {
    size_t n = 0, at = 0, documents = 0;
    char *text = fs_read_text(path, RESULT_MOST, &n, err);
    int rc = text ? 0 : -1;
    while (!rc) {
        while (at < n && is_blank((uint8_t)text[at])) at++;
        if (at == n) break;
        rc = add_document(env->reporter.page, path, bytes_of((const uint8_t *)text, n), &at, &documents, err);
    }
    if (!rc && !documents) rc = err_set(err, ERR_INPUT, "%s: holds no result: expected a document with a \"schema\"", path);
    free(text);
    return rc;
}

int verify_page(struct environment *env, struct intake *intake, int *code, struct err *err) {
    (void)intake;
    *code = 0;
    if (!env->reporter.page) return err_set(err, ERR_USAGE, "page needs --html FILE, where the page is written");
    for (int i = 0; i < env->o.n_inputs; i++)
        if (add_file(env, env->o.inputs[i], err)) return -1;
    return 0;
}
