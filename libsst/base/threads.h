/* Finds out how many threads the system lets us have. A limit of processes (ulimit -u, pids.max of a container) or of address
 * space (ulimit -v) shows only when a thread is started, and OpenMP ends the program then. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Room at the end of what each thread has of its own in an array. Without it, two threads share a line of the caches, and each
 * waits while the other writes. Two lines, because processors fetch them in pairs. */
enum { APART_BYTES = 128 };

/* Starts up to wanted - 1 threads side by side, ends them again, and returns how many may work: from 1 (none could be started)
 * to wanted. OpenMP keeps as many ready from then on, so that none is started later. */
unsigned threads_available(unsigned wanted);

/* Starts a thread that helps, with a small stack and all signals blocked: they are for threads that wait for them. false: the
 * system gives none, and the caller does the work. */
bool threads_start_helper(pthread_t *thread, size_t stack_bytes, void *(*run)(void *arg), void *arg);

#endif
