/* Login data from options. The password comes from a file that others cannot read, or from the credentials directory of
 * systemd; never from the command line, where every user of the machine could see it. */
#include "cmd/oceanbase/connection.h"

#include "base/fs.h"
#include "base/login_mask.h"
#include "base/secret.h"
#include "cmd/oceanbase/login.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int refuse_target(const char *text, const char *why, struct err *err) {
    char shown[400];
    return err_set(err, ERR_USAGE, "'%s': %s; expected HOST:PORT/DATABASE, e.g. 127.0.0.1:2881/test",
                   login_mask_address(text, shown, sizeof shown), why);
}

/* Returns what is wrong with a form that other programs take for addresses: mysql://user:password@host:port/database,
 * user@host. */
static const char *foreign_form(const char *text) {
    const char *slash = strchr(text, '/'), *colon = strchr(text, ':'), *at = strrchr(text, '@');
    const bool url = strstr(text, "://") != NULL;
    const bool port = colon && slash && colon < slash && strspn(colon + 1, "0123456789") == (size_t)(slash - colon - 1);
    if (at && (url || !slash || at < slash || (!port && *text != '[')))
        return "user and password do not belong there, give --user and --password-file";
    return url ? "a URL does not belong there" : NULL;
}

int address_parse(const char *text, struct address *out, struct err *err) {
    *out = (struct address){0};
    if (foreign_form(text)) return refuse_target(text, foreign_form(text), err);
    const char *whole = text, *host = text, *host_end;
    if (*text == '[') {
        host = text + 1;
        host_end = strchr(host, ']');
        if (!host_end || host_end[1] != ':') return refuse_target(whole, "no \"]:PORT\" after the IPv6 address", err);
        text = host_end + 1;
    } else {
        host_end = text = strchr(text, ':');
        if (!host_end) return refuse_target(whole, "no port", err);
    }
    size_t n = (size_t)(host_end - host);
    if (!n || n >= sizeof out->host) return refuse_target(whole, "no host name", err);
    memcpy(out->host, host, n);
    char *end = (char *)text + 1;
    errno = 0;
    unsigned long port = *end >= '0' && *end <= '9' ? strtoul(text + 1, &end, 10) : 0;
    if (!port || port > 65535 || errno) return refuse_target(whole, "the port is not a number from 1 to 65535", err);
    if (*end != '/' || !end[1]) return refuse_target(whole, "no database", err);
    if (strchr(end + 1, '?')) return refuse_target(whole, "parameters of a URL do not belong there", err);
    if (strlen(end + 1) >= sizeof out->database) return refuse_target(whole, "the database's name is too long", err);
    out->port = (unsigned)port;
    memcpy(out->database, end + 1, strlen(end + 1) + 1);
    return 0;
}

enum { JOBS_MAX = 64 };

/* systemd's LoadCredential= puts secrets into a directory that only the service sees. */
static int find_password(const struct options *o, char **out, struct err *err) {
    const char *directory = getenv("CREDENTIALS_DIRECTORY");
    if (o->target.password_file) return (*out = secret_read(o->target.password_file, "password file", err)) ? 0 : -1;
    if (!directory) return 0;
    char *path = fs_join(directory, "obkv-password", err);
    int there = path ? fs_exists(path, err) : -1;
    if (there > 0) there = (*out = secret_read(path, "password file", err)) ? 0 : -1;
    free(path);
    return there;
}

static int parse_tls(const struct options *o, enum tls_mode *out, struct err *err) {
    static const char *const names[] = {"off", "require", "verify"};
    for (size_t i = 0; i < countof(names); i++)
        if (!strcmp(o->target.tls, names[i])) {
            *out = (enum tls_mode)i;
            if (*out == TLS_OFF && (o->target.tls_ca || o->target.tls_cert || o->target.tls_key))
                return err_set(err, ERR_USAGE, "--tls-ca, --tls-cert and --tls-key need --tls require or verify");
            return 0;
        }
    return err_set(err, ERR_USAGE, "--tls '%s': expected off, require or verify", o->target.tls);
}

int target_login_make(const struct options *o, struct target_login *out, struct err *err) {
    *out = (struct target_login){0};
    if (!o->target.address) return err_set(err, ERR_USAGE, "no database given; give --target HOST:PORT/DATABASE");
    if (!o->target.jobs || o->target.jobs > JOBS_MAX) return err_set(err, ERR_USAGE, "--jobs must be between 1 and %d", JOBS_MAX);
    struct login *l = &out->login;
    struct err bad = {0};
    if (address_parse(o->target.address, &l->address, &bad))
        return err_set(err, bad.code, "--%s %s", opt_has_group(o, &opt_from) ? "from" : "target", bad.text);
    char shown[200];
    if (login_has_password(o->target.user))
        return err_set(err, ERR_USAGE, "--user '%s': a password does not belong there, give --password-file",
                       login_mask_user(o->target.user, shown, sizeof shown));
    if (parse_tls(o, &l->tls, err) || find_password(o, &out->password, err)) return -1;
    if (out->password) secret_hold(&out->hold);
    l->user = o->target.user;
    l->password = out->password;
    l->tls_ca = o->target.tls_ca;
    l->tls_cert = o->target.tls_cert;
    l->tls_key = o->target.tls_key;
    return 0;
}

void target_login_free(struct target_login *l) {
    secret_wipe(&l->password);
    secret_release(&l->hold);
    *l = (struct target_login){0};
}
