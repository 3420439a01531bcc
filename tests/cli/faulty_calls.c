/* Preloaded into a program by tests/cli/failing_calls.py: calls of one kind fail, those inside libraries too. The program is
 * started once and waits before its main; a copy of it runs for each fault that is asked for, so that nothing is loaded again.
 *   FAULT_CHANNEL  two descriptors, "READ WRITE". A request is a line "KIND AT HOW WHAT": calls of this kind are counted from 1,
 *                  number AT fails (0: none), as well (HOW) "once" no other, "after" all after it, "every" each AT-th.
 *                  WHAT is the number of an errno, or "KILL": SIGKILL to the program at that call; of the kind "clock" the
 *                  seconds by which the wall clock is wrong. The answer is a line "WAIT-STATUS COUNT".
 *   FAULT_INPUT    the copy's standard input
 *   FAULT_OUTPUT   its standard output and errors: this name with ".out" and ".err"; of a copy that crashes the last line of
 *                  errors says in which modules, the innermost first: "crashed in libc.so.6 obkv-load …"
 * Kinds: FAULTY below, "alloc", "thread" and "clock". Of calls within the C library only its allocations are counted. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum { SECONDS_AT_MOST = 20, FRAMES_MAX = 100, OWN_FRAMES = 2 };

static struct {
    char kind[16], how[16];
    long at;
    int what; /* errno, or seconds */
    int kills;
    long *count;
} fault;

static int hit(const char *kind) {
    if (strcmp(fault.kind, kind) != 0) return 0;
    long n = __atomic_add_fetch(fault.count, 1, __ATOMIC_SEQ_CST);
    if (!fault.at) return 0;
    if (fault.how[0] == 'e' ? n % fault.at != 0 : fault.how[0] == 'a' ? n < fault.at : n != fault.at) return 0;
    if (fault.kills) kill(getpid(), SIGKILL);
    errno = fault.what;
    return 1;
}

#define REAL(type, name, params) ((type(*) params)dlsym(RTLD_NEXT, #name))
#define FAULTY(kind, type, failure, name, params, args) \
    type name params {                                  \
        static type(*real) params;                      \
        if (!real) real = REAL(type, name, params);     \
        return hit(kind) ? failure : real args;         \
    }

FAULTY("open", FILE *, NULL, fopen64, (const char *path, const char *mode), (path, mode))
FAULTY("open", int, -1, mkostemp64, (char *path, int flags), (path, flags))
FAULTY("write", ssize_t, -1, write, (int fd, const void *p, size_t n), (fd, p, n))
FAULTY("write", ssize_t, -1, pwrite64, (int fd, const void *p, size_t n, off64_t at), (fd, p, n, at))
FAULTY("write", int, EOF, fflush, (FILE * f), (f))
FAULTY("space", int, -1, fallocate64, (int fd, int mode, off64_t at, off64_t n), (fd, mode, at, n))
FAULTY("space", int, -1, ftruncate64, (int fd, off64_t n), (fd, n))
FAULTY("read", ssize_t, -1, read, (int fd, void *p, size_t n), (fd, p, n))
FAULTY("read", ssize_t, -1, pread64, (int fd, void *p, size_t n, off64_t at), (fd, p, n, at))
FAULTY("read", off64_t, -1, lseek64, (int fd, off64_t at, int from), (fd, at, from))
FAULTY("sync", int, -1, fsync, (int fd), (fd))
FAULTY("sync", int, -1, fdatasync, (int fd), (fd))
FAULTY("rename", int, -1, rename, (const char *from, const char *to), (from, to))
FAULTY("rename", int, -1, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
FAULTY("unlink", int, -1, unlink, (const char *path), (path))
FAULTY("unlink", int, -1, unlinkat, (int fd, const char *path, int flags), (fd, path, flags))
FAULTY("unlink", int, -1, rmdir, (const char *path), (path))
FAULTY("mkdir", int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
FAULTY("mkdir", int, -1, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode))
FAULTY("mkdir", char *, NULL, mkdtemp, (char *path), (path))
FAULTY("close", int, -1, close, (int fd), (fd))
FAULTY("stat", int, -1, stat64, (const char *path, struct stat64 *st), (path, st))
FAULTY("stat", int, -1, lstat64, (const char *path, struct stat64 *st), (path, st))
FAULTY("stat", int, -1, fstat64, (int fd, struct stat64 *st), (fd, st))
FAULTY("stat", int, -1, fstatat64, (int fd, const char *path, struct stat64 *st, int flags), (fd, path, st, flags))
FAULTY("stat", int, -1, access, (const char *path, int mode), (path, mode))
FAULTY("stat", char *, NULL, realpath, (const char *path, char *to), (path, to))
FAULTY("dir", DIR *, NULL, opendir, (const char *path), (path))
FAULTY("dir", struct dirent64 *, NULL, readdir64, (DIR * d), (d))
FAULTY("dir", int, -1, scandir64,
       (const char *path, struct dirent64 ***list, int (*take)(const struct dirent64 *),
        int (*order)(const struct dirent64 **, const struct dirent64 **)),
       (path, list, take, order))
FAULTY("map", void *, MAP_FAILED, mmap64, (void *p, size_t n, int prot, int flags, int fd, off64_t at),
       (p, n, prot, flags, fd, at))
FAULTY("socket", int, -1, socket, (int domain, int type, int protocol), (domain, type, protocol))
FAULTY("socket", int, -1, connect, (int fd, const struct sockaddr *to, socklen_t n), (fd, to, n))
FAULTY("socket", ssize_t, -1, send, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags))
FAULTY("socket", ssize_t, -1, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags))

int clock_gettime(clockid_t id, struct timespec *t) {
    int rc = REAL(int, clock_gettime, (clockid_t, struct timespec *))(id, t);
    if (!rc && id == CLOCK_REALTIME && hit("clock")) t->tv_sec += fault.what;
    return rc;
}

int open64(const char *path, int flags, ...) {
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return hit("open") ? -1 : openat(AT_FDCWD, path, flags, mode);
}
int open(const char *path, int flags, ...) __attribute__((alias("open64")));

int openat64(int fd, const char *path, int flags, ...) {
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return hit("open") ? -1 : REAL(int, openat64, (int, const char *, int, ...))(fd, path, flags, mode);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg) {
    return hit("thread") ? EAGAIN
                         : REAL(int, pthread_create,
                                (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))(thread, attr, start, arg);
}

void *malloc(size_t n) {
    return hit("alloc") ? NULL : __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
    return hit("alloc") ? NULL : __libc_calloc(n, size);
}
void *realloc(void *p, size_t n) {
    return n && hit("alloc") ? NULL : __libc_realloc(p, n);
}
void *memalign(size_t align, size_t n) {
    return hit("alloc") ? NULL : __libc_memalign(align, n);
}
void *aligned_alloc(size_t align, size_t n) {
    return memalign(align, n);
}
int posix_memalign(void **p, size_t align, size_t n) {
    return (*p = memalign(align, n)) ? 0 : ENOMEM;
}

/* ---- where a copy crashes ---- */

static void say_where(int sig) {
    static void *frames[FRAMES_MAX];
    Dl_info at;
    fault.at = 0;
    int n = backtrace(frames, FRAMES_MAX);
    dprintf(2, "\ncrashed in");
    for (int i = OWN_FRAMES; i < n; i++) {
        const char *name = dladdr(frames[i], &at) ? strrchr(at.dli_fname, '/') : NULL;
        dprintf(2, " %s", name ? name + 1 : "?");
    }
    dprintf(2, "\n");
    signal(sig, SIG_DFL);
    raise(sig);
}

static void watch_crashes(void) {
    static void *loaded[1]; /* the first call loads what it needs */
    backtrace(loaded, 1);
    signal(SIGSEGV, say_where);
    signal(SIGABRT, say_where);
}

/* ---- a copy for each fault ---- */

static void redirect(const char *tail, int to) {
    char path[4096];
    snprintf(path, sizeof path, "%s%s", getenv("FAULT_OUTPUT"), tail);
    int fd = openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || dup2(fd, to) < 0) _exit(99);
    REAL(int, close, (int))(fd);
}

static void read_from(const char *path) {
    int fd = openat(AT_FDCWD, path, O_RDONLY);
    if (fd < 0 || dup2(fd, 0) < 0) _exit(99);
    REAL(int, close, (int))(fd);
}

/* Returns in the copies only. */
static void serve(int in, int out) {
    FILE *requests = fdopen(in, "r");
    long at;
    char kind[16], how[16], what[16];
    watch_crashes();
    fault.count = mmap(NULL, sizeof *fault.count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    while (fscanf(requests, "%15s %ld %15s %15s", kind, &at, how, what) == 4) {
        int status = 0;
        *fault.count = 0;
        pid_t copy = fork();
        if (copy == 0) {
            read_from(getenv("FAULT_INPUT"));
            redirect(".out", 1);
            redirect(".err", 2);
            REAL(int, close, (int))(in);
            REAL(int, close, (int))(out);
            alarm(SECONDS_AT_MOST);
            memcpy(fault.how, how, sizeof how);
            fault.at = at;
            fault.kills = !strcmp(what, "KILL");
            fault.what = atoi(what);
            memcpy(fault.kind, kind, sizeof kind);
            return;
        }
        if (copy < 0 || waitpid(copy, &status, 0) < 0) _exit(98);
        dprintf(out, "%d %ld\n", status, *fault.count);
    }
    _exit(0);
}

typedef int main_function(int, char **, char **);
static main_function *real_main;

static int main_of_copies(int argc, char **argv, char **env) {
    int in, out;
    const char *channel = getenv("FAULT_CHANNEL");
    if (channel && sscanf(channel, "%d %d", &in, &out) == 2) serve(in, out);
    return real_main(argc, argv, env);
}

int __libc_start_main(main_function *program, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*end)(void),
                      void *stack) {
    real_main = program;
    return REAL(int, __libc_start_main, (main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *))(
        main_of_copies, argc, argv, init, fini, end, stack);
}
