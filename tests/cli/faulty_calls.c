/* Preloaded into a program by tests/cli/failing_calls.py: the n-th call of one kind fails, or is where the program is killed.
 *
 *   FAULT_CALL  open write pwrite read pread fsync rename unlink mkdir close alloc: what is counted (calls of the program itself,
 *               not those of its libraries; reading and writing of files opened for it only count when FAULT_CALL says so)
 *   FAULT_AT    number of the call, from 1; 0 = only count
 *   FAULT_DO    KILL = SIGKILL to the program, TERM = SIGTERM and the call goes on, or the number of an errno
 *   FAULT_LOG   file that gets the number of calls when the program ends
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern char __executable_start __attribute__((weak));

static struct {
    const char *call, *log;
    long at, count;
    int what; /* errno, or minus a signal; 0 = not set up */
    char *low, *high;
} fault;

/* Where the program itself lies: the mappings of /proc/self/exe. */
static void find_program(void) {
    char exe[4096], line[8192];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    FILE *f = n > 0 ? fopen("/proc/self/maps", "r") : NULL;
    if (!f) return;
    exe[n] = 0;
    while (fgets(line, sizeof line, f)) {
        unsigned long a, b;
        if (!strstr(line, exe) || sscanf(line, "%lx-%lx", &a, &b) != 2) continue;
        if (!fault.low) fault.low = (char *)a;
        fault.high = (char *)b;
    }
    fclose(f);
}

__attribute__((constructor)) static void set_up(void) {
    const char *call = getenv("FAULT_CALL"), *at = getenv("FAULT_AT"), *what = getenv("FAULT_DO");
    if (!call || !at || !what) return;
    find_program();
    fault.log = getenv("FAULT_LOG");
    fault.at = atol(at);
    fault.what = !strcmp(what, "KILL") ? -SIGKILL : !strcmp(what, "TERM") ? -SIGTERM : atoi(what);
    fault.call = call;
}

__attribute__((destructor)) static void tell(void) {
    FILE *f = fault.log ? fopen(fault.log, "w") : NULL;
    if (!f) return;
    fprintf(f, "%ld\n", fault.count);
    fclose(f);
}

/* 1 = this call fails with errno set. */
static int hit(const char *call, void *from) {
    if (!fault.call || strcmp(fault.call, call) || (char *)from < fault.low || (char *)from >= fault.high) return 0;
    if (__atomic_add_fetch(&fault.count, 1, __ATOMIC_SEQ_CST) != fault.at) return 0;
    if (fault.what < 0) {
        kill(getpid(), -fault.what);
        return 0;
    }
    errno = fault.what;
    return 1;
}

#define HIT(call) hit(call, __builtin_return_address(0))
#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

int open(const char *path, int flags, ...) {
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return HIT("open") ? -1 : REAL(int, "open", const char *, int, mode_t)(path, flags, mode);
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int mkostemp64(char *path, int flags) {
    return HIT("open") ? -1 : REAL(int, "mkostemp64", char *, int)(path, flags);
}
ssize_t write(int fd, const void *p, size_t n) {
    return HIT("write") ? -1 : REAL(ssize_t, "write", int, const void *, size_t)(fd, p, n);
}
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at) {
    return HIT("pwrite") ? -1 : REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t)(fd, p, n, at);
}
ssize_t read(int fd, void *p, size_t n) {
    return HIT("read") ? -1 : REAL(ssize_t, "read", int, void *, size_t)(fd, p, n);
}
ssize_t pread64(int fd, void *p, size_t n, off64_t at) {
    return HIT("pread") ? -1 : REAL(ssize_t, "pread64", int, void *, size_t, off64_t)(fd, p, n, at);
}
int fsync(int fd) {
    return HIT("fsync") ? -1 : REAL(int, "fsync", int)(fd);
}
int rename(const char *from, const char *to) {
    return HIT("rename") ? -1 : REAL(int, "rename", const char *, const char *)(from, to);
}
int unlink(const char *path) {
    return HIT("unlink") ? -1 : REAL(int, "unlink", const char *)(path);
}
int rmdir(const char *path) {
    return HIT("unlink") ? -1 : REAL(int, "rmdir", const char *)(path);
}
int mkdir(const char *path, mode_t mode) {
    return HIT("mkdir") ? -1 : REAL(int, "mkdir", const char *, mode_t)(path, mode);
}
void *malloc(size_t n) {
    return HIT("alloc") ? NULL : __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
    return HIT("alloc") ? NULL : __libc_calloc(n, size);
}
void *realloc(void *p, size_t n) {
    return HIT("alloc") ? NULL : __libc_realloc(p, n);
}
