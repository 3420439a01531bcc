/* Hands over in order what threads make side by side: one lock over it, one signal that something has changed, and turns for
 * threads with numbers. A thread that waits sleeps. */
#ifndef BASE_HAND_OVER_H
#define BASE_HAND_OVER_H

#include <pthread.h>
#include <stdint.h>

struct hand_over {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t turn; /* whose it is: 0 at first */
};

/* Initialises a hand-over that is a local variable. */
#define HAND_OVER_INITIALIZER \
    { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }
void hand_over_init(struct hand_over *h);
void hand_over_free(struct hand_over *h);

static inline void hand_over_lock(struct hand_over *h) {
    pthread_mutex_lock(&h->lock);
}
static inline void hand_over_unlock(struct hand_over *h) {
    pthread_mutex_unlock(&h->lock);
}
/* Waits under the lock, which is given up meanwhile: returns when another thread has called hand_over_changed, or for no reason
 * at all, so the caller looks again. */
void hand_over_wait(struct hand_over *h);
/* Wakes, under the lock, all threads that wait, to look again. */
void hand_over_changed(struct hand_over *h);

/* Takes the lock for a moment and returns when all turns before this one have ended. */
void hand_over_await_turn(struct hand_over *h, uint64_t number);
void hand_over_end_turn(struct hand_over *h);

#endif
