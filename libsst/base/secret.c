/* Passwords and tokens. A file of a secret that others can read, or that holds more than its writer saw, is refused before the
 * secret is sent anywhere. */
#include "base/secret.h"

#include "base/fs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

void secret_wipe(char **secret) {
    if (*secret) explicit_bzero(*secret, strlen(*secret));
    free(*secret);
    *secret = NULL;
}

/* ---- files ---- */

/* Returns whether the name of a missing file may be the secret itself, given by mistake: only a name in a directory that exists
 * is shown. */
static bool may_be_secret(const char *path) {
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX];
    struct stat st;
    if (!slash || slash - path >= PATH_MAX) return true;
    snprintf(directory, sizeof directory, "%.*s/", (int)(slash - path), path);
    return stat(directory, &st) != 0;
}

const char *secret_shown_path(const char *path) {
    struct stat st;
    return stat(path, &st) && may_be_secret(path) ? "***" : path;
}

static int secret_file_check(const char *path, const char *what, struct err *err) {
    struct stat st;
    if (stat(path, &st)) {
        const int sys = errno;
        const bool missing = sys == ENOENT || sys == ENAMETOOLONG || sys == ENOTDIR;
        err_sys(err, ERR_INPUT, sys, "%s %s", what, missing ? secret_shown_path(path) : path);
        if (missing) err_append(err, "; the option takes the name of a file with the secret, not the secret itself");
        return -1;
    }
    if (S_ISDIR(st.st_mode)) return err_set(err, ERR_USAGE, "%s %s: is a directory", what, path);
    if (st.st_mode & S_IRWXO)
        return err_set(
            err, ERR_USAGE,
            "%s %s: other users can read it; run chmod 600 on it (a secret of Kubernetes: set defaultMode: 0400 for its "
            "volume)",
            what, path);
    return 0;
}

static const char *fault_of(const char *line, size_t n) {
    if (!n) return "its first line is empty; omit the option where there is no secret";
    if (!strncmp(line, "\xef\xbb\xbf", 3) || !strncmp(line, "\xff\xfe", 2) || !strncmp(line, "\xfe\xff", 2))
        return "begins with a byte order mark, which would be part of the secret; save it without";
    if (line[n - 1] == ' ' || line[n - 1] == '\t')
        return "its first line ends in a blank, which would be part of the secret; remove it";
    return NULL;
}

char *secret_read(const char *path, const char *what, struct err *err) {
    size_t n, line;
    if (secret_file_check(path, what, err)) return NULL;
    char *text = fs_read_text(path, SECRET_MAX_BYTES, &n, err);
    if (!text) return NULL;
    line = strcspn(text, "\r\n");
    explicit_bzero(text + line, n - line);
    const char *fault = fault_of(text, line);
    if (!fault) return text;
    secret_wipe(&text);
    err_set(err, ERR_USAGE, "%s %s: %s", what, path, fault);
    return NULL;
}

/* ---- core dumps ---- */

/* Keeps secrets out of core dumps. If one of the calls fails, the run continues: the other may help. */
void secret_hold(struct secret_hold *h) {
    struct rlimit none;
    if (h->held) return;
    h->held = !getrlimit(RLIMIT_CORE, &h->core);
    h->dumpable = prctl(PR_GET_DUMPABLE);
    none = h->core;
    none.rlim_cur = 0;
    (void)prctl(PR_SET_DUMPABLE, 0);                  /* see above */
    if (h->held) (void)setrlimit(RLIMIT_CORE, &none); /* see above */
}

void secret_release(struct secret_hold *h) {
    if (!h->held) return;
    (void)setrlimit(RLIMIT_CORE, &h->core);                /* then dumps stay off */
    if (h->dumpable == 1) (void)prctl(PR_SET_DUMPABLE, 1); /* then dumps stay off */
    h->held = false;
}
