/* The side of those who read. A connection serves one request: it costs some microseconds, far less than what a network adds, and
 * any number of threads and open files need nothing kept for them. */
#include "base/remote.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char mark[] = "/obkv-" REMOTE_PREFIX "-";
enum { RANDOM_BYTES = 6 /* of the name of a temporary directory */ };

const char *remote_name(const char *path) {
    const char *at = strstr(path, mark);
    if (!at || strlen(at) <= sizeof mark - 1 + RANDOM_BYTES || at[sizeof mark - 1 + RANDOM_BYTES] != '/') return NULL;
    return at + sizeof mark + RANDOM_BYTES;
}

char *remote_original(const char *path, struct err *err) {
    const char *name = remote_name(path);
    const size_t scheme = name ? strcspn(name, "/") : 0;
    char *original;
    const int n = name ? asprintf(&original, "%.*s/%s", (int)scheme, name, name + scheme) : asprintf(&original, "%s", path);
    if (n >= 0) return original;
    (void)err_nomem(err, strlen(path) + 2, "a path");
    return NULL;
}

bool remote_is(int fd, const char *path) {
    struct stat st;
    if (!remote_name(path)) return false;
    if (fstat(fd, &st)) return true; /* what lies there must not be taken for content: its server says what it is */
    return S_ISREG(st.st_mode) && (st.st_mode & 07777) == REMOTE_MODE;
}

int remote_send(int socket, const void *p, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t r = send(socket, (const uint8_t *)p + done, n - done, MSG_NOSIGNAL);
        if (r < 0 && errno == EINTR) continue;
        if (r < 0) return -1;
        done += (size_t)r;
    }
    return 0;
}

int remote_receive(int socket, void *p, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t r = recv(socket, (uint8_t *)p + done, n - done, 0);
        if (r < 0 && errno == EINTR) continue;
        if (r == 0) errno = 0;
        if (r <= 0) return -1;
        done += (size_t)r;
    }
    return 0;
}

/* The path of a socket may have 107 bytes, the directory's may be longer: so it goes by the number of its descriptor. */
static int connect_in(const char *path, const char *name, struct err *err) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    char dir[REMOTE_PATH_MAX];
    snprintf(dir, sizeof dir, "%.*s", (int)(name - path), path);
    int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot open", dir);
    snprintf(to.sun_path, sizeof to.sun_path, "/proc/self/fd/%d/" REMOTE_SOCKET, fd);
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s < 0 || connect(s, (const struct sockaddr *)&to, sizeof to)) {
        err_sys(err, ERR_INPUT, errno, "%s: nobody serves this file", path);
        fd_close(s);
        s = -1;
    }
    fd_close(fd);
    return s;
}

static ssize_t take_reply(int s, const char *path, void *p, size_t n, struct err *err) {
    struct remote_reply reply;
    char text[sizeof err->text];
    errno = 0;
    bool came = !remote_receive(s, &reply, sizeof reply) && reply.n <= (reply.code ? sizeof text - 1 : n) &&
                !remote_receive(s, reply.code ? text : p, (size_t)reply.n);
    if (!came) return err_sys(err, ERR_INPUT, errno ? errno : EPIPE, "%s: the reader of remote files has ended", path);
    if (!reply.code) return (ssize_t)reply.n;
    text[reply.n] = 0;
    err_set(err, (enum err_code)reply.code, "%s", text);
    if (err->code == (enum err_code)reply.code && !err->sys) err->sys = reply.sys;
    return -1;
}

static ssize_t ask(const char *path, enum remote_wish wish, void *p, size_t n, uint64_t offset, struct err *err) {
    const char *name = remote_name(path);
    size_t path_bytes = name ? strlen(name) : 0;
    if (!name || (size_t)(name - path) >= REMOTE_PATH_MAX || path_bytes >= REMOTE_PATH_MAX)
        return err_set(err, ERR_INTERNAL, "%s: is no file of a server", path);
    struct remote_request request = {.wish = wish, .path_bytes = (uint32_t)path_bytes, .offset = offset, .n = n};
    int s = connect_in(path, name, err);
    if (s < 0) return -1;
    ssize_t rc = remote_send(s, &request, sizeof request) || remote_send(s, name, path_bytes)
                     ? err_sys(err, ERR_INPUT, errno, "%s: the reader of remote files has ended", path)
                     : take_reply(s, path, p, n, err);
    fd_close(s);
    return rc;
}

ssize_t remote_read(const char *path, void *p, size_t n, uint64_t offset, struct err *err) {
    return ask(path, REMOTE_WISH_READ, p, n < REMOTE_PIECE_MAX ? n : REMOTE_PIECE_MAX, offset, err);
}

int remote_check(const char *path, struct err *err) {
    return ask(path, REMOTE_WISH_CHECK, NULL, 0, 0, err) < 0 ? -1 : 0;
}

int remote_put(const char *path, struct err *err) {
    return remote_name(path) && ask(path, REMOTE_WISH_PUT, NULL, 0, 0, err) < 0 ? -1 : 0;
}

int remote_put_report(const char *path, struct err *err) {
    return ask(path, REMOTE_WISH_REPORT, NULL, 0, 0, err) < 0 ? -1 : 0;
}

int remote_publish(const char *out, struct err *err) {
    return ask(out, REMOTE_WISH_PUBLISH, NULL, 0, 0, err) < 0 ? -1 : 0;
}

int remote_tidy(const char *out, struct err *err) {
    return ask(out, REMOTE_WISH_TIDY, NULL, 0, 0, err) < 0 ? -1 : 0;
}

ssize_t remote_read_at(int fd, void *p, size_t n, uint64_t offset, const char *path, struct err *err) {
    if (remote_is(fd, path)) return remote_read(path, p, n, offset, err);
    for (;;) {
        ssize_t r = pread(fd, p, n, (off_t)offset);
        if (r >= 0) return r;
        if (errno != EINTR)
            return err_sys(err, ERR_INPUT, errno, "%s: cannot read %zu bytes at %llu", path, n, (unsigned long long)offset);
    }
}

ssize_t remote_read_next(int fd, void *p, size_t n, uint64_t at, const char *path, struct err *err) {
    if (remote_is(fd, path)) return remote_read(path, p, n, at, err);
    for (;;) {
        ssize_t r = read(fd, p, n);
        if (r >= 0) return r;
        if (errno != EINTR) return err_sys(err, ERR_INPUT, errno, "%s: cannot read", path);
    }
}
