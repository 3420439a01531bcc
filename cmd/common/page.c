/* Puts results into the template, between a script that only reads them and a policy that lets no other script run. Results come
 * from data: as JSON in which no '<', '>' or '&' is left they cannot end their element, and the script makes text nodes of them.
 * The policy names the hash of the template's own script, so that a mistake there would run nothing either. */
#include "cmd/common/page.h"

#include "base/fs.h"
#include "base/json.h"
#include "cmd/common/command_line.h"
#include "cmd/common/output_text.h"
#include "gen/page_template.h"

#include <sodium.h>
#include <stdlib.h>

/* Places of the template that are filled. */
#define POLICY_MARK "{{SCRIPT-HASH}}"
#define RESULTS_MARK "{{RESULTS}}"
#define SCRIPT_BEGIN "<script>"
#define SCRIPT_END "</script>"

static const char page_template[] = PAGE_TEMPLATE;

static int put_escaped(struct buf *out, struct bytes json, struct err *err) {
    for (size_t i = 0; i < json.n; i++) {
        const uint8_t c = json.p[i];
        if (c == '<' || c == '>' || c == '&' ? buf_printf(out, err, "\\u%04x", c) : buf_put_byte(out, c, err)) return -1;
    }
    return 0;
}

int page_add(struct page *p, struct bytes json, struct err *err) {
    while (json.n && json.p[json.n - 1] == '\n') json.n--;
    if (!json.n) return 0;
    return buf_printf(&p->results, err, p->results.n ? ",\n" : "") || put_escaped(&p->results, json, err) ? -1 : 0;
}

/* Adds the document that begins at *at, and moves *at to its end. */
static int add_document(struct page *p, const char *path, struct bytes text, size_t *at, size_t *documents, struct err *err) {
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
        json_put(j, JSON("file", json_text(path)));
        /* results of one directory are those of one table */
        ++*documents;
    }
    char *line = json_memory_dump(j, JSON_COMPACT, "a result", err);
    int rc = line ? page_add(p, bytes_str(line), err) : -1;
    free(line);
    return rc;
}

static bool is_blank(uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int page_add_results(struct page *p, const char *path, struct bytes text, struct err *err) {
    size_t at = 0, documents = 0;
    for (;;) {
        while (at < text.n && is_blank(text.p[at])) at++;
        if (at == text.n) break;
        if (add_document(p, path, text, &at, &documents, err)) return -1;
    }
    return documents ? 0 : err_set(err, ERR_INPUT, "%s: holds no result: expected a document with a \"schema\"", path);
}

static int put_made(struct buf *out, const char *tool, int64_t now_ms, struct err *err) {
    struct buf command = {0};
    int rc = command_line_read(&command, err);
    char *text = NULL;
    if (!rc)
        text = json_memory_dump(
            json_new(JSON("tool", tool), JSON("command", json_text((const char *)command.p)), JSON("at_ms", now_ms)), 0,
            "the page", err);
    if (text) rc = put_escaped(out, bytes_str(text), err);
    free(text);
    buf_free(&command);
    return text ? rc : -1;
}

static int put_hash(struct buf *out, struct err *err) {
    unsigned char hash[crypto_hash_sha256_BYTES];
    char text[sodium_base64_ENCODED_LEN(sizeof hash, sodium_base64_VARIANT_ORIGINAL)];
    const char *script = strstr(page_template, SCRIPT_BEGIN) + strlen(SCRIPT_BEGIN);
    crypto_hash_sha256(hash, (const unsigned char *)script, (unsigned long long)(strstr(script, SCRIPT_END) - script));
    sodium_bin2base64(text, sizeof text, hash, sizeof hash, sodium_base64_VARIANT_ORIGINAL);
    return buf_printf(out, err, "sha256-%s", text);
}

/* Puts the template up to a mark, and moves *at to its end. */
static int put_until(struct buf *out, const char **at, const char *mark, struct err *err) {
    const char *end = strstr(*at, mark);
    if (!end) return err_set(err, ERR_INTERNAL, "the template of pages has no %s", mark);
    const size_t n = (size_t)(end - *at);
    int rc = buf_put(out, *at, n, err);
    *at = end + strlen(mark);
    return rc;
}

int page_write(const struct page *p, const char *tool, int64_t now_ms, const char *path, struct err *err) {
    struct buf out = {0};
    const char *at = page_template;
    int rc = put_until(&out, &at, POLICY_MARK, err) || put_hash(&out, err) || put_until(&out, &at, RESULTS_MARK, err) ||
                     buf_printf(&out, err, "{\"made\": ") || put_made(&out, tool, now_ms, err) ||
                     buf_printf(&out, err, ",\n\"results\": [\n") || buf_put(&out, p->results.p, p->results.n, err) ||
                     buf_printf(&out, err, "\n]}") || buf_put(&out, at, strlen(at), err)
                 ? -1
                 : 0;
    if (!rc) rc = json_memory_check(err) ? -1 : fs_replace_file(path, buf_bytes(&out), err);
    buf_free(&out);
    return rc;
}

void page_free(struct page *p) {
    buf_free(&p->results);
}
