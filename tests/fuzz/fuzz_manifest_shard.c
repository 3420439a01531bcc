/* Any bytes as manifests of shards or shares, one after the other with a byte 0xff between: refused with a reason, or put in
 * order, and then their inputs are one list of the length that all of them say. */
#include "dataset/manifest_shard.h"
#include "fuzz.h"

#include "dataset/manifest.h"

#include <stdlib.h>

enum { MOST = 6 };

static size_t parse_all(const uint8_t *data, size_t size, struct manifest *m) {
    size_t n = 0;
    for (const uint8_t *end = data + size; n < MOST && data < end;) {
        const uint8_t *next = memchr(data, 0xff, (size_t)(end - data));
        size_t length = (size_t)((next ? next : end) - data);
        struct err err = {0};
        if (manifest_parse("fuzz", (const char *)data, length, &m[n], &err) == 0)
            n++;
        else
            require(err.code == ERR_INPUT || err.code == ERR_UNSUPPORTED);
        data += length + (next != NULL);
    }
    return n;
}

/* Each at its place, and its name with it. */
static void check_order(const struct manifest *m, const char *const *names, const char *const *all, size_t n, bool shards) {
    for (size_t i = 0; i < n; i++) {
        size_t at = 0;
        require((shards ? m[i].shard.number : m[i].share.number) == i + 1);
        require((shards ? m[i].shard.of : m[i].share.of) == n);
        while (at < n && names[i] != all[at]) at++;
        require(at < n);
        for (size_t k = 0; k < i; k++) require(names[k] != names[i]);
    }
}

static void check_inputs(struct manifest *m, size_t n) {
    struct manifest whole = {0};
    struct err err = {0};
    uint32_t all = m[0].shard.all;
    int rc = manifest_shards_inputs(m, n, &whole, &err);
    require(rc == 0 ? whole.n_inputs == all : err.code == ERR_INPUT);
    for (size_t i = 0; i < whole.n_inputs; i++) require(whole.inputs[i].path && whole.inputs[i].format);
    free(whole.inputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const all[MOST] = {"A", "B", "C", "D", "E", "F"};
    const char *names[MOST];
    struct manifest m[MOST];
    struct err err = {0};
    size_t n = parse_all(data, size, m);
    memcpy(names, all, sizeof names);
    if (n && m[0].shard.of) {
        if (manifest_shards_check(m, names, n, &err) == 0) {
            check_order(m, names, all, n, true);
            check_inputs(m, n);
        } else {
            require(err.code == ERR_USAGE && err.text[0]);
        }
    } else if (n) {
        if (manifest_shares_check(m, names, n, &err) == 0)
            check_order(m, names, all, n, false);
        else
            require((err.code == ERR_USAGE || err.code == ERR_INPUT) && err.text[0]);
    }
    for (size_t i = 0; i < n; i++) manifest_free(&m[i]);
    return 0;
}
