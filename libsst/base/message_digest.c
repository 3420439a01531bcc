/* Java's message digests, computed by libmd: expressions call them by the names that java.security.MessageDigest knows, and
 * HBase uses MD5 for the encoded names of regions. */
#include "base/message_digest.h"

#include <strings.h>

bool message_digest_named(const char *name, enum message_digest_kind *kind) {
    static const struct {
        const char *name;
        enum message_digest_kind kind;
    } all[] = {{"MD5", MESSAGE_MD5},        {"SHA-1", MESSAGE_SHA1},     {"SHA1", MESSAGE_SHA1},     {"SHA", MESSAGE_SHA1},
               {"SHA-256", MESSAGE_SHA256}, {"SHA-384", MESSAGE_SHA384}, {"SHA-512", MESSAGE_SHA512}};
    for (size_t i = 0; i < countof(all); i++)
        if (!strcasecmp(name, all[i].name)) {
            *kind = all[i].kind;
            return true;
        }
    return false;
}

size_t message_digest_bytes(enum message_digest_kind kind) {
    static const size_t bytes[] = {
        [MESSAGE_MD5] = 16, [MESSAGE_SHA1] = 20, [MESSAGE_SHA256] = 32, [MESSAGE_SHA384] = 48, [MESSAGE_SHA512] = 64};
    return bytes[kind];
}

void message_digest_begin(struct message_digest *d, enum message_digest_kind kind) {
    d->kind = kind;
    switch (kind) {
    case MESSAGE_MD5: MD5Init(&d->c.md5); break;
    case MESSAGE_SHA1: SHA1Init(&d->c.sha1); break;
    case MESSAGE_SHA256: SHA256Init(&d->c.sha2); break;
    case MESSAGE_SHA384: SHA384Init(&d->c.sha2); break;
    case MESSAGE_SHA512: SHA512Init(&d->c.sha2); break;
    }
}

void message_digest_add(struct message_digest *d, const void *p, size_t n) {
    if (!n) return;
    switch (d->kind) {
    case MESSAGE_MD5: MD5Update(&d->c.md5, p, n); break;
    case MESSAGE_SHA1: SHA1Update(&d->c.sha1, p, n); break;
    case MESSAGE_SHA256: SHA256Update(&d->c.sha2, p, n); break;
    case MESSAGE_SHA384: SHA384Update(&d->c.sha2, p, n); break;
    case MESSAGE_SHA512: SHA512Update(&d->c.sha2, p, n); break;
    }
}

void message_digest_end(struct message_digest *d, uint8_t out[MESSAGE_DIGEST_MAX_BYTES]) {
    switch (d->kind) {
    case MESSAGE_MD5: MD5Final(out, &d->c.md5); break;
    case MESSAGE_SHA1: SHA1Final(out, &d->c.sha1); break;
    case MESSAGE_SHA256: SHA256Final(out, &d->c.sha2); break;
    case MESSAGE_SHA384: SHA384Final(out, &d->c.sha2); break;
    case MESSAGE_SHA512: SHA512Final(out, &d->c.sha2); break;
    }
}
