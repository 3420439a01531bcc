/* libFuzzer target: any bytes as what a server sends: a page of S3's or HDFS's listing, an error, headers, keys; and as a URL and
 * a credentials file. The first byte chooses. */
#include "cmd/common/remote_credentials.h"
#include "formats/remote/remote_address.h"
#include "formats/remote/remote_hdfs.h"
#include "formats/remote/remote_headers.h"
#include "formats/remote/remote_identity.h"
#include "formats/remote/remote_s3.h"
#include "fuzz.h"

#include "cmd/common/remote_inputs.h"
#include "formats/remote/remote_keys.h"

#include <stdlib.h>
#include <string.h>

static int take_file(void *arg, const char *path, const struct remote_facts *facts, struct err *err) {
    (void)arg, (void)err;
    require(*path && facts->bytes >= 0 && memchr(facts->tag, 0, sizeof facts->tag));
    return 0;
}

static int take_entry(void *arg, const struct remote_hdfs_entry *e, struct err *err) {
    (void)arg, (void)err;
    require(e->name && !strchr(e->name, '/') && strcmp(e->name, "..") && e->facts.bytes >= 0);
    return 0;
}

static void list(struct bytes text, bool is_xml) {
    const struct remote_found found = {.file = take_file};
    struct buf next = {0};
    struct err err = {0};
    bool more = false;
    int rc = is_xml ? remote_s3_page(text, "fuzz", &found, &next, &err)
                    : remote_hdfs_page(text, "fuzz", take_entry, NULL, &next, &more, &err);
    require(rc ? err.code && !strncmp(err.text, "fuzz:", 5) : !err.code);
    buf_free(&next);
}

static void headers(struct bytes text) {
    struct remote_headers h;
    remote_headers_begin(&h);
    for (size_t at = 0; at < text.n;) {
        const uint8_t *end = memchr(text.p + at, '\n', text.n - at);
        size_t n = end ? (size_t)(end - text.p) + 1 - at : text.n - at;
        remote_headers_line(&h, bytes_of(text.p + at, n));
        at += n;
    }
    require(h.facts.bytes >= -1 && h.last >= h.first && h.body >= -1 && h.age >= -1 &&
            memchr(h.facts.tag, 0, sizeof h.facts.tag));
}

static void url(const char *text) {
    const struct remote_opts o = {.s3 = {.endpoint = "http://s3"}, .hdfs = {.user = "u"}};
    struct remote_address a;
    struct err err = {0};
    int rc = remote_address_parse(text, &o, &a, &err);
    require(rc ? err.code != ERR_NONE
               : a.source && a.source->n_bases && a.path && (*a.path != '/' || a.source->kind != REMOTE_HDFS));
    remote_address_free(&a);
    remote_source_free(a.source);
}

static void credentials(struct bytes text) {
    struct s3_credentials c;
    struct err err = {0};
    int rc = s3_credentials_parse(text, "fuzz", "default", &c, &err);
    require(rc < 0 ? err.code && !strncmp(err.text, "fuzz:", 5) : rc == (c.key_id && c.secret));
    s3_credentials_free(&c);
}

static void identity(struct bytes text) {
    struct remote_keys k;
    struct err err = {0};
    remote_keys_begin(&k);
    int rc = remote_identity_parse(text, &k, &err);
    require(rc ? err.code != ERR_NONE : !err.code && k.key_id.n > 1 && k.secret.n > 1 && k.token.n > 1 && k.until_s > 0);
    remote_keys_end(&k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct remote_fault f;
    if (!size) return 0;
    char *text = malloc(size);
    require(text != NULL);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    struct bytes rest = bytes_of(text, size - 1);
    switch (data[0]) {
    case 'x': list(rest, true); break;
    case 'j': list(rest, false); break;
    case 'h': headers(rest); break;
    case 'u': url(text); break;
    case 'c': credentials(rest); break;
    case 'i': identity(rest); break;
    default: remote_fault_parse(rest, &f); require(memchr(f.code, 0, sizeof f.code) && memchr(f.text, 0, sizeof f.text));
    }
    free(text);
    return 0;
}
