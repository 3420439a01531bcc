#include "pipeline/rules_text.h"

#include <stdio.h>
#include <xxhash.h>

static int print(const struct family_rules *r, char *s, size_t n) {
    static const char *const keep[] = {"FALSE", "TRUE", "TTL"};
    char versions[24] = "unlimited";
    if (r->versions != UINT32_MAX) snprintf(versions, sizeof versions, "%u", r->versions);
    return snprintf(s, n, "major versions=%s min_versions=%u ttl=%llds keep_deleted=%s purge_after=%lldms", versions,
                    r->min_versions, (long long)r->ttl_s, keep[r->keep_deleted], (long long)r->purge_deletes_after_ms);
}

int rules_text_print(const struct family_rules *r, struct buf *out, struct err *err) {
    char line[200];
    print(r, line, sizeof line);
    return buf_printf(out, err, "%s", line);
}

void rules_text_hash(const struct family_rules *r, char hex[RULES_HASH_BYTES]) {
    char line[200];
    int n = print(r, line, sizeof line);
    snprintf(hex, RULES_HASH_BYTES, "%016llx", (unsigned long long)XXH3_64bits(line, (size_t)n));
}
