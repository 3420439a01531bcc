/* The credentials file of AWS's tools: [profile] lines, and NAME = VALUE. Nothing of it is ever in a message,
 * and what was read is wiped. */
#include "cmd/common/remote_credentials.h"
#include "cmd/common/remote_inputs.h"

#include "base/fs.h"
#include "base/secret.h"

#include <string.h>

void s3_credentials_free(struct s3_credentials *c) {
    secret_wipe(&c->key_id);
    secret_wipe(&c->secret);
    secret_wipe(&c->token);
}

static int take_line(struct bytes line, struct s3_credentials *out, const char *name, unsigned number, struct err *err) {
    const uint8_t *equals = memchr(line.p, '=', line.n);
    if (!equals) return err_set(err, ERR_USAGE, "%s:%u: expected NAME = VALUE", name, number);
    struct bytes key = bytes_trim(bytes_of(line.p, (size_t)(equals - line.p))),
                 value = bytes_trim(bytes_of(equals + 1, line.n - (size_t)(equals + 1 - line.p)));
    char **to = bytes_eq(key, bytes_str("aws_access_key_id"))       ? &out->key_id
                : bytes_eq(key, bytes_str("aws_secret_access_key")) ? &out->secret
                : bytes_eq(key, bytes_str("aws_session_token"))     ? &out->token
                                                                    : NULL;
    if (!to) return 0;
    for (size_t i = 0; i < value.n; i++)
        if (value.p[i] <= ' ' || value.p[i] >= 0x7f) return err_set(err, ERR_USAGE, "%s:%u: not the form of a key", name, number);
    secret_wipe(to);
    *to = fs_printf(err, "%.*s", (int)value.n, (const char *)value.p);
    return *to ? 0 : -1;
}

int s3_credentials_parse(struct bytes text, const char *name, const char *profile, struct s3_credentials *out, struct err *err) {
    bool mine = false;
    unsigned number = 0;
    *out = (struct s3_credentials){0};
    for (size_t at = 0; at < text.n;) {
        const uint8_t *end = memchr(text.p + at, '\n', text.n - at);
        size_t n = end ? (size_t)(end - text.p) - at : text.n - at;
        bool crlf = n && text.p[at + n - 1] == '\r';
        struct bytes line = bytes_trim(bytes_of(text.p + at, n - crlf));
        at += n + 1;
        number++;
        if (!line.n || line.p[0] == '#' || line.p[0] == ';') continue;
        if (line.p[0] == '[') {
            mine = line.p[line.n - 1] == ']' && bytes_eq(bytes_trim(bytes_of(line.p + 1, line.n - 2)), bytes_str(profile));
            continue;
        }
        if (mine && take_line(line, out, name, number, err)) return -1;
    }
    return out->key_id && out->secret ? 1 : 0;
}
