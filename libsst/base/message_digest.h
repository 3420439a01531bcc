/* The message digests that Java calls by name. */
#ifndef BASE_MESSAGE_DIGEST_H
#define BASE_MESSAGE_DIGEST_H

#include "base/bytes.h"

#include <md5.h>
#include <sha1.h>
#include <sha2.h>

enum message_digest_kind { MESSAGE_MD5, MESSAGE_SHA1, MESSAGE_SHA256, MESSAGE_SHA384, MESSAGE_SHA512 };
enum { MESSAGE_DIGEST_MAX_BYTES = 64 };

struct message_digest {
    enum message_digest_kind kind;
    union {
        MD5_CTX md5;
        SHA1_CTX sha1;
        SHA2_CTX sha2;
    } c;
};

/* "MD5", "SHA-1", "SHA1", "SHA", "SHA-256" …, whatever the case; false: none of these. */
bool message_digest_named(const char *name, enum message_digest_kind *kind);
size_t message_digest_bytes(enum message_digest_kind kind);
void message_digest_begin(struct message_digest *d, enum message_digest_kind kind);
void message_digest_add(struct message_digest *d, const void *p, size_t n);
void message_digest_end(struct message_digest *d, uint8_t out[MESSAGE_DIGEST_MAX_BYTES]);

#endif
