/* Starts threads to see how many may be started. All wait at a gate until the last one has come, so that they live side by side,
 * as workers do. Right after it OpenMP starts its own, which it keeps: what others start later takes none away. */
#include "base/threads.h"

#include <pthread.h>
#include <stdlib.h>

static void *wait_at_gate(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

static unsigned start_side_by_side(unsigned n) {
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *threads = calloc(n, sizeof *threads);
    unsigned started = 0;
    pthread_mutex_lock(&gate);
    while (threads && started < n && !pthread_create(&threads[started], NULL, wait_at_gate, &gate)) started++;
    pthread_mutex_unlock(&gate);
    for (unsigned i = 0; i < started; i++) pthread_join(threads[i], NULL);
    free(threads);
    return started;
}

unsigned threads_available(unsigned wanted) {
    if (wanted <= 1) return 1;
    unsigned have = 1 + start_side_by_side(wanted - 1);
    unsigned working = 0;
#pragma omp parallel num_threads(have) reduction(+ : working)
    working++;
    return working < have ? working : have;
}
