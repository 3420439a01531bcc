/* Keys and signatures in the file formats of minisign: Ed25519 of the BLAKE2b-512 of a text, with a comment that is signed too.
 * `minisign -G -W` makes keys, `minisign -V` verifies what this signs, and the other way round. */
#ifndef CMD_COMMON_MINISIGN_H
#define CMD_COMMON_MINISIGN_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { MINISIGN_COMMENT_BYTES = 256, MINISIGN_ID_BYTES = 17 };

struct minisign_secret {
    unsigned char id[8], secret[64]; /* seed and public key */
};
struct minisign_public {
    unsigned char id[8], key[32];
};

/* ERR_USAGE: not such a file, or a secret key that needs a password. The secret must be wiped. */
int minisign_read_secret(const char *path, struct minisign_secret *out, struct err *err);
int minisign_read_public(const char *path, struct minisign_public *out, struct err *err);
void minisign_wipe(struct minisign_secret *k);

/* Appends the text of a signature file. comment: one line. */
int minisign_sign(const struct minisign_secret *k, struct bytes text, const char *comment, struct buf *out, struct err *err);

/* A signature file; trust nothing of it before minisign_verify. */
struct minisign {
    unsigned char id[8], signature[64], of_comment[64];
    char comment[MINISIGN_COMMENT_BYTES];
};
/* Parses a signature file; false: it is none, or one of the whole text, which minisign no longer makes. */
bool minisign_parse(const char *text, struct minisign *out);
bool minisign_verify(const struct minisign *s, const struct minisign_public *k, struct bytes text);
/* The number of a key as minisign prints it. */
void minisign_id(const unsigned char id[8], char out[MINISIGN_ID_BYTES]);

#endif
