/* Starts threads to see how many may be started. All wait at a gate until the last one has come, so that they live side by side,
 * as workers do. Right after it OpenMP starts its own, which it keeps: what others start later takes none away. */
#include "base/threads.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static void *wait_at_gate(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Links of the directory of this process's threads: one for each, and a few more. 0: there is no /proc. */
static uint64_t thread_links(void) {
    struct stat threads;
    return stat("/proc/self/task", &threads) ? 0 : threads.st_nlink;
}

/* The kernel counts a thread against limits for a moment after it was joined: OpenMP would not get those that were just tried.
 * What other threads do may change the number too, so that the wait has an end. */
enum { GONE_TRIES = 1000, GONE_PAUSE_NS = 100000 };
static void wait_until_gone(uint64_t links_left) {
    for (int i = 0; i < GONE_TRIES && thread_links() > links_left; i++)
        nanosleep(&(struct timespec){.tv_nsec = GONE_PAUSE_NS}, NULL);
}

static unsigned start_side_by_side(unsigned n) {
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *threads = calloc(n, sizeof *threads);
    unsigned started = 0;
    pthread_mutex_lock(&gate);
    while (threads && started < n && !pthread_create(&threads[started], NULL, wait_at_gate, &gate)) started++;
    uint64_t links = thread_links(); /* with a thread that ThreadSanitizer starts beside the first one, and keeps */
    pthread_mutex_unlock(&gate);
    for (unsigned i = 0; i < started; i++) pthread_join(threads[i], NULL);
    wait_until_gone(links > started ? links - started : 0);
    free(threads);
    return started;
}

/* A stack and an arena of the C library, which takes twice its size to align it. Half of a limited address space is for these. */
enum { THREAD_SPACE_BYTES = 144 << 20 };
static unsigned fit_address_space(unsigned wanted) {
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) || space.rlim_cur == RLIM_INFINITY) return wanted;
    uint64_t fit = (uint64_t)space.rlim_cur / 2 / THREAD_SPACE_BYTES;
    return fit < 1 ? 1 : fit < wanted ? (unsigned)fit : wanted;
}

unsigned threads_available(unsigned wanted) {
    wanted = fit_address_space(wanted);
    if (wanted <= 1) return 1;
    unsigned have = 1 + start_side_by_side(wanted - 1);
    unsigned working = 0;
#pragma omp parallel num_threads(have) reduction(+ : working)
    working++;
    return working < have ? working : have;
}

bool threads_start_helper(pthread_t *thread, size_t stack_bytes, void *(*run)(void *arg), void *arg) {
    pthread_attr_t attr;
    sigset_t all, before;
    if (pthread_attr_init(&attr)) return false;
    (void)pthread_attr_setstacksize(&attr, stack_bytes); /* the thread starts with more otherwise */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = !pthread_create(thread, &attr, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return started;
}
