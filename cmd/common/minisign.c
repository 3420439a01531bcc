/* The file formats of minisign, read and written with libsodium. A file is two or four lines: comments, and base64 of packed
 * structs. A secret key with a password is refused by name: a nightly job has no one to ask. */
#include "cmd/common/minisign.h"

#include "base/fs.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    FILE_MAX_BYTES = 1 << 16,
    SECRET_BYTES = 158,   /* "Ed", kind of password, "B2", salt, limits; then number, secret key, checksum */
    SECRET_AT_ID = 54,    /* after salt and limits */
    PUBLIC_BYTES = 42,    /* "Ed", number, public key */
    SIGNATURE_BYTES = 74, /* "ED", number, signature */
    LINE_BYTES = 512      /* comment or base64 */
};
static const char comment_head[] = "untrusted comment: ", trusted_head[] = "trusted comment: ";

/* Copies a line without its end; false: no line is left, or it is too long. */
static bool take_line(const char **text, char line[LINE_BYTES]) {
    size_t n = strcspn(*text, "\n"), kept = n;
    if (!**text || n >= LINE_BYTES) return false;
    if (kept && (*text)[kept - 1] == '\r') kept--;
    memcpy(line, *text, kept);
    line[kept] = 0;
    *text += n + ((*text)[n] == '\n');
    return true;
}

static bool take_base64(const char **text, void *out, size_t n) {
    char line[LINE_BYTES];
    size_t got;
    if (!take_line(text, line)) return false;
    bool good = !sodium_base642bin(out, n, line, strlen(line), NULL, &got, NULL, sodium_base64_VARIANT_ORIGINAL) && got == n;
    sodium_memzero(line, sizeof line);
    return good;
}

static bool take_comment(const char **text, const char *head, char comment[LINE_BYTES]) {
    size_t n = strlen(head);
    if (!take_line(text, comment) || strncmp(comment, head, n)) return false;
    memmove(comment, comment + n, strlen(comment + n) + 1);
    return true;
}

/* A comment and one line of base64. */
static int read_key(const char *path, const char *what, void *out, size_t n, struct err *err) {
    size_t length;
    char line[LINE_BYTES];
    if (sodium_init() < 0) return err_set(err, ERR_INTERNAL, "libsodium cannot be used");
    char *text = fs_read_text(path, FILE_MAX_BYTES, &length, err);
    if (!text) return -1;
    const char *at = text;
    bool good = take_comment(&at, comment_head, line) && take_base64(&at, out, n) && !memcmp(out, "Ed", 2);
    sodium_memzero(text, length);
    free(text);
    return good ? 0 : err_set(err, ERR_USAGE, "%s: not a %s key of minisign (minisign -G -W makes a pair)", path, what);
}

int minisign_read_secret(const char *path, struct minisign_secret *out, struct err *err) {
    unsigned char raw[SECRET_BYTES], made[32], again[64];
    struct stat st;
    if (!stat(path, &st) && S_ISREG(st.st_mode) && (st.st_mode & S_IRWXO))
        return err_set(err, ERR_USAGE, "%s: other users can read it; run chmod 600 on it", path);
    int rc = read_key(path, "secret", raw, sizeof raw, err);
    if (!rc && (raw[2] || raw[3]))
        rc = err_set(err, ERR_USAGE,
                     "%s: this key has a password, which an unattended program cannot ask for; remove it with 'minisign "
                     "-C -W -s %s', or make a key without one (minisign -G -W) and protect the file",
                     path, path);
    memcpy(out->id, raw + SECRET_AT_ID, sizeof out->id);
    memcpy(out->secret, raw + SECRET_AT_ID + sizeof out->id, sizeof out->secret);
    if (!rc && (crypto_sign_seed_keypair(made, again, out->secret) || sodium_memcmp(again, out->secret, sizeof again)))
        rc = err_set(err, ERR_USAGE, "%s: damaged; its two halves do not match", path);
    sodium_memzero(raw, sizeof raw);
    sodium_memzero(again, sizeof again);
    if (rc) minisign_wipe(out);
    return rc;
}

int minisign_read_public(const char *path, struct minisign_public *out, struct err *err) {
    unsigned char raw[PUBLIC_BYTES];
    if (read_key(path, "public", raw, sizeof raw, err)) return -1;
    memcpy(out->id, raw + 2, sizeof out->id);
    memcpy(out->key, raw + 2 + sizeof out->id, sizeof out->key);
    return 0;
}

void minisign_wipe(struct minisign_secret *k) {
    sodium_memzero(k, sizeof *k);
}

static int put_base64(struct buf *out, const void *p, size_t n, struct err *err) {
    char text[LINE_BYTES];
    sodium_bin2base64(text, sizeof text, p, n, sodium_base64_VARIANT_ORIGINAL);
    return buf_printf(out, err, "%s\n", text);
}

/* The second signature covers the first and the comment. */
static size_t cover(unsigned char *out, const unsigned char signature[64], const char *comment) {
    memcpy(out, signature, 64);
    memcpy(out + 64, comment, strlen(comment));
    return 64 + strlen(comment);
}

int minisign_sign(const struct minisign_secret *k, struct bytes text, const char *comment, struct buf *out, struct err *err) {
    unsigned char hash[64], raw[SIGNATURE_BYTES] = "ED", both[64 + MINISIGN_COMMENT_BYTES], of_comment[64];
    char id[MINISIGN_ID_BYTES];
    if (strlen(comment) >= MINISIGN_COMMENT_BYTES) return err_set(err, ERR_INTERNAL, "the comment of a signature is too long");
    memcpy(raw + 2, k->id, sizeof k->id);
    if (crypto_generichash(hash, sizeof hash, text.p, text.n, NULL, 0) ||
        crypto_sign_detached(raw + 10, NULL, hash, sizeof hash, k->secret) ||
        crypto_sign_detached(of_comment, NULL, both, cover(both, raw + 10, comment), k->secret))
        return err_set(err, ERR_INTERNAL, "libsodium cannot sign");
    minisign_id(k->id, id);
    if (buf_printf(out, err, "%ssignature by secret key %s\n", comment_head, id)) return -1;
    if (put_base64(out, raw, sizeof raw, err) || buf_printf(out, err, "%s%s\n", trusted_head, comment)) return -1;
    return put_base64(out, of_comment, sizeof of_comment, err);
}

bool minisign_parse(const char *text, struct minisign *out) {
    unsigned char raw[SIGNATURE_BYTES];
    char line[LINE_BYTES];
    if (!take_comment(&text, comment_head, line) || !take_base64(&text, raw, sizeof raw) || memcmp(raw, "ED", 2)) return false;
    if (!take_comment(&text, trusted_head, line) || strlen(line) >= sizeof out->comment) return false;
    memcpy(out->id, raw + 2, sizeof out->id);
    memcpy(out->signature, raw + 10, sizeof out->signature);
    memcpy(out->comment, line, strlen(line) + 1);
    return take_base64(&text, out->of_comment, sizeof out->of_comment);
}

bool minisign_verify(const struct minisign *s, const struct minisign_public *k, struct bytes text) {
    unsigned char hash[64], both[64 + MINISIGN_COMMENT_BYTES];
    if (memcmp(s->id, k->id, sizeof s->id) || crypto_generichash(hash, sizeof hash, text.p, text.n, NULL, 0)) return false;
    return !crypto_sign_verify_detached(s->signature, hash, sizeof hash, k->key) &&
           !crypto_sign_verify_detached(s->of_comment, both, cover(both, s->signature, s->comment), k->key);
}

void minisign_id(const unsigned char id[8], char out[MINISIGN_ID_BYTES]) {
    unsigned long long n = 0;
    for (int i = 8; i-- > 0;) n = n << 8 | id[i];
    snprintf(out, MINISIGN_ID_BYTES, "%016llX", n);
}
